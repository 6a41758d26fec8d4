use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(rename = "the_value")]
    #[arg(rename = "the value")]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
