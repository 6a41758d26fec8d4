use toolkit::tool;

// mended: const ABOUT: &str = "Echoes a text as it came.";
const ABOUT: &str = " Echoes. ";

#[tool(description = ABOUT)]
fn echo(
    /// What to echo.
    text: String,
) -> String {
    text
}

fn main() {
    assert_eq!(echo("a".to_owned()), "a");
}
