/// Count the words of a text on a thread.
#[tool(blocking = "abandon")]
fn count(
    /// The text, e.g. `to be or not to be`.
    text: &str,
) -> usize {
    text.split_whitespace().count()
}
