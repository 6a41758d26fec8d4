use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(range = 1..=20)]
    #[arg(range = 20..=1)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
