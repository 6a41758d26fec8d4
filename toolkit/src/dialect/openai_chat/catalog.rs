//! The catalog as the API takes it.

use super::super::loss::{Loss, LossKind};
use super::super::openai_schema::lower;
use crate::catalog::{Catalog, WireText};
use crate::json::string;

/// How many tools the API takes in one request.
pub(crate) const MAX_TOOLS: usize = 128;

/// How long a description may be, by the API's older word; newer ones state no limit.
pub(super) const MAX_DESCRIPTION: usize = 1_024;

impl Catalog {
    /// The catalog as OpenAI's Chat Completions API takes it in `tools`, made once and shared.
    ///
    /// ```json
    /// [{"type": "function", "function": {"name": "kb__search", "description": "…", "strict": true,
    ///   "parameters": {"type": "object", "properties": {"query": {"type": "string"},
    ///     "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 20}},
    ///     "required": ["query", "limit"], "additionalProperties": false}}}]
    /// ```
    ///
    /// In order of names; parameters in declared order; the same bytes for the same tools. Where an
    /// API wants no `tools` at all for an empty catalog, ask [`Catalog::is_empty`].
    pub fn openai_chat(&self) -> WireText {
        self.rendering("openai_chat", |catalog| {
            let tools =
                || catalog.tools().filter_map(|t| Some((t.spec(), t.parameters_text().ok()?)));
            // Lowering adds little to a schema.
            let sizes =
                tools().map(|(spec, text)| 192 + spec.description().len() + text.len() / 8 * 9);
            let mut out = String::with_capacity(sizes.sum());
            out.push('[');
            for (i, (spec, schema)) in tools().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                offer(spec.wire_name(), spec.description(), schema, &mut out);
            }
            out.push(']');
            out
        })
    }

    /// What [`Catalog::openai_chat`] doesn't hand on as declared: tools that aren't strict,
    /// constraints that are only described, limits that are exceeded. Nothing of it is cut; a host
    /// that wants none asserts that the list is empty.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use toolkit::{CallContext, Risk, ToolError, Toolkit, TypedTool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Label {
    ///     /// The labels with their values.
    ///     labels: BTreeMap<String, String>,
    /// }
    ///
    /// let label = TypedTool::new(
    ///     "ticket.label",
    ///     "Put labels on a ticket.",
    ///     Risk::Read,
    ///     |args: Label, _| async move {
    ///         Ok::<_, ToolError>(format!("{} labels", args.labels.len()))
    ///     },
    /// );
    /// let toolkit = Toolkit::builder().only([]).tool(label).build()?;
    /// let losses = toolkit.catalog(&CallContext::model()).openai_chat_losses();
    /// assert_eq!(
    ///     losses[0].to_string(),
    ///     "ticket.label: labels: not strict: a map whose keys are open (`additionalProperties`)"
    /// );
    /// # Ok::<(), toolkit::BuildError>(())
    /// ```
    pub fn openai_chat_losses(&self) -> Vec<Loss> {
        let mut losses = Vec::new();
        let count = self.tools().len();
        if count > MAX_TOOLS {
            losses.push(Loss::new(
                LossKind::Limit,
                "",
                format!("{count} tools, at most {MAX_TOOLS}"),
            ));
        }
        for tool in self.tools() {
            let spec = tool.spec();
            let found = match tool.parameters_text() {
                Ok(schema) => lower(schema).losses,
                Err(why) => vec![Loss::new(LossKind::LeftOut, "", why)],
            };
            losses.extend(found.into_iter().map(|loss| loss.of(spec.name())));
            let length = spec.description().chars().count();
            if length > MAX_DESCRIPTION {
                let reason =
                    format!("a description of {length} characters, at most {MAX_DESCRIPTION}");
                losses.push(Loss::new(LossKind::Limit, "", reason).of(spec.name()));
            }
        }
        losses
    }
}

/// Appends one tool as the API takes it.
fn offer(name: &str, description: &str, schema: &str, out: &mut String) {
    let lowered = lower(schema);
    out.push_str(r#"{"type":"function","function":{"name":"#);
    string(name, out);
    out.push_str(r#","description":"#);
    string(description, out);
    out.push_str(r#","strict":"#);
    out.push_str(if lowered.strict { "true" } else { "false" });
    out.push_str(r#","parameters":"#);
    lowered.write(out);
    out.push_str("}}");
}

/// How many bytes a tool takes in a request; none where it isn't offered.
#[cfg(feature = "testing")]
pub(crate) fn size(tool: &crate::Tool) -> usize {
    let Ok(schema) = tool.parameters_schema() else { return 0 };
    let mut out = String::new();
    offer(tool.wire_name(), tool.description(), schema, &mut out);
    out.len()
}

#[cfg(test)]
pub(super) fn offer_of(
    name: &str,
    description: &str,
    schema: &serde_json::Value,
) -> serde_json::Value {
    let mut out = String::new();
    offer(name, description, &schema.to_string(), &mut out);
    serde_json::from_str(&out).unwrap()
}
