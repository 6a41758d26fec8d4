use toolkit::toolset;

struct Files;

#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    #[tool]
    // mended: fn read(&self, /** Path, e.g. `a.txt`. */ path: &str) -> usize {
    fn read(&self, path: &str) -> usize {
        path.len()
    }
}

fn main() {
    Files.read("a");
}
