use toolkit::tool;

/// Echoes a text as it came.
#[tool(risk = "write")]
// mended:
#[tool(name = "text.echo")]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
