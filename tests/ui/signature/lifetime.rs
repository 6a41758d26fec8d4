use toolkit::tool;

/// Echoes a text as it came.
#[tool]
// mended: fn echo(
fn echo<'a>(
    /// What to echo.
    // mended: text: &str,
    text: &'a str,
// mended: ) -> &str {
) -> &'a str {
    text
}

fn main() {
    assert_eq!(echo("a"), "a");
}
