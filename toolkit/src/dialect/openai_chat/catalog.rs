//! The catalog as the API takes it.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::super::loss::{Loss, LossKind};
use super::super::openai_schema::{Fields, Lowered, lower};
use crate::catalog::{Catalog, CatalogTool, WireText};

/// How many tools the API takes in one request.
pub(super) const MAX_TOOLS: usize = 128;

/// How long a description may be, by the API's older word; newer ones state no limit.
pub(super) const MAX_DESCRIPTION: usize = 1_024;

#[derive(Serialize)]
struct Offer<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    strict: bool,
    parameters: &'a Fields,
}

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
            let lowered: Vec<_> =
                catalog.tools().filter_map(|tool| Some((tool, lower_tool(tool).ok()?))).collect();
            let offers: Vec<_> =
                lowered.iter().map(|(tool, lowered)| offer(tool, lowered)).collect();
            // Writing strings and string-keyed maps to memory has no way to fail.
            serde_json::to_string(&offers).unwrap_or_else(|_| "[]".to_owned())
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
            let found = match lower_tool(tool) {
                Ok(lowered) => lowered.losses,
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

fn lower_tool(tool: CatalogTool<'_>) -> Result<Lowered, String> {
    let declared = serde_json::from_str::<Declared>(tool.parameters_text()?);
    let order = declared.map(|declared| declared.properties.0).unwrap_or_default();
    let order: Vec<&str> = order.iter().map(String::as_str).collect();
    Ok(lower(tool.parameters()?, &order))
}

/// The names of the parameters as the schema's text orders them; a value may have sorted them.
#[derive(Deserialize)]
struct Declared {
    properties: Keys,
}

struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = members.next_entry()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}

fn offer<'a>(tool: &CatalogTool<'a>, lowered: &'a Lowered) -> Offer<'a> {
    let spec = tool.spec();
    Offer::new(spec.wire_name(), spec.description(), lowered)
}

impl<'a> Offer<'a> {
    fn new(name: &'a str, description: &'a str, lowered: &'a Lowered) -> Self {
        let Lowered { strict, parameters, .. } = lowered;
        let function = Function { name, description, strict: *strict, parameters };
        Self { r#type: "function", function }
    }
}

#[cfg(test)]
pub(super) fn offer_of(
    name: &str,
    description: &str,
    schema: &serde_json::Value,
) -> serde_json::Value {
    let lowered = lower(schema, &[]);
    serde_json::to_value(Offer::new(name, description, &lowered)).unwrap()
}
