use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(blocking = "wait")]
#[tool(blocking = 1)]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
