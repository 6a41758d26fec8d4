//! A tool: its spec, its typed parameters, and the function that makes a body ready to run. This is
//! where an expansion meets the engine; nothing here knows a registry or a policy.

mod commit;
mod returned;

use std::any::{Any, TypeId};
use std::cell::OnceCell;
use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};

pub use commit::{
    Commit, CommitFacts, CommitOf, CommitSpec, Committer, DraftValue, SendOutput, commit, sending,
};
pub use returned::{Outlet, ToolFailure, ToolOutput, probe};

use crate::context::{CallContext, Dispatch};
use crate::draft::Delivery;
use crate::hosts::Hosts;
use crate::output::Outcome;
use crate::param::{Args, Parameter, Unfit};
use crate::spec::{StateSpec, ToolSpec};

/// A body with its arguments decoded; begun only after the gate.
pub enum Body {
    /// To be polled on the caller's task.
    Future(Running),
    /// To be run on a thread. Boxed once more, so that the common body stays small.
    Job(Box<Job>),
}

/// A body that is polled.
pub type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A body that runs to its end.
pub type Job = Box<dyn FnOnce() -> Outcome + Send>;

/// What `prepare` gives.
pub type Prepared = Result<Body, Refused>;

/// Why `prepare` gave no body.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The arguments; the explaining pass says what is wrong with them.
    Arguments,
    /// No value of this type was put into the context.
    Context(&'static str),
    /// No state of this type is held for the tool.
    State(&'static str),
}

impl From<Unfit> for Refused {
    fn from(_: Unfit) -> Self {
        Self::Arguments
    }
}

/// The function of an annotated tool that decodes the arguments and returns the body.
pub type Prepare = fn(&mut Args<'_>, &Call<'_>) -> Prepared;

/// The function of an annotated tool that gives the schema of its result, if there is one.
pub type OutputSchema = fn(&mut SchemaGenerator) -> Option<Schema>;

/// That of a result without one.
pub const NO_SCHEMA: OutputSchema = |_| None;

/// What a type must be for a body to borrow a value of it.
///
/// Implemented for every `T: Send + Sync + 'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared with a tool",
    label = "a body may run on any thread",
    note = "a toolset, `#[state]` and `#[context]` need a type that is `Send + Sync + 'static`"
)]
pub trait Shared: Any + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: Any + Send + Sync> Shared for T {}

/// What a body may borrow from its call.
pub struct Call<'a> {
    pub(crate) states: &'a [Arc<dyn Any + Send + Sync>],
    pub(crate) context: &'a CallContext,
    pub(crate) dispatch: &'a dyn Fn() -> Arc<dyn Dispatch>,
    /// The number of a tool that has a limit of its own.
    pub(crate) limited: Option<usize>,
    pub(crate) own: OnceCell<CallContext>,
    /// What a person confirmed; none for the call of a tool.
    pub(crate) delivery: Option<&'a Delivery>,
    pub(crate) hint: u32,
    /// The longest output, in MiB.
    pub(crate) most: u32,
    /// Where the tool may reach.
    pub(crate) hosts: &'a Hosts,
}

impl Call<'_> {
    /// The state at this place of the spec's list.
    ///
    /// # Errors
    /// [`Refused::State`] where the registry holds none, which `build()` rules out.
    pub fn state<T: Shared>(&self, index: usize) -> Result<Held<T>, Refused> {
        self.own(index)
    }

    /// The same, for the value of a toolset, whose type is known to be one that can be shared.
    ///
    /// # Errors
    /// As for [`Call::state`].
    pub fn own<T: Any>(&self, index: usize) -> Result<Held<T>, Refused> {
        self.states
            .get(index)
            .and_then(Held::new)
            .ok_or_else(|| Refused::State(std::any::type_name::<T>()))
    }

    /// The value of this type that the host put into the context; a [`CallContext`] is the body's
    /// own: its calls are nested in this one.
    ///
    /// # Errors
    /// [`Refused::Context`] where the host put none.
    pub fn context<T: Shared>(&self) -> Result<Held<T>, Refused> {
        let value = if TypeId::of::<T>() == TypeId::of::<CallContext>() {
            let own = self.own.get_or_init(|| {
                self.context.nested((self.dispatch)(), self.limited, self.most, self.hosts)
            });
            Held::new(&(Arc::new(own.clone()) as Arc<dyn Any + Send + Sync>))
        } else {
            self.context.value(TypeId::of::<T>()).and_then(Held::new)
        };
        value.ok_or_else(|| Refused::Context(std::any::type_name::<T>()))
    }

    /// Where the body's result goes.
    pub fn outlet(&self) -> Outlet {
        Outlet::new(self.hint, self.most)
    }
}

/// A shared value of a known type, lent to a body.
pub struct Held<T> {
    value: Arc<dyn Any + Send + Sync>,
    of: PhantomData<fn() -> T>,
}

impl<T: Any> Held<T> {
    fn new(value: &Arc<dyn Any + Send + Sync>) -> Option<Self> {
        value.is::<T>().then(|| Self { value: Arc::clone(value), of: PhantomData })
    }
}

impl<T: Any> Deref for Held<T> {
    type Target = T;
    #[allow(clippy::expect_used)]
    fn deref(&self) -> &T {
        // `new` is the only constructor and has looked at the type.
        self.value.downcast_ref().expect("a held value has its type")
    }
}

/// Makes a future a body, for an `async fn` that borrows.
///
/// # Errors
/// None, here and below; the type is that of `prepare`.
pub fn body<F: Future<Output = Outcome> + Send + 'static>(future: F) -> Prepared {
    Ok(Body::Future(Box::pin(future)))
}

/// Makes a body of what calls an `async fn` that owns its arguments, and of what writes its result
/// down. The future is written here, since one in each tool is a sixth of what a tool costs to
/// compile.
pub fn run<F: Future + Send + 'static>(
    call: impl FnOnce() -> F + Send + 'static,
    end: impl FnOnce(F::Output) -> Outcome + Send + 'static,
) -> Prepared {
    body(async move { end(call().await) })
}

/// Makes a body of what calls a plain `fn`, in place.
pub fn plain(call: impl FnOnce() -> Outcome + Send + 'static) -> Prepared {
    body(async move { call() })
}

/// Makes a body of what calls a plain `fn`, on a thread.
pub fn blocking(call: impl FnOnce() -> Outcome + Send + 'static) -> Prepared {
    Ok(Body::Job(Box::new(Box::new(call))))
}

/// The identity of a function: a tool is named in code by its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolId {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
}

/// The identity of this function, for [`Builder::only`](crate::Builder::only).
pub fn id<F: 'static>(_: F) -> ToolId {
    ToolId { id: TypeId::of::<F>(), name: std::any::type_name::<F>() }
}

/// What gives the identity of this function.
pub const fn identity<F: Copy + 'static>(_: F) -> fn() -> ToolId {
    || ToolId { id: TypeId::of::<F>(), name: std::any::type_name::<F>() }
}

/// A state of this type.
pub const fn state<T: 'static>() -> StateSpec {
    StateSpec { id: TypeId::of::<T>, type_name: std::any::type_name::<T> }
}

/// One annotated tool, as its expansion submits it.
#[derive(Clone, Copy)]
pub struct Registration {
    pub(crate) spec: &'static ToolSpec,
    pub(crate) parameters: &'static [&'static dyn Parameter],
    pub(crate) id: fn() -> ToolId,
    pub(crate) prepare: Prepare,
    pub(crate) output: fn(&mut SchemaGenerator) -> Option<Schema>,
    /// What delivers its drafts, where it sends.
    pub(crate) commit: Option<CommitOf>,
}

/// Puts the parts of a registration together.
pub const fn registration(
    spec: &'static ToolSpec,
    parameters: &'static [&'static dyn Parameter],
    id: fn() -> ToolId,
    prepare: Prepare,
    output: fn(&mut SchemaGenerator) -> Option<Schema>,
) -> Registration {
    Registration { spec, parameters, id, prepare, output, commit: None }
}

inventory::collect!(Registration);
