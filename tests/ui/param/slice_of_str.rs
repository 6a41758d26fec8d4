use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: value: &[String],
    value: &[&str],
) {
    let _ = value;
}

fn main() {
    take(&[]);
}
