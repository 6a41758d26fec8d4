use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: value: Vec<String>,
    value: Vec<&str>,
) {
    let _ = value;
}

fn main() {
    take(vec![]);
}
