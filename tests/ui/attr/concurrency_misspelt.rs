use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(concurrency = 2)]
#[tool(concurency = 2)]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
