use toolkit::tool;

/// Echoes a text as it came.
// mended: #[tool(crate = ::toolkit)]
#[tool(crate = ::toolkit, crate = toolkit)]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
