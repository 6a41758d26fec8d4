//! Whether the descriptions of tools lead to the right one: tasks, each with the tool that it calls for,
//! put to a selector.

mod lexical;
mod model;
mod report;

use serde::Deserialize;

pub use lexical::Lexical;
pub use model::OpenAiChat;
pub use report::{Chosen, Outcome, Selection};

use super::script::ScriptError;
use crate::catalog::Catalog;
use crate::hook::{BoxFuture, HookError};

/// A task in a user's words, and the tool that it calls for.
///
/// ```
/// use toolkit::testing::Task;
///
/// let task = Task::new("Where is the refund policy?").expect("kb.search").never("ticket.delete");
/// assert_eq!(task.text(), "Where is the refund policy?");
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    #[serde(rename = "task")]
    text: String,
    #[serde(default)]
    expect: Option<String>,
    #[serde(default)]
    never: Vec<String>,
    #[serde(default)]
    margin: f64,
}

impl Task {
    /// A task that expects nothing yet: one for which no tool is right, unless one is named.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), expect: None, never: Vec::new(), margin: 0.0 }
    }

    /// Names the tool that is to be chosen.
    #[must_use]
    pub fn expect(mut self, tool: impl Into<String>) -> Self {
        self.expect = Some(tool.into());
        self
    }

    /// Names a tool that must not be chosen, whatever else is.
    #[must_use]
    pub fn never(mut self, tool: impl Into<String>) -> Self {
        self.never.push(tool.into());
        self
    }

    /// Sets by how much the first must lead the second, of its own score; 0 unless set, so that only a
    /// tie is too close. Held where the selector ranks.
    #[must_use]
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = margin;
        self
    }

    /// What is asked for.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tasks from JSONL: one object a line, empty lines apart.
    ///
    /// ```json
    /// {"task": "Where is the refund policy?", "expect": "kb.search", "never": ["ticket.delete"]}
    /// ```
    ///
    /// `expect`, `never` and `margin` may be left out.
    ///
    /// # Errors
    /// A line is no such object; the text names the line, and the author of the file mends it.
    pub fn from_jsonl(text: &str) -> Result<Vec<Self>, ScriptError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(at, line)| {
                let wrong = |source| ScriptError::Json { line: at + 1, source };
                serde_json::from_str(line).map_err(wrong)
            })
            .collect()
    }
}

/// A tool, and how well it fits a task, by whatever measure a selector has.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The tool's name.
    pub tool: String,
    /// The higher, the better; 0 is not at all.
    pub score: f64,
}

/// What a selector makes of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// The names of the tools that it would call, first the first.
    pub chosen: Vec<String>,
    /// The tools that fit, the best first, where the selector measures that.
    pub ranking: Vec<Ranked>,
}

/// Chooses a tool for a task.
pub trait Selector: Send + Sync {
    /// Chooses.
    ///
    /// # Errors
    /// It couldn't choose; the task then counts as failed, with this text.
    fn choose<'a>(
        &'a self,
        task: &'a str,
        catalog: &'a Catalog,
    ) -> BoxFuture<'a, Result<Choice, HookError>>;

    /// Chooses for each of several tasks over one catalog, in their order: one after another, unless a
    /// selector knows a shorter way to the same.
    fn choose_all<'a>(
        &'a self,
        tasks: &'a [&'a str],
        catalog: &'a Catalog,
    ) -> BoxFuture<'a, Vec<Result<Choice, HookError>>> {
        Box::pin(async move {
            let mut choices = Vec::with_capacity(tasks.len());
            for task in tasks {
                choices.push(self.choose(task, catalog).await);
            }
            choices
        })
    }
}

/// Puts tasks to a selector, one after another, over what a catalog shows.
///
/// ```
/// use toolkit::prelude::*;
/// use toolkit::testing::{Lexical, Task, select};
///
/// /// Search the knowledge base and return the most relevant articles.
/// #[tool(name = "kb.search")]
/// async fn search(
///     /// Keywords, e.g. `refund invoice`.
///     query: String,
/// ) -> String {
///     query
/// }
///
/// /// Tell the weather of a city for the next days.
/// #[tool(name = "weather.forecast")]
/// async fn forecast(
///     /// Name of the city, e.g. `Oslo`.
///     city: String,
/// ) -> String {
///     city
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let toolkit = Toolkit::builder().only([id(search), id(forecast)]).build().unwrap();
/// let catalog = toolkit.catalog(&CallContext::model());
/// let tasks = [
///     Task::new("Find the article about refunds").expect("kb.search"),
///     Task::new("Will it rain in Oslo? What is the weather?").expect("weather.forecast"),
/// ];
/// let selection = select(&Lexical::new(), &catalog, tasks).await;
/// assert!(selection.is_ok(), "{selection}");
/// # }
/// ```
pub async fn select(
    selector: &dyn Selector,
    catalog: &Catalog,
    tasks: impl IntoIterator<Item = Task>,
) -> Selection {
    let tasks: Vec<Task> = tasks.into_iter().collect();
    let texts: Vec<&str> = tasks.iter().map(Task::text).collect();
    let mut choices = selector.choose_all(&texts, catalog).await.into_iter();
    let judged = |task| {
        let none = || Err(HookError::from("the selector left it out"));
        Chosen::judged(task, choices.next().unwrap_or_else(none), catalog)
    };
    Selection::new(tasks.into_iter().map(judged).collect())
}
