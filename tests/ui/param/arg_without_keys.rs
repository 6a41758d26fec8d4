use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: value: u8,
    #[arg] value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
