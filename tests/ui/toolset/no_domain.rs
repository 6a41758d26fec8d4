use toolkit::toolset;

struct Files;

// mended: #[toolset(domain = "fs")]
#[toolset]
impl Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
