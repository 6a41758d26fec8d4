use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(name = "echo_text")]
#[tool]
#[allow(non_snake_case)]
fn echoText(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echoText("a".to_owned()), "a");
}
