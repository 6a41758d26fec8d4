//! Calls of every tool, made from its own schema.

mod cases;
mod chance;
mod join;
mod make;
mod nested;
mod report;
mod schema;
mod strings;
mod vary;

use std::collections::BTreeMap;

use self::cases::{Case, cases};
use self::schema::Schema;
use crate::call::{Code, ToolCall};
use crate::catalog::CatalogTool;
use crate::context::CallContext;
use crate::explanation::Would;
use crate::pipeline::PAGES;
use crate::risk::{Risk, RiskSet};
use crate::toolkit::Toolkit;

pub use report::{SweepFault, Swept, SweptTool};

/// Calls every tool that a context sees with arguments made from the tool's own schema, to show that each
/// can be called with what it allows, and is not entered with what it doesn't.
///
/// Of what is allowed it tries the least that must be there and all that may be; then, each in turn, every
/// argument left out that may be, at the ends of its range and length, with every value of an enum, every
/// form of a union, its default and its examples; lists and nested types to a bound; and some by chance.
/// None of these may come to `invalid_arguments`, `malformed_arguments` or `defect`. Of what isn't allowed
/// it makes one mistake at a time: an argument that is missing, unknown, of a wrong type, out of its range
/// or length, none of its values, or against its pattern. Each must come to `invalid_arguments`.
///
/// **Only tools that do nothing but read are called.** Any other is [explained](Toolkit::explain), which
/// checks the arguments and judges the call, and runs no body and asks nobody; unless
/// [`Sweep::calling`] allows its level, for a test whose states stand in for the real ones. Hooks of the
/// host's run in either case.
///
/// The same seed makes the same calls, with the same version of this library. What a schema says in
/// keywords that aren't known here isn't tried, and the report says so. `output.read` is left out.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::testing::Sweep;
///
/// /// Search the knowledge base and return the most relevant articles.
/// #[tool(name = "kb.search", risk = "read")]
/// async fn search(
///     /// Keywords, e.g. `refund invoice`.
///     #[arg(length = 1..=200)]
///     query: String,
///     /// How many articles to return at most, e.g. `3`.
///     #[arg(default = 5, range = 1..=20)]
///     limit: u8,
/// ) -> String {
///     format!("{limit} articles about {query}")
/// }
///
/// /// Delete a ticket with its whole history.
/// #[tool(name = "ticket.delete", risk = "destructive")]
/// async fn delete(
///     /// Number of the ticket, e.g. `T-42`.
///     #[arg(pattern = "^T-[0-9]{1,6}$")]
///     ticket: String,
/// ) -> String {
///     unreachable!("{ticket}: it is only explained")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let toolkit = Toolkit::builder().only([id(search), id(delete)]).build().unwrap();
/// let swept = Sweep::new().seed(7).run(&toolkit, &CallContext::human()).await;
/// swept.assert_ok();
/// assert!(swept.tools().iter().all(|tool| tool.skipped.is_empty()), "{swept}");
/// let search = swept.tool("kb.search").unwrap();
/// assert!(search.called && search.valid["ok"] > 8 && search.mistaken["invalid_arguments"] > 5);
/// assert!(!swept.tool("ticket.delete").unwrap().called);
/// # }
/// ```
///
/// A context without a session is the one to give: what a session has called before can stop a call
/// before its arguments are looked at.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Sweep {
    seed: u64,
    most: usize,
    called: RiskSet,
}

impl Default for Sweep {
    fn default() -> Self {
        Self::new()
    }
}

impl Sweep {
    /// A sweep that calls what only reads, with at most 200 calls of each kind a tool, and seed 0.
    pub fn new() -> Self {
        Self { seed: 0, most: 200, called: RiskSet::READ }
    }

    /// Sets what chance begins with.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how many calls with allowed arguments, and how many with a mistake, are made of each tool at
    /// most. Where there would be more, the seed chooses, and the report says how many are left out.
    pub fn most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Allows tools of this level to be called too. A tool of several levels needs all of them.
    pub fn calling(mut self, risk: Risk) -> Self {
        self.called = self.called.with(risk);
        self
    }

    /// Makes the calls, one after another.
    ///
    /// # Cancellation
    /// As for [`Toolkit::call`].
    pub async fn run(&self, toolkit: &Toolkit, context: &CallContext) -> Swept {
        let catalog = toolkit.catalog(context);
        let mut tools = Vec::new();
        for tool in catalog.tools().filter(|tool| tool.spec().name() != PAGES) {
            tools.push(self.tool(toolkit, context, tool).await);
        }
        Swept { seed: self.seed, tools }
    }

    async fn tool(
        &self,
        toolkit: &Toolkit,
        context: &CallContext,
        tool: CatalogTool<'_>,
    ) -> SweptTool {
        let spec = tool.spec();
        let mut swept = SweptTool {
            tool: spec.name().to_owned(),
            called: spec.risk().iter().all(|risk| self.called.contains(risk)),
            valid: BTreeMap::new(),
            mistaken: BTreeMap::new(),
            faults: Vec::new(),
            skipped: Vec::new(),
        };
        let root = match tool.parameters() {
            Ok(root) => root.clone(),
            Err(why) => {
                swept.skipped.push(format!("it has no schema: {why}"));
                return swept;
            }
        };
        let all = cases(&Schema::new(root), self.seed, self.most);
        swept.skipped = all.skipped;
        for (valid, cases) in [(true, &all.valid), (false, &all.mistaken)] {
            for case in cases {
                self.case(toolkit, context, &mut swept, valid, case).await;
            }
        }
        swept
    }

    async fn case(
        &self,
        toolkit: &Toolkit,
        context: &CallContext,
        swept: &mut SweptTool,
        valid: bool,
        case: &Case,
    ) {
        let call = ToolCall::new(swept.tool.as_str(), case.text.as_str());
        let (code, came_to, text) = if swept.called {
            let reply = toolkit.call(context, call).await;
            (Some(reply.code()), reply.code().as_str(), reply.into_text())
        } else {
            let explained = toolkit.explain(context, call).await;
            let code = match explained.would {
                Would::Refuse(code) => Some(code),
                _ => None,
            };
            let came_to = code.map_or(explained.would.as_str(), Code::as_str);
            (code, came_to, explained.reply.unwrap_or_default())
        };
        let counts = if valid { &mut swept.valid } else { &mut swept.mistaken };
        *counts.entry(came_to).or_default() += 1;
        let refused = matches!(code, Some(Code::InvalidArguments | Code::MalformedArguments));
        let fault = match valid {
            true => refused || code == Some(Code::Defect),
            // These come before the arguments are looked at.
            false => !refused && !matches!(code, Some(Code::LoopStopped | Code::Busy)),
        };
        if fault {
            let (what, arguments) = (case.what.clone(), case.text.clone());
            swept.faults.push(SweepFault { valid, what, arguments, came_to, text });
        }
    }
}
