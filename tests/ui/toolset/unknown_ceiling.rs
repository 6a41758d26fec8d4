use toolkit::toolset;

struct Files;

// mended: #[toolset(domain = "fs", ceiling = "write")]
#[toolset(domain = "fs", ceiling = "wirte")]
impl Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
