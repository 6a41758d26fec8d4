use toolkit::tool;

/// Counts the characters of a text, slowly.
#[tool]
async fn count(
    /// The text.
    text: &str,
) -> usize {
    // mended: let text = std::sync::Arc::new(text);
    let text = std::rc::Rc::new(text);
    std::future::ready(()).await;
    text.len()
}

fn main() {
    let _ = count("a");
}
