use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(name = "kb.search2")]
#[tool(name = "kb.2search")]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
