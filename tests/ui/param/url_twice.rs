use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool(risk = "network", hosts = ["example.com"])]
fn take(
    /// The value.
    // mended: #[arg(url)]
    #[arg(url, url = false)]
    value: String,
) {
    let _ = value;
}

fn main() {
    take("a".to_owned());
}
