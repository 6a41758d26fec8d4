use toolkit::toolset;

struct Files;

// mended: #[toolset(domain = "fs")]
#[toolset(domian = "fs")]
impl Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
