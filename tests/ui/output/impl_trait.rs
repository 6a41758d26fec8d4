use toolkit::tool;

/// Lists the numbers from one to three.
#[tool]
// mended: fn numbers() -> Vec<u8> {
fn numbers() -> impl Iterator<Item = u8> {
    // mended: vec![1, 2, 3]
    1..=3
}

fn main() {
    assert_eq!(numbers().into_iter().count(), 3);
}
