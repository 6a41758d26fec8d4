use toolkit::tool;

/// Adds two numbers.
#[tool]
fn add(
    /// The first number.
    #[arg(alias = "x")]
    a: u8,
    /// The second number.
    // mended: #[arg(alias = "y")]
    #[arg(alias = ["y", "x"])]
    b: u8,
) -> u8 {
    a + b
}

fn main() {
    assert_eq!(add(1, 2), 3);
}
