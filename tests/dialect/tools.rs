//! Tools of all shapes that a catalog must carry.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::testing::{Probe, Recorder};
use toolkit::{CallContext, Policy, ToolError, Toolkit, id, tool};

/// One condition on an article.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Filter {
    /// The field that is compared.
    field: Field,
    op: Op,
    /// Case counts.
    #[serde(default)]
    exact: bool,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    Title,
    /// Who wrote it.
    Author,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Op {
    Is { value: String },
    Between { from: u32, to: u32 },
}

/// A step with the steps below it.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Step {
    text: String,
    steps: Vec<Step>,
}

/// Search the help-desk knowledge base.
#[tool(name = "kb.search", risk = "read")]
async fn search(
    /// Keywords, e.g. `refund invoice`.
    query: &str,
    /// How many articles to return at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    /// All of these must hold.
    filters: Option<Vec<Filter>>,
    #[state] probe: &Probe,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    let filters = filters.map_or(0, |all| all.len());
    Ok(format!("{query}: {limit} articles, {filters} filters"))
}

/// Tell the time of the server's clock.
#[tool(name = "clock.now", risk = "read")]
async fn now(#[state] probe: &Probe) -> String {
    let _running = probe.enter();
    "12:00".to_owned()
}

/// Put labels on a ticket, whatever they are called.
#[tool(name = "ticket.label", risk = "write")]
async fn label(
    /// The labels with their values.
    labels: BTreeMap<String, String>,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{} labels", labels.len())
}

/// Write a checklist into a ticket.
#[tool(name = "ticket.plan", risk = "write")]
async fn plan(
    /// Name of the checklist.
    #[arg(length = 1..=40)]
    title: String,
    /// The first step.
    first: Step,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{title}: {} and {} below", first.text, first.steps.len())
}

/// Delete a ticket with its history.
#[tool(name = "ticket.delete", risk = "destructive")]
async fn delete(
    /// Number of the ticket.
    ticket: u64,
    #[state] probe: &Probe,
) -> Result<(), ToolError> {
    let _running = probe.enter();
    Err(ToolError::expected(format!("no ticket {ticket}")))
}

/// Do nothing for a very long time.
#[tool(name = "odd.sleep", risk = "read", timeout = "20ms")]
async fn sleep(#[state] probe: &Probe) {
    let _running = probe.enter();
    tokio::time::sleep(Duration::from_secs(60)).await;
}

/// Fail in a way that nobody expects.
#[tool(name = "odd.panic", risk = "read")]
async fn panic(#[state] probe: &Probe) {
    let _running = probe.enter();
    panic!("at no one's fault");
}

/// The toolkit of these tools, whose destructive calls are denied.
pub fn toolkit(probe: &Probe) -> Toolkit {
    Toolkit::builder()
        .only([id(search), id(now), id(label), id(plan), id(delete), id(sleep), id(panic)])
        .state(probe.clone())
        .policy(Policy::trusting())
        .approver(Recorder::denying())
        .build()
        .unwrap()
}

pub fn model() -> CallContext {
    CallContext::model().session("s-1")
}
