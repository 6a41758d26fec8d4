use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(range = 1..=20)]
    #[arg(rnage = 1..=20)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
