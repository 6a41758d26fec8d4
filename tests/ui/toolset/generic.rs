use toolkit::toolset;

struct Files<T>(T);

#[toolset(domain = "fs")]
// mended: impl Files<u8> {
impl<T> Files<T> {
    /// Read the text of the file.
    #[tool]
    fn read(&self) {}
}

fn main() {
    Files(1_u8).read();
}
