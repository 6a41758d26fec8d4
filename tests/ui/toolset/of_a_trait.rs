use toolkit::toolset;

struct Files;

trait Read {
    fn read(&self);
}

#[toolset(domain = "fs")]
// mended: impl Files {
impl Read for Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
