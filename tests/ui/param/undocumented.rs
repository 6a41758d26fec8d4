use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    // mended: /// The value.
    // no docs
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
