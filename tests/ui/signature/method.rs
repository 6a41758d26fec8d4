use toolkit::tool;

struct Desk;

// mended:
impl Desk {
    /// Counts the tickets that are open.
    #[tool]
    // mended: fn count(#[state] _desk: &Desk) -> usize {
    fn count(&self) -> usize {
        3
    }
// mended:
}

fn main() {
    // mended: assert_eq!(count(&Desk), 3);
    assert_eq!(Desk.count(), 3);
}
