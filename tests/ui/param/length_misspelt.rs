use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(length = 1..=80)]
    #[arg(lenght = 1..=80)]
    value: String,
) {
    let _ = value;
}

fn main() {
    take("a".to_owned());
}
