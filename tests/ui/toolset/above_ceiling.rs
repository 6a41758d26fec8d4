use toolkit::toolset;

struct Files;

// mended: #[toolset(domain = "fs", ceiling = "write")]
#[toolset(domain = "fs", ceiling = "read")]
impl Files {
    /// Write a text into the file.
    #[tool(risk = "write")]
    fn write(&self) {}
}

fn main() {
    Files.write();
}
