use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: value: (String, u8),
    value: (&str, u8),
) {
    let _ = value;
}

fn main() {
    take(("a".into(), 1));
}
