use std::cell::Cell;

use toolkit::{Toolkit, toolset};

// mended: struct Files(std::sync::Mutex<u8>);
struct Files(Cell<u8>);

#[toolset(domain = "fs")]
impl Files {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    // mended: let files = Files(1.into());
    let files = Files(Cell::new(1));
    let _ = Toolkit::builder().toolset(files);
}
