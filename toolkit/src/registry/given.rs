//! Tools from a JSON Schema and a closure over JSON: for arguments whose type isn't known here.

use std::future::Future;
use std::time::Duration;

use serde_json::Value;

use super::TypedTool;
use crate::context::CallContext;
use crate::risk::RiskSet;
use crate::tool::{ToolFailure, ToolOutput};

/// A tool from a JSON Schema and a closure over the arguments as a [`Value`]; feature `jsonschema`.
///
/// For what is described elsewhere: imported, generated, configured. Where there is a type,
/// [`TypedTool`] is simpler. All else is as for any tool: the same gate, the same rules on arguments,
/// the same texts. The risk has no default.
///
/// **The schema** is of the draft that its `$schema` names (4, 6, 7, 2019-09, 2020-12), or of the last
/// of these. It is put into one form: the last draft, each reference to one of `$defs`, `title` and
/// other keywords that ask nothing left out. What it asks is checked by the crate `jsonschema`, and
/// before that by the checker that holds types, as far as that knows the keywords, so that a mistake
/// has the same text. It is refused, with the place in it, when the tool is built in or registered:
///
/// - what isn't valid as a schema, a draft that isn't known, a type that there is none of;
/// - a `$ref` out of it: to another document, by HTTP or from a file. Nothing is ever fetched;
///   `$dynamicRef`; a schema with an `$id` of its own that refers;
/// - a root that is no object. Without a `type` it is taken for one;
/// - a name in `required` that `properties` doesn't have, so that no call could fit;
/// - more than 20,000 values, 64 levels or 1 MiB of text; more than 1,000 schemas that look at one
///   value together, or one that refers to itself in place. Others may be recursive;
/// - a pattern with look-around or a back-reference: all are matched in linear time; one of more than
///   1 MiB compiled, or of more than its share of 64 MiB where there are many.
///
/// **Other names.** An object whose schema names its `properties` and says nothing of others takes no
/// others, so that an invented argument is refused and the nearest name told. It is closed at every
/// depth, as a type is, and the model is shown so. `"additionalProperties": true` opens it. The root is
/// closed even where it names nothing, unless it is a map: it has `additionalProperties`,
/// `unevaluatedProperties`, `propertyNames` or `minProperties`.
///
/// **Values.** `null` for what may be left out counts as left out, unless the schema allows `null`. A
/// whole number written `2.0` is read as 2 where an integer is asked for. A number that neither 64 bits
/// of an integer nor a float keep as it is written is refused. A `default` is told to the model and
/// never filled in: the closure sees what was sent. A policy's rules judge an argument that is left out
/// as its default, since that is what the closure, or whoever it asks, may take. A `format` of a text is
/// held where the draft 2020-12 has it (`date-time`, `email`, `uri`, `uuid` …; those of
/// internationalised names only with the crate's own feature `idna`), as are those that bound an integer
/// (`int32`). Any other is told and not held.
///
/// **Time.** Alternatives within each other multiply; arguments for which a check would ask more than
/// about a million schemas are refused as too intricate.
///
/// ```
/// use serde_json::{Value, json};
/// use toolkit::{CallContext, Risk, SchemaTool, ToolError, Toolkit};
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "customer": { "type": "integer", "minimum": 1 } },
///     "required": ["customer"],
/// });
/// let lookup = SchemaTool::new(
///     "crm.lookup",
///     "Look up a customer by number.",
///     Risk::Read,
///     schema,
///     |args: Value, _cx: CallContext| async move {
///         Ok::<_, ToolError>(format!("customer {}", args["customer"]))
///     },
/// );
/// let toolkit = Toolkit::builder().only([]).tool(lookup).build().unwrap();
/// assert_eq!(toolkit.tools().count(), 1);
/// ```
pub struct SchemaTool {
    tool: TypedTool,
}

impl SchemaTool {
    /// A tool that runs this closure with the arguments, once they fit the schema, and the call's own
    /// context.
    #[track_caller]
    pub fn new<F, Fut, T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        risk: impl Into<RiskSet>,
        schema: Value,
        run: F,
    ) -> Self
    where
        F: Fn(Value, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: ToolOutput + 'static,
        E: ToolFailure,
    {
        let (name, description) = (name.into(), description.into());
        Self { tool: TypedTool::given(&name, description, risk.into(), schema, run) }
    }
}

impl From<SchemaTool> for TypedTool {
    fn from(given: SchemaTool) -> Self {
        given.tool
    }
}

/// What may be said of the tool, with the words of [`TypedTool`].
macro_rules! said {
    ($($(#[$doc:meta])* $name:ident($value:ident: $of:ty);)*) => {
        impl SchemaTool {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(self, $value: $of) -> Self {
                    Self { tool: self.tool.$name($value) }
                }
            )*
        }
    };
}

said! {
    /// A short name for people.
    title(title: impl Into<String>);
    /// The feature flag that must be on for the tool to be visible.
    flag(flag: impl Into<String>);
    /// The scopes in any one of which the tool is visible.
    scopes(scopes: impl IntoIterator<Item = &'static str>);
    /// The hosts that the tool may reach; see [`TypedTool::hosts`].
    hosts(hosts: impl IntoIterator<Item = &'static str>);
    /// How long one run may take; `None`: without limit.
    timeout(timeout: impl Into<Option<Duration>>);
    /// How many calls of this tool may run at once; 0: no limit of its own.
    concurrency(calls: usize);
    /// Whether neighbouring calls in one turn may run side by side.
    parallel(parallel: bool);
    /// Whether a call whose outcome isn't known may run again; see [`TypedTool::idempotent`].
    idempotent(idempotent: bool);
    /// Whether calling it again and again is its use; see [`TypedTool::polling`].
    polling(polling: bool);
    /// Marks a property of the arguments as a URL whose host the gate checks.
    url(property: &'static str);
    /// Marks a property of the arguments, with all that is in it, as secret: it is kept out of every
    /// sink.
    secret(property: &'static str);
}
