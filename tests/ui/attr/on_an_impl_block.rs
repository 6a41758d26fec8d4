use toolkit::tool;

struct Echo;

/// Echoes a text as it came.
// mended:
#[tool]
impl Echo {
    fn echo(&self, text: String) -> String {
        text
    }
}

fn main() {
    assert_eq!(Echo.echo("a".to_owned()), "a");
}
