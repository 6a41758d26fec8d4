use toolkit::tool;

/// Echoes whatever it is given.
#[tool]
fn echo(
    /// What to echo.
    // mended: values: Vec<String>,
    values: Vec<impl ToString>,
) -> String {
    values.iter().map(ToString::to_string).collect()
}

fn main() {
    assert_eq!(echo(vec!["1".to_owned()]), "1");
}
