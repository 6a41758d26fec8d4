use toolkit::tool;

#[derive(serde::Serialize)]
struct Article {
    title: String,
}

/// Gives the newest articles.
#[tool(render = short)]
async fn newest() -> Result<Vec<Article>, String> {
    Ok(vec![Article { title: "New".to_owned() }])
}

// mended: fn short(articles: &Vec<Article>) -> String {
fn short(articles: &[Article]) -> String {
    articles.iter().map(|article| article.title.as_str()).collect()
}

fn main() {
    let _ = newest();
    assert_eq!(short(&vec![]), "");
}
