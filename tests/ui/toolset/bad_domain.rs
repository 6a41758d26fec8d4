use toolkit::toolset;

struct Files;

// mended: #[toolset(domain = "file_system")]
#[toolset(domain = "FileSystem")]
impl Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    Files.read();
}
