use toolkit::tool;

/// Lists the numbers from one to three.
#[tool]
// mended: fn numbers() -> Result<Vec<u8>, String> {
fn numbers() -> Result<impl Iterator<Item = u8>, String> {
    // mended: Ok(vec![1, 2, 3])
    Ok(1..=3)
}

fn main() {
    assert_eq!(numbers().unwrap().into_iter().count(), 3);
}
