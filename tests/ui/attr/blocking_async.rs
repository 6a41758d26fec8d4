use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool]
#[tool(blocking = "wait")]
async fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    let _ = echo("a".to_owned());
}
