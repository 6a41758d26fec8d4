use toolkit::tool;

// mended: /// Echoes a text as it came.
/// Echoes.
#[tool]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
