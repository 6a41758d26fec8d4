use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(range = 0..=255)]
    #[arg(range = 0..=300)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
