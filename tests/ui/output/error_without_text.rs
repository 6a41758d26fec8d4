use toolkit::tool;

struct KbError;

// mended: impl std::fmt::Display for KbError {
impl KbError {
    // mended: fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    fn write(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the knowledge base is closed")
    }
}

/// Gives the title of the newest article.
#[tool]
async fn newest() -> Result<String, KbError> {
    Err(KbError)
}

fn main() {
    let _ = newest();
}
