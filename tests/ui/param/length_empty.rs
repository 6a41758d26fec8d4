use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(length = 1..=20)]
    #[arg(length = 20..=1)]
    value: String,
) {
    let _ = value;
}

fn main() {
    take("a".to_owned());
}
