use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(description = "Echoes a text as it came.")]
#[tool(desciption = "Echoes a text as it came.")]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
