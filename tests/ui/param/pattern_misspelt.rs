use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(pattern = "^[a-z]+$")]
    #[arg(patern = "^[a-z]+$")]
    value: String,
) {
    let _ = value;
}

fn main() {
    take("a".to_owned());
}
