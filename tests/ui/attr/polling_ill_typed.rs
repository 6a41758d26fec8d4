use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(polling)]
#[tool(polling = "yes")]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
