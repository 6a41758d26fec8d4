use toolkit::tool;

struct Article;

// mended: /// Searches the knowledge base.
/// Search.
// mended: #[tool(name = "kb.search", risk = "write", timeout = "5s")]
#[tool(name = "KB Search", risk = "wirte", timeout = "5", riks = "read", name = "kb.search")]
async fn search(
    // mended: /// Keywords.
    // no docs
    query: String,
    /// How many articles to return.
    // mended: #[arg(default = 5, range = 1..=20)]
    #[arg(defualt = 5, range = 20..=1)]
    limit: u8,
    /// Where to look.
    // mended: place: (u8, u8),
    (shelf, row): (u8, u8),
    // mended: #[state] newest: &Article,
    newest: &Article,
// mended: ) -> String {
) -> impl Send {
    let _ = (query, limit, newest);
    String::new()
}

fn main() {
    let _ = search("a".to_owned(), 1, (1, 2), &Article);
}
