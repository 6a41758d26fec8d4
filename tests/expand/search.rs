/// What is searched.
pub struct KnowledgeBase;

/// What is found.
pub type Article = String;

/// Why nothing is found.
pub type KbError = String;

/// Search the help-desk knowledge base and return the most relevant articles.
///
/// Use it before answering a factual question. Not for looking up a customer.
#[toolkit::tool(name = "kb.search", risk = "read", flag = "knowledge_base", scopes = ["chat"])]
pub async fn search(
    /// Keywords, e.g. `refund invoice`.
    query: &str,
    /// How many articles to return at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    #[state] kb: &KnowledgeBase,
) -> Result<Vec<Article>, KbError> {
    let KnowledgeBase = kb;
    Ok(vec![format!("{limit} of {query}")])
}
