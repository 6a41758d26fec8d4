//! What a body returns, whatever its type: split into success and failure, serialised at once.

use std::any::Any;
use std::error::Error;
use std::fmt::Display;

use serde::Serialize;

use super::SendOutput;
use crate::draft::{Draft, MAX_DRAFT};
use crate::error::{ToolError, chain};
use crate::output::{Content, Failure, Form, Outcome, Output, Spool, Whole};

/// What a type must be to stand as a tool's result.
///
/// Implemented for every `T: Serialize`, and for [`Content`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's result",
    label = "this can't be written as JSON for the model",
    note = "derive `serde::Serialize` for `{Self}`"
)]
pub trait ToolOutput {
    /// Writes the result down.
    #[doc(hidden)]
    fn toolkit_output(&self, outlet: Outlet) -> Outcome;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolOutput for T {
    #[inline]
    fn toolkit_output(&self, outlet: Outlet) -> Outcome {
        Outcome(outlet.write(self, size_of::<T>() == 0))
    }
}

#[diagnostic::do_not_recommend]
impl ToolOutput for Content {
    fn toolkit_output(&self, _: Outlet) -> Outcome {
        Outcome(self.output())
    }
}

/// What a body's result may be: a [`ToolOutput`]. A draft passes here as well, since one in the wrong
/// place is told so where its schema is asked for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's result",
    label = "this can't be written as JSON for the model",
    note = "derive `serde::Serialize` for `{Self}`"
)]
pub trait Returnable {
    /// Writes it down.
    fn toolkit_reply(&self, outlet: Outlet) -> Outcome;
}

#[diagnostic::do_not_recommend]
impl<T: ToolOutput> Returnable for T {
    #[inline]
    fn toolkit_reply(&self, outlet: Outlet) -> Outcome {
        self.toolkit_output(outlet)
    }
}

#[diagnostic::do_not_recommend]
impl<T> Returnable for Draft<T> {
    fn toolkit_reply(&self, _: Outlet) -> Outcome {
        Outcome(Err(Failure::BadOutput("a draft of a tool that doesn't send".to_owned())))
    }
}

/// What a type must be to stand as a tool's error.
///
/// Implemented for every `E: Display + 'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool's error",
    label = "this has no text for the operator",
    note = "implement `std::fmt::Display` for `{Self}`, or use `toolkit::ToolError`"
)]
pub trait ToolFailure: Display + 'static {}

#[diagnostic::do_not_recommend]
impl<E: Display + 'static> ToolFailure for E {}

/// Takes a body's result and writes it down.
#[derive(Clone, Copy)]
pub struct Outlet {
    hint: u32,
    /// The longest output, in MiB: so small that a body carries no more than before.
    most: u32,
}

impl Outlet {
    pub(crate) fn new(hint: u32, most: u32) -> Self {
        Self { hint, most }
    }

    /// Writes the result as JSON text, or sorts the error by who may read it.
    pub fn reply<T: Returnable, E: ToolFailure>(
        self,
        result: Result<T, E>,
        causes: Option<String>,
    ) -> Outcome {
        match result {
            Ok(value) => value.toolkit_reply(self),
            Err(error) => Outcome(Err(sort(&error, causes))),
        }
    }

    /// The same, with a text of the author's own in place of the value's. Where that panics, the body
    /// has panicked.
    pub fn rendered<T: Returnable, E: ToolFailure>(
        self,
        result: Result<T, E>,
        causes: Option<String>,
        render: fn(&T) -> String,
    ) -> Outcome {
        Outcome(match result {
            Ok(value) => value.toolkit_reply(self).0.map(|output| output.with_text(render(&value))),
            Err(error) => Err(sort(&error, causes)),
        })
    }

    /// Writes down what is to be sent, or sorts the error by who may read it.
    pub fn draft<D: SendOutput, E: ToolFailure>(
        self,
        result: Result<D, E>,
        causes: Option<String>,
    ) -> Outcome {
        Outcome(match result {
            Ok(draft) => self.keep(&draft),
            Err(error) => Err(sort(&error, causes)),
        })
    }

    /// The same, with a text of the author's own in place of the draft's.
    pub fn rendered_draft<D: SendOutput, E: ToolFailure>(
        self,
        result: Result<D, E>,
        causes: Option<String>,
        render: fn(&D::Value) -> String,
    ) -> Outcome {
        Outcome(match result {
            Ok(draft) => {
                self.keep(&draft).map(|output| output.with_text(render(draft.toolkit_value())))
            }
            Err(error) => Err(sort(&error, causes)),
        })
    }

    fn keep<D: SendOutput>(self, draft: &D) -> Result<Output, Failure> {
        let mut text = Vec::with_capacity(self.hint as usize);
        kept(draft.toolkit_write(&mut text).map(|()| text))
    }

    fn write<T: Serialize>(self, value: &T, zero_sized: bool) -> Result<Output, Failure> {
        let mut spool =
            Spool::new(Form::Serialised, self.hint as usize, u64::from(self.most) << 20);
        let written = crate::json::write(value, &mut spool);
        settle(written, spool, zero_sized)
    }
}

/// Not generic, so that a tool's type adds only its serialiser.
fn settle(
    written: Result<(), serde_json::Error>,
    mut spool: Spool,
    zero_sized: bool,
) -> Result<Output, Failure> {
    if let Err(error) = written {
        return Err(bad(&error));
    }
    match spool.take_near() {
        Some(json) => match Whole::of_json(json, zero_sized) {
            Ok(value) => Ok(Output::alone(value)),
            Err(error) => Err(bad(&error)),
        },
        None => finish(spool, zero_sized),
    }
}

#[cold]
fn finish(spool: Spool, zero_sized: bool) -> Result<Output, Failure> {
    spool.finish(zero_sized).map(Output::alone).map_err(|error| bad(&error))
}

#[cold]
fn bad(error: &dyn Display) -> Failure {
    Failure::BadOutput(error.to_string())
}

/// A draft stays JSON, whatever it is, since it is read again.
fn kept(written: Result<Vec<u8>, serde_json::Error>) -> Result<Output, Failure> {
    let json = written.map_err(|e| Failure::BadOutput(e.to_string()))?;
    if json.len() > MAX_DRAFT {
        let what = format!("a draft of {} bytes, where {MAX_DRAFT} are kept", json.len());
        return Err(Failure::BadOutput(what));
    }
    match String::from_utf8(json) {
        Ok(json) => Ok(Output::alone(Whole::Json(json))),
        Err(error) => Err(Failure::BadOutput(error.to_string())),
    }
}

fn sort<E: ToolFailure>(error: &E, causes: Option<String>) -> Failure {
    let any: &dyn Any = error;
    if let Some(error) = any.downcast_ref::<ToolError>() {
        return match error.for_model() {
            Some(text) => Failure::Expected(text.to_owned()),
            None => Failure::Internal(error.chain()),
        };
    }
    let text = error.to_string();
    if any.is::<String>() || any.is::<&'static str>() {
        return Failure::Expected(text);
    }
    let boxed = any.downcast_ref::<Box<dyn Error + Send + Sync>>();
    Failure::Internal(match (causes, boxed) {
        (Some(causes), _) if !causes.is_empty() => causes,
        (_, Some(error)) => chain(error.as_ref()),
        _ => text,
    })
}

/// The probes that choose by the type of a body's result. An inherent method beats a trait's, and a
/// nearer reference beats a farther one; so each choice is made where the types are concrete, and a
/// wrong type gives one error, at [`Outlet::reply`]. The prefix keeps the names apart from those of
/// any trait that the author has in scope.
pub mod probe {
    use std::convert::Infallible;
    use std::error::Error;
    use std::marker::PhantomData;

    use schemars::{JsonSchema, Schema, SchemaGenerator};

    use crate::draft::Draft;
    use crate::error::chain;
    use crate::tool::{Commit, CommitSpec};

    /// A body's result.
    pub struct ToolkitReturned<R>(pub R);

    impl<T, E> ToolkitReturned<Result<T, E>> {
        /// The result itself.
        pub fn toolkit_split(self) -> Result<T, E> {
            self.0
        }
    }

    /// For a body that can't fail.
    pub trait ToolkitSplit<R> {
        /// The value as a success.
        fn toolkit_split(self) -> Result<R, Infallible>;
    }

    impl<R> ToolkitSplit<R> for ToolkitReturned<R> {
        fn toolkit_split(self) -> Result<R, Infallible> {
            Ok(self.0)
        }
    }

    /// For errors that are `std::error::Error`.
    pub trait ToolkitCausesOfError {
        /// The whole chain, if the body failed.
        fn toolkit_causes(&self) -> Option<String>;
    }

    impl<T, E: Error + 'static> ToolkitCausesOfError for &&ToolkitReturned<Result<T, E>> {
        fn toolkit_causes(&self) -> Option<String> {
            self.0.as_ref().err().map(|error| chain(error))
        }
    }

    /// For errors that hold one, such as boxed errors and `anyhow::Error`.
    pub trait ToolkitCausesOfBoxed {
        /// The whole chain, if the body failed.
        fn toolkit_causes(&self) -> Option<String>;
    }

    impl<T, E: AsRef<dyn Error + Send + Sync>> ToolkitCausesOfBoxed for &ToolkitReturned<Result<T, E>> {
        fn toolkit_causes(&self) -> Option<String> {
            self.0.as_ref().err().map(|error| chain(error.as_ref()))
        }
    }

    /// For all others.
    pub trait ToolkitCausesOfText {
        /// Nothing: the text of the error is all there is.
        fn toolkit_causes(&self) -> Option<String>;
    }

    impl<R> ToolkitCausesOfText for ToolkitReturned<R> {
        fn toolkit_causes(&self) -> Option<String> {
            None
        }
    }

    /// The type of a body's result.
    pub struct ToolkitShape<R>(PhantomData<fn() -> R>);

    impl<R> ToolkitShape<R> {
        /// A stand-in for the type.
        #[allow(clippy::new_without_default)]
        pub const fn new() -> Self {
            Self(PhantomData)
        }
    }

    impl<T, E> ToolkitShape<Result<T, E>> {
        /// The type of the success.
        pub const fn toolkit_ok(self) -> ToolkitShape<T> {
            ToolkitShape::new()
        }
    }

    /// For a body that can't fail.
    pub trait ToolkitShapeOk {
        /// The type itself.
        fn toolkit_ok(self) -> Self;
    }

    impl<R> ToolkitShapeOk for ToolkitShape<R> {
        fn toolkit_ok(self) -> Self {
            self
        }
    }

    /// The wrong place for a draft.
    #[diagnostic::on_unimplemented(
        message = "only a `send` tool may return a draft, and this one returns a draft of `{Self}`",
        label = "nobody would be asked to confirm this",
        note = "add \"send\" to the tool's `risk`, or return the `{Self}` itself"
    )]
    pub trait ToolkitDraftOfAReply {}

    impl<T> ToolkitShape<Draft<T>> {
        /// None: a draft has no place in a reply.
        pub fn toolkit_schema(&self, _: &mut SchemaGenerator) -> Option<Schema>
        where
            T: ToolkitDraftOfAReply,
        {
            None
        }
    }

    /// For drafts that something delivers.
    pub trait ToolkitCommit {
        /// What delivers them.
        fn toolkit_commit(&self) -> Option<&'static CommitSpec>;
    }

    impl<T: Commit> ToolkitCommit for ToolkitShape<Draft<T>> {
        fn toolkit_commit(&self) -> Option<&'static CommitSpec> {
            Some(&T::COMMIT.spec)
        }
    }

    /// For what is no such draft, which the tool is told where it returns it.
    pub trait ToolkitNoCommit {
        /// None.
        fn toolkit_commit(&self) -> Option<&'static CommitSpec>;
    }

    impl<R> ToolkitNoCommit for &ToolkitShape<R> {
        fn toolkit_commit(&self) -> Option<&'static CommitSpec> {
            None
        }
    }

    /// For results with a schema.
    pub trait ToolkitOutputSchema {
        /// The schema of the result.
        fn toolkit_schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
    }

    impl<T: JsonSchema> ToolkitOutputSchema for ToolkitShape<T> {
        fn toolkit_schema(&self, generator: &mut SchemaGenerator) -> Option<Schema> {
            Some(generator.subschema_for::<T>())
        }
    }

    /// For all other results.
    pub trait ToolkitNoOutputSchema {
        /// None.
        fn toolkit_schema(&self, generator: &mut SchemaGenerator) -> Option<Schema>;
    }

    impl<R> ToolkitNoOutputSchema for &ToolkitShape<R> {
        fn toolkit_schema(&self, _: &mut SchemaGenerator) -> Option<Schema> {
            None
        }
    }
}
