use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(range = 1..=2)]
    #[arg(range = 0.5..=1.5)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
