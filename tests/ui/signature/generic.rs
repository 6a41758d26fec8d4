use toolkit::tool;

/// Echoes whatever it is given.
#[tool]
// mended: fn echo(
fn echo<T: ToString>(
    /// What to echo.
    // mended: value: String,
    value: T,
) -> String {
    value.to_string()
}

fn main() {
    assert_eq!(echo("1".to_owned()), "1");
}
