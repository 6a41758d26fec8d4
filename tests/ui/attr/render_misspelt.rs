use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(render = short)]
#[tool(rendr = short)]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn short(text: &String) -> String {
    text.chars().take(80).collect()
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
    assert_eq!(short(&"a".to_owned()), "a");
}
