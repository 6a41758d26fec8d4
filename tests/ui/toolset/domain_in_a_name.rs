use toolkit::toolset;

struct Files;

#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    // mended: #[tool(name = "text")]
    #[tool(name = "fs.text")]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
