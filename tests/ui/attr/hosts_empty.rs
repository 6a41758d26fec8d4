use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(risk = "network", hosts = ["localhost:8080"])]
#[tool(risk = "network", hosts = [])]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
