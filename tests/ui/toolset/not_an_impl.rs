use toolkit::toolset;

struct Files;

#[toolset(domain = "fs")]
// mended: impl Files {
mod files {
    /// Read the text of the file.
    // mended: #[tool]
    #[inline]
    // mended: pub fn read(&self) {}
    pub fn read() {}
}

fn main() {
    // mended: Files.read();
    files::read();
    let _ = Files;
}
