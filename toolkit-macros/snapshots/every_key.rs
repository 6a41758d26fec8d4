#[cfg(feature = "tickets")]
#[allow(clippy::too_many_arguments)]
#[expect(deprecated)]
#[tool(
    name = "ticket.create",
    title = "Create a ticket",
    description = DESCRIPTION,
    risk = ["write", "network"],
    flag = "tickets",
    scopes = ["chat", "mail"],
    hosts = ["example.com", "localhost:8080"],
    timeout = "1500ms",
    concurrency = 2,
    parallel,
    idempotent,
    polling,
    errors = "show",
    render = Ticket::line,
    crate = crate::vendored::toolkit,
)]
pub async fn create(
    /// Whom to notify.
    #[arg(rename = "notify", alias = ["watcher", "cc"], default = "nobody", length = 1..=80)]
    r#type: Option<&str>,
    /// Labels,
    /// one each.
    #[arg(default, length = ..5, example = vec!["bug".to_owned()])]
    labels: &[String],
    #[arg(range = -1.0..LIMIT, default = 1.0)]
    #[doc = concat!("Weight, ", "from -1.")]
    weight: f64,
    /// A token.
    #[arg(secret, pattern = "^[a-z]+$")]
    token: String,
    /// Where it came from.
    #[arg(url)]
    source: String,
    #[state] desk: &Desk,
    #[context] agent: &Agent,
    #[state] clock: &Clock,
) -> Ticket {
    body()
}
