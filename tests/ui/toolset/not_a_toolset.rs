use toolkit::Toolkit;

struct Files;

// mended: #[toolkit::toolset(domain = "fs")]
#[allow(unused)]
impl Files {
    /// Read the text of the file.
    // mended: #[tool]
    #[inline]
    fn read(&self) {}
}

fn main() {
    let _ = Toolkit::builder().toolset(Files);
}
