use toolkit::tool;

/// Takes a number and does nothing with it.
#[tool]
fn ignore(
    /// The number.
    // mended: _number: u8,
    _: u8,
) {
}

fn main() {
    ignore(1);
}
