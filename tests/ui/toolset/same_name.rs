use toolkit::toolset;

struct Files;

#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}

    /// Read the lines of the file.
    // mended: #[tool(name = "lines")]
    #[tool(name = "read")]
    fn lines(&self) {}
}

fn main() {
    Files.read();
    Files.lines();
}
