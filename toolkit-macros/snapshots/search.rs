/// Search the help-desk knowledge base and return the most relevant articles.
///
/// Use it before answering a factual question. Not for looking up a customer.
#[tool(name = "kb.search", risk = "read", flag = "knowledge_base", scopes = ["chat"])]
async fn search(
    /// Keywords, e.g. `refund invoice`.
    query: &str,
    /// How many articles to return at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    #[state] kb: &KnowledgeBase,
) -> Result<Vec<Article>, KbError> {
    kb.search(query, limit.into()).await
}
