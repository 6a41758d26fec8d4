//! The first stage: from text to a body that is ready to run on final arguments.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{Engine, Set, Trail, defect, way_back};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, contain, drop_contained};
use crate::context::CallContext;
use crate::draft::Delivery;
use crate::param::Args;
use crate::problem::{invalid_text, malformed_text};
use crate::redact::Redactor;
use crate::registry::{Delivers, Entry};
use crate::schema::{Rejection, settle};
use crate::tool::{Body, Call, Prepared, Refused};

/// A body on final arguments, not yet polled.
pub(super) struct Ready {
    pub(super) body: Unbegun,
    /// The body's own context, where it borrows one: its token stops the body.
    pub(super) own: Option<CallContext>,
}

/// A body until it is taken to be run.
pub(super) struct Unbegun(Option<Body>);

impl Unbegun {
    #[inline]
    pub(super) fn begin(mut self) -> Option<Body> {
        self.0.take()
    }
}

impl Drop for Unbegun {
    #[inline]
    fn drop(&mut self) {
        // A body that may not run is dropped with its arguments, which are of the author's types.
        if self.0.is_some() {
            drop_contained(&mut self.0);
        }
    }
}

impl Engine {
    /// Validates; the error is the reply. Boxed, so that the success stays small.
    #[inline]
    pub(super) fn validate(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
    ) -> Result<Ready, Box<ToolReply>> {
        if let Some(redactor) = Redactor::of(entry.spec(), &trail.call.arguments) {
            trail.redactor = Some(redactor);
        }
        let ready = match self.prepare(trail, entry, &trail.call.arguments) {
            Ok(ready) => ready,
            Err(stop) => self.reconsidered(trail, entry, stop)?,
        };
        trail.valid = true;
        Ok(ready)
    }

    /// What can be made of arguments that can't be read as they came.
    #[cold]
    fn reconsidered(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        stop: Stop,
    ) -> Result<Ready, Box<ToolReply>> {
        if !matches!(stop, Stop::Arguments) {
            return Err(Box::new(self.stopped(trail, stop)));
        }
        let text = self.settled(trail, entry)?;
        let prepared = self.prepare(trail, entry, &text.text);
        trail.arguments = Some(text.text);
        trail.repairs = text.repairs;
        match prepared {
            Ok(ready) => {
                // What was repaired may hold a secret that the first reading didn't see.
                trail.redactor = Redactor::of(entry.spec(), trail.text());
                Ok(ready)
            }
            Err(Stop::Arguments) => {
                let cause = "the checker accepts what the decoder refuses";
                Err(Box::new(defect(self, trail, Executed::No, cause)))
            }
            Err(stop) => Err(Box::new(self.stopped(trail, stop))),
        }
    }

    /// The cold pass: either everything that is wrong, or a text that now decodes.
    fn settled(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<crate::schema::Settled, Box<ToolReply>> {
        let spec = entry.spec();
        let contract = match entry.contract() {
            Ok(contract) => contract,
            Err(error) => {
                let cause = error.to_string();
                return Err(Box::new(defect(self, trail, Executed::No, cause)));
            }
        };
        let repair = self.limits.repair_all || spec.risk().is_read();
        let arguments: &str = &trail.call.arguments;
        let settled = contain(|| settle(contract, entry.parameters(), arguments, repair));
        let (code, text) = match settled {
            Ok(Ok(settled)) => return Ok(settled),
            Ok(Err(Rejection::Malformed(malformed))) => {
                (Code::MalformedArguments, malformed_text(spec.name(), &malformed))
            }
            Ok(Err(Rejection::Invalid(problems))) => {
                (Code::InvalidArguments, invalid_text(spec.name(), &problems))
            }
            Err(Unwound(panic)) => {
                return Err(Box::new(self.stopped(trail, Stop::Panic(panic))));
            }
        };
        let text = crate::redact::text(trail.redactor.as_ref(), &text).into_owned();
        Err(Box::new(ToolReply::not_run(code, text)))
    }

    /// Validates what a hook or a person put in the place of the arguments: as at first, but nothing is
    /// repaired. Where it is refused, nothing has changed.
    pub(super) fn reread(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Entry,
        mut text: String,
    ) -> Result<Ready, Broken> {
        let mut prepared = self.prepare(trail, entry, &text);
        if let Err(Stop::Arguments) = prepared {
            text = respelled(entry, &text)?;
            prepared = self.prepare(trail, entry, &text);
        }
        let ready = prepared.map_err(Broken::Tool)?;
        trail.arguments = Some(text);
        Ok(ready)
    }

    /// Decodes the arguments and makes the body.
    #[inline]
    fn prepare(
        self: &Arc<Self>,
        trail: &Trail<'_>,
        entry: &Entry,
        arguments: &str,
    ) -> Result<Ready, Stop> {
        let dispatch = || way_back(self, trail.set);
        let call = Call {
            states: entry.states(),
            context: trail.context,
            dispatch: &dispatch,
            limited: entry.limited(),
            own: OnceCell::new(),
            delivery: None,
            hint: entry.hint(),
            most: self.limits.output_most,
            hosts: entry.hosts(),
        };
        let contract = || entry.contract();
        let mut args = Args::new(arguments, &contract);
        // A parameter's own `Deserialize` may panic.
        ready(contain(|| entry.prepare(&mut args, &call)), call)
    }

    /// Takes a confirmed draft and makes the body that delivers it.
    pub(super) fn prepare_delivery(
        self: &Arc<Self>,
        set: &Arc<Set>,
        context: &CallContext,
        entry: &Entry,
        delivers: &Delivers,
        delivery: &Delivery,
    ) -> Result<Ready, Stop> {
        let dispatch = || way_back(self, set);
        let call = Call {
            states: &delivers.states,
            context,
            dispatch: &dispatch,
            limited: entry.limited(),
            own: OnceCell::new(),
            delivery: Some(delivery),
            hint: entry.hint(),
            most: self.limits.output_most,
            hosts: entry.hosts(),
        };
        let contract = || entry.contract();
        let mut args = Args::new("", &contract);
        ready(contain(|| (delivers.spec.prepare)(&mut args, &call)), call)
    }

    pub(super) fn stopped(&self, trail: &mut Trail<'_>, stop: Stop) -> ToolReply {
        match stop {
            Stop::Panic(cause) | Stop::Fault(cause) => defect(self, trail, Executed::No, cause),
            Stop::Arguments => defect(self, trail, Executed::No, "unsettled arguments"),
        }
    }
}

/// The body, with what it borrowed of its own context, or why there is none.
#[inline]
fn ready(prepared: Result<Prepared, Unwound>, call: Call<'_>) -> Result<Ready, Stop> {
    match prepared {
        Ok(Ok(body)) => Ok(Ready { body: Unbegun(Some(body)), own: call.own.into_inner() }),
        Ok(Err(Refused::Arguments)) => Err(Stop::Arguments),
        Ok(Err(Refused::Context(value))) => {
            Err(Stop::Fault(format!("the context holds no `{value}`")))
        }
        Ok(Err(Refused::State(state))) => {
            Err(Stop::Fault(format!("the registry holds no state `{state}`")))
        }
        Err(Unwound(panic)) => Err(Stop::Panic(panic)),
    }
}

/// Why there is no body.
pub(super) enum Stop {
    Arguments,
    Panic(String),
    Fault(String),
}

/// Why there is no body on other arguments.
pub(super) enum Broken {
    /// They don't fit; the whole story.
    Arguments(String),
    /// They fit, and the tool or the host is at fault.
    Tool(Stop),
}

/// The arguments as they can be read, if only they are spelled in another way.
fn respelled(entry: &Entry, text: &str) -> Result<String, Broken> {
    let name = entry.spec().name();
    let contract = entry.contract().map_err(|e| Broken::Tool(Stop::Fault(e.to_string())))?;
    let story = match contain(|| settle(contract, entry.parameters(), text, false)) {
        Ok(Ok(settled)) => return Ok(settled.text),
        Ok(Err(Rejection::Malformed(malformed))) => malformed_text(name, &malformed),
        Ok(Err(Rejection::Invalid(problems))) => invalid_text(name, &problems),
        Err(Unwound(panic)) => return Err(Broken::Tool(Stop::Panic(panic))),
    };
    Err(Broken::Arguments(story))
}
