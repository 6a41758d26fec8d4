use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(description = "Echoes a text as it came.")]
#[tool(description = 42)]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
