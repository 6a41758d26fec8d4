use toolkit::toolset;

#[derive(Clone, Copy)]
struct Files;

#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    #[tool]
    // mended: fn read(&self) {}
    fn read(self) {}
}

fn main() {
    Files.read();
}
