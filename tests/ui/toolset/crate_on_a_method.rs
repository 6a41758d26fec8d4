use toolkit::toolset;

struct Files;

// mended: #[toolset(domain = "fs", crate = ::toolkit)]
#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    // mended: #[tool]
    #[tool(crate = ::toolkit)]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
