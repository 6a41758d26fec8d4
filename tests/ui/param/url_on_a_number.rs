use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool(risk = "network", hosts = ["example.com"])]
fn take(
    /// The value.
    // mended:
    #[arg(url)]
    value: u8,
) {
    let _ = value;
}

fn main() {
    take(1);
}
