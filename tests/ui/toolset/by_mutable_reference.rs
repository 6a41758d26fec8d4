use toolkit::toolset;

struct Files;

#[toolset(domain = "fs")]
impl Files {
    /// Write a text into the file.
    #[tool(risk = "write")]
    // mended: fn write(&self) {}
    fn write(&mut self) {}
}

fn main() {
    // mended: Files.write();
    (&mut Files).write();
}
