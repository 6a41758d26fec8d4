use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(default = 5)]
    #[arg(default = 5.0)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
