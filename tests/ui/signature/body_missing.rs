use toolkit::tool;

trait Double {
    // mended:
    /// Doubles a number.
    // mended:
    #[tool]
    fn double(
        // mended: &self,
        /// The number.
        number: u8,
    ) -> u8;
}

struct Doubler;

impl Double for Doubler {
    // mended: fn double(&self, number: u8) -> u8 {
    fn double(number: u8) -> u8 {
        number * 2
    }
}

fn main() {
    // mended: assert_eq!(Doubler.double(1), 2);
    assert_eq!(Doubler::double(1), 2);
}
