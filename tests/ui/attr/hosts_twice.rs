use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(risk = "network", hosts = ["example.com"])]
#[tool(risk = "network", hosts = ["example.com"], hosts = ["example.org"])]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
