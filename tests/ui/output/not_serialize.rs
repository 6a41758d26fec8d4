use toolkit::tool;

// mended: #[derive(serde::Serialize)]
#[derive(Debug)]
struct Article;

/// Gives the newest article.
#[tool]
fn newest() -> Article {
    Article
}

fn main() {
    let _ = newest();
}
