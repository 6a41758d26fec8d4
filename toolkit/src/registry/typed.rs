//! Tools from closures: the same contract as an annotated function, stated by hand.

use std::borrow::Cow;
use std::future::Future;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use super::entry::{MakeContract, Typed};
use crate::context::CallContext;
use crate::name::{self, Name};
use crate::output::Outcome;
use crate::param::{Args, ToolParameter, Unfit};
use crate::risk::RiskSet;
use crate::schema::{Contract, ContractError};
use crate::spec::{DEFAULT_TIMEOUT, Errors, ParamSpec, Source, ToolSpec};
use crate::tool::{Outlet, ToolFailure, ToolOutput, body};

/// A tool from a closure over one typed argument object.
///
/// The argument type's JSON Schema is the tool's: it must be an object. The risk has no default;
/// what can't be seen must be stated. What the attribute checks at compile time is checked when the
/// tool is built in or registered.
///
/// Of an error that isn't a [`ToolError`](crate::ToolError), the operator is told the text, and its
/// causes only if it is a `Box<dyn Error + Send + Sync>`: the type alone doesn't say that it has any.
/// Let `?` turn others into a `ToolError`, which keeps them all.
///
/// ```
/// use toolkit::{CallContext, Risk, ToolError, Toolkit, TypedTool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Lookup {
///     /// Number of the customer.
///     customer: u32,
/// }
///
/// let lookup = TypedTool::new(
///     "crm.lookup",
///     "Look up a customer by number.",
///     Risk::Read,
///     |args: Lookup, _cx: CallContext| async move {
///         Ok::<_, ToolError>(format!("customer {}", args.customer))
///     },
/// );
/// let toolkit = Toolkit::builder().only([]).tool(lookup).build().unwrap();
/// assert_eq!(toolkit.tools().count(), 1);
/// ```
pub struct TypedTool {
    parts: Typed,
}

/// How a closure comes by its arguments.
struct Way<A> {
    contract: Box<MakeContract>,
    read: fn(&mut Args<'_>) -> Result<A, Unfit>,
}

impl TypedTool {
    /// A tool that runs this closure with the decoded arguments and the call's own context.
    #[track_caller]
    pub fn new<A, F, Fut, T, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        risk: impl Into<RiskSet>,
        run: F,
    ) -> Self
    where
        A: ToolParameter,
        F: Fn(A, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: ToolOutput + 'static,
        E: ToolFailure,
    {
        let (name, contract) = (name.into(), Box::new(Contract::of_type::<A>));
        let way = Way { contract, read: |args| args.typed::<A>() };
        Self::ending(&name, description.into(), risk.into(), way, run, |out, result| {
            out.reply(result, None)
        })
    }

    /// The same over a value that fits a schema.
    #[cfg(feature = "jsonschema")]
    #[track_caller]
    pub(super) fn given<F, Fut, T, E>(
        name: &str,
        description: String,
        risk: RiskSet,
        schema: serde_json::Value,
        run: F,
    ) -> Self
    where
        F: Fn(serde_json::Value, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: ToolOutput + 'static,
        E: ToolFailure,
    {
        let contract = Box::new(move || Contract::of_given(&schema));
        let way = Way { contract, read: |args| args.given() };
        Self::ending(name, description, risk, way, run, |out, result| out.reply(result, None))
    }

    /// The same for the library's own tools, with a text of the author's own in place of the value's.
    #[track_caller]
    pub(crate) fn rendered<A, F, Fut, T, E>(
        name: &str,
        description: &str,
        contract: fn() -> Result<Contract, ContractError>,
        run: F,
        render: fn(&T) -> String,
    ) -> Self
    where
        A: ToolParameter,
        F: Fn(A, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: ToolOutput + 'static,
        E: ToolFailure,
    {
        let end = move |out: Outlet, result| out.rendered(result, None, render);
        let way = Way { contract: Box::new(contract), read: |args| args.typed::<A>() };
        Self::ending(name, description.to_owned(), RiskSet::READ, way, run, end)
    }

    #[track_caller]
    fn ending<A, F, Fut>(
        name: &str,
        description: String,
        risk: RiskSet,
        way: Way<A>,
        run: F,
        end: impl Fn(Outlet, Fut::Output) -> Outcome + Copy + Send + Sync + 'static,
    ) -> Self
    where
        A: Send + 'static,
        F: Fn(A, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
    {
        let Way { contract, read } = way;
        let place = Location::caller();
        let spec = ToolSpec {
            wire: Name::shared(&name::wire_name(name)),
            name: Name::shared(name),
            title: None,
            description: Cow::Owned(description),
            risk,
            flag: None,
            scopes: Cow::Borrowed(&[]),
            hosts: Cow::Borrowed(&[]),
            timeout: Some(DEFAULT_TIMEOUT),
            concurrency: None,
            parallel: false,
            session: false,
            idempotent: false,
            polling: false,
            blocking: None,
            risk_assumed: false,
            in_place: false,
            errors: Errors::Hide,
            parameters: Cow::Borrowed(&[]),
            states: &[],
            source: Source::new(place.file(), place.line(), "closure"),
        };
        let captures = size_of::<F>() > 0;
        let run = Arc::new(run);
        let prepare = move |args: &mut Args<'_>, call: &crate::tool::Call<'_>| {
            let arguments = read(args)?;
            let own = CallContext::clone(&*call.context::<CallContext>()?);
            let out = call.outlet();
            let run = Arc::clone(&run);
            // The closure itself is entered only here, after the gate: it may do more than make a
            // future.
            body(async move { end(out, run(arguments, own).await) })
        };
        Self { parts: Typed { spec, prepare: Box::new(prepare), contract, captures } }
    }

    pub(super) fn into_parts(self) -> Box<Typed> {
        Box::new(self.parts)
    }

    /// A short name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.parts.spec.title = Some(Cow::Owned(title.into()));
        self
    }

    /// The feature flag that must be on for the tool to be visible.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.parts.spec.flag = Some(Cow::Owned(flag.into()));
        self
    }

    /// The scopes in any one of which the tool is visible.
    #[must_use]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = &'static str>) -> Self {
        self.parts.spec.scopes = Cow::Owned(scopes.into_iter().collect());
        self
    }

    /// The hosts that the tool may reach; see [`Builder::hosts`](crate::Builder::hosts). A network tool
    /// with none, here or there, is a problem when it is built in or registered.
    #[must_use]
    pub fn hosts(mut self, hosts: impl IntoIterator<Item = &'static str>) -> Self {
        self.parts.spec.hosts = Cow::Owned(hosts.into_iter().collect());
        self
    }

    /// How long one run may take; `None`: without limit.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.parts.spec.timeout = timeout.into();
        self
    }

    /// How many calls of this tool may run at once; 0: no limit of its own.
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.parts.spec.concurrency = (calls > 0).then_some(calls);
        self
    }

    /// Whether neighbouring calls in one turn may run side by side.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.parts.spec.parallel = parallel;
        self
    }

    /// Whether a call whose outcome isn't known may run again, since a second run under the same
    /// [`call_id`](CallContext::call_id) has no second effect.
    #[must_use]
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.parts.spec.idempotent = idempotent;
        self
    }

    /// Whether calling it again and again is its use, so that no repeated failure of it is taken for a
    /// loop; see [`Builder::loop_guard`](crate::Builder::loop_guard).
    #[must_use]
    pub fn polling(mut self, polling: bool) -> Self {
        self.parts.spec.polling = polling;
        self
    }

    /// Marks a property of the argument object as a URL whose host the gate checks.
    #[must_use]
    pub fn url(self, property: &'static str) -> Self {
        self.mark(property, |p| p.url = true)
    }

    /// Marks a property of the argument object as secret: it is kept out of every sink.
    #[must_use]
    pub fn secret(self, property: &'static str) -> Self {
        self.mark(property, |p| p.secret = true)
    }

    /// Makes the tool visible in sessions alone.
    pub(crate) fn of_sessions(mut self) -> Self {
        self.parts.spec.session = true;
        self
    }

    fn mark(mut self, property: &'static str, mark: impl FnOnce(&mut ParamSpec)) -> Self {
        let marked = self.parts.spec.parameters.to_mut();
        if let Some(held) = marked.iter_mut().find(|p| p.name == property) {
            mark(held);
        } else {
            let mut added = ParamSpec::new(property, "");
            mark(&mut added);
            marked.push(added);
        }
        self
    }
}
