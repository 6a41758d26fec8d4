use toolkit::tool;

/// Doubles a number.
#[tool]
// mended: fn double(
unsafe fn double(
    /// The number.
    number: u8,
) -> u8 {
    number * 2
}

fn main() {
    // mended: assert_eq!(double(1), 2);
    assert_eq!(unsafe { double(1) }, 2);
}
