use toolkit::tool;

/// Adds two numbers.
#[tool]
fn add(
    /// The first number.
    a: u8,
    /// The second number.
    // mended: #[arg(rename = "b")]
    #[arg(rename = "a")]
    other: u8,
) -> u8 {
    a + other
}

fn main() {
    assert_eq!(add(1, 2), 3);
}
