use toolkit::tool;

// mended: #[derive(serde::Serialize)]
#[derive(Debug)]
struct Article;

/// Gives the newest articles.
#[tool]
async fn newest() -> Result<Vec<Article>, String> {
    Ok(vec![Article])
}

fn main() {
    let _ = newest();
}
