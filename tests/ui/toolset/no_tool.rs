use toolkit::toolset;

struct Files;

#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    // mended: #[tool]
    #[inline]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
