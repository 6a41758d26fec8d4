use toolkit::tool;

/// Adds two numbers.
#[tool]
fn add(
    /// The two numbers.
    // mended: numbers: (u8, u8),
    (a, b): (u8, u8),
) -> u8 {
    // mended: let (a, b) = numbers;
    // in the signature
    a + b
}

fn main() {
    assert_eq!(add((1, 2)), 3);
}
