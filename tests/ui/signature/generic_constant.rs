use toolkit::tool;

/// Counts to the number that it was made for.
#[tool]
// mended: fn count() -> usize {
fn count<const N: usize>() -> usize {
    // mended: 3
    N
}

fn main() {
    // mended: assert_eq!(count(), 3);
    assert_eq!(count::<3>(), 3);
}
