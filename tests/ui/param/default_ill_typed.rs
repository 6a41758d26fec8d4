use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(default = 5)]
    #[arg(default = "five")]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
