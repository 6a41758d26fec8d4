use toolkit::tool;

/// Echoes a text as it came.
// mended:
#[tool]
struct Echo(String);

fn main() {
    let Echo(text) = Echo("a".to_owned());
    assert_eq!(text, "a");
}
