use toolkit::tool;

/// Doubles a number.
#[tool]
fn double(
    /// The number.
    // mended: number: u8,
    ref number: u8,
) -> u8 {
    number * 2
}

fn main() {
    assert_eq!(double(1), 2);
}
