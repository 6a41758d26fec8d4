use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(rename = "v")]
    #[arg(rename = v)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
