use toolkit::tool;

/// Doubles a number.
#[tool]
fn double(
    /// The number.
    // mended:
    #[cfg(all())]
    number: u8,
) -> u8 {
    number * 2
}

fn main() {
    assert_eq!(double(1), 2);
}
