use toolkit::tool;

/// Echoes whatever it is given.
#[tool]
fn echo(
    /// What to echo.
    // mended: value: String,
    value: impl ToString,
) -> String {
    value.to_string()
}

fn main() {
    assert_eq!(echo("1".to_owned()), "1");
}
