use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: value: &str,
    value: &mut str,
) {
    let _ = value;
}

fn main() {
    take(&mut String::new());
}
