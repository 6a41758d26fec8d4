use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(name = "echo")]
#[tool]
fn echoechoechoechoechoechoechoechoechoechoechoechoechoechoechoechoecho(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echoechoechoechoechoechoechoechoechoechoechoechoechoechoechoechoecho("a".to_owned()), "a");
}
