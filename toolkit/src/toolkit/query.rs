//! The tools of a set, as a host looks at them.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::registry::Entry;
use crate::risk::Risk;
use crate::spec::ToolSpec;

/// A tool of the set; derefs to its [`ToolSpec`].
#[derive(Clone)]
pub struct Tool(Arc<Entry>);

impl std::ops::Deref for Tool {
    type Target = ToolSpec;
    fn deref(&self) -> &ToolSpec {
        self.0.spec()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Tool {
    pub(super) fn new(entry: Arc<Entry>) -> Self {
        Self(entry)
    }

    /// The JSON Schema of the arguments as text.
    ///
    /// # Errors
    /// The schema of a parameter's type uses a keyword that can't be checked.
    pub fn parameters_schema(&self) -> Result<&str, String> {
        self.0.contract().map(|contract| contract.text()).map_err(ToString::to_string)
    }

    /// The JSON Schema of the result, where its type has one.
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.contract().ok().and_then(|contract| contract.output())
    }
}

/// The tools of a set, in order of names, to be narrowed down.
#[derive(Clone)]
pub struct ToolQuery {
    tools: std::vec::IntoIter<Arc<Entry>>,
}

impl ToolQuery {
    pub(super) fn of(entries: Vec<Arc<Entry>>) -> Self {
        Self { tools: entries.into_iter() }
    }

    pub(super) fn keep(self, keep: impl Fn(&ToolSpec) -> bool) -> Self {
        let kept: Vec<_> = self.tools.filter(|entry| keep(entry.spec())).collect();
        Self { tools: kept.into_iter() }
    }

    /// Only those of this domain.
    #[must_use]
    pub fn domain(self, domain: &str) -> Self {
        self.keep(|spec| spec.domain() == Some(domain))
    }

    /// Only those that declare this level.
    #[must_use]
    pub fn risk(self, risk: Risk) -> Self {
        self.keep(|spec| spec.risk().contains(risk))
    }

    /// Only those that are visible in this scope, as far as scopes go.
    #[must_use]
    pub fn scope(self, scope: &str) -> Self {
        self.keep(|spec| spec.scopes().is_empty() || spec.scopes().contains(&scope))
    }
}

impl Iterator for ToolQuery {
    type Item = Tool;
    fn next(&mut self) -> Option<Tool> {
        self.tools.next().map(Tool)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.tools.size_hint()
    }
}

impl ExactSizeIterator for ToolQuery {}

impl fmt::Debug for ToolQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
