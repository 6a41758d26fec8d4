//! The knowledge base: articles, and full-text search over them.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::SqlitePool;
use toolkit::prelude::*;

use super::database::Database;

/// The articles of the desk.
#[derive(Clone, Debug)]
pub struct KnowledgeBase {
    pool: SqlitePool,
}

/// One article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Article {
    /// Number of the article.
    id: i64,
    /// Its title.
    title: String,
    /// Its whole text.
    body: String,
}

impl KnowledgeBase {
    /// The knowledge base of this database.
    pub fn new(database: &Database) -> Self {
        Self { pool: database.pool().clone() }
    }

    /// The articles that match any of the words, the best first; ties in order of their numbers.
    ///
    /// # Errors
    /// What SQLite says.
    ///
    /// # Cancellation
    /// Only reads.
    async fn search(&self, words: &str, limit: u8) -> Result<Vec<Article>, sqlx::Error> {
        let search = "select article.id, article.title, article.body \
                      from article_text join article on article.id = article_text.rowid \
                      where article_text match ? \
                      order by bm25(article_text, 4.0, 1.0), article.id limit ?";
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as(search).bind(words).bind(limit).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(|(id, title, body)| Article { id, title, body }).collect())
    }
}

/// The words of a text as an FTS5 query for any of them; `None` if it has none.
///
/// Each word stands in quotes: bare, FTS5 would read `AND`, `-`, `*` or `title:` as its own.
fn any_word(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let quoted: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

/// Search the help-desk knowledge base and return the most relevant articles, best first.
///
/// Use it before answering a question about our rules, or how refunds, payments, invoices and accounts
/// work. Not for one customer's own matter: that is `session.fetch`.
#[tool(name = "kb.search", risk = "read", flag = "knowledge_base", scopes = ["chat"])]
pub async fn search(
    /// Keywords in English, e.g. `refund invoice`. Any of them may match, in any form and order.
    #[arg(length = 1..=200)]
    query: &str,
    /// How many articles to return at most, e.g. `3`.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    #[state] kb: &KnowledgeBase,
) -> Result<Vec<Article>, ToolError> {
    let Some(words) = any_word(query) else {
        return Err(ToolError::expected(
            "`query` has no word in it; give one or more keywords, e.g. `refund invoice`",
        ));
    };
    Ok(kb.search(&words, limit).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        assert_eq!(any_word("refund  invoice").unwrap(), r#""refund" OR "invoice""#);
        assert_eq!(any_word(r#"title:a* NOT "b"#).unwrap(), r#""title" OR "a" OR "NOT" OR "b""#);
        assert_eq!(any_word("--- \"\" *"), None);
    }

    #[tokio::test]
    async fn the_best_article_is_first() {
        let kb = KnowledgeBase::new(&Database::in_memory().await.unwrap());
        let found = |text: &'static str| async {
            let words = any_word(text).unwrap();
            kb.search(&words, 2).await.unwrap().iter().map(|article| article.id).collect::<Vec<_>>()
        };
        let ids = found("refunding invoices paid twice").await;
        assert_eq!((ids[0], ids.len()), (1, 2));
        assert!(found("zebra").await.is_empty());
    }
}
