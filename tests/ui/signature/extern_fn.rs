use toolkit::tool;

/// Doubles a number.
#[tool]
// mended: fn double(
extern "C" fn double(
    /// The number.
    number: u8,
) -> u8 {
    number * 2
}

fn main() {
    assert_eq!(double(1), 2);
}
