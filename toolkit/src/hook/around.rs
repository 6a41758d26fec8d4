//! The hook of execution: it wraps the body, and sees and may replace what comes of it. What the body
//! gets is settled before, and not its to change.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{BoxFuture, HookCall, HookError, Waiting};
use crate::contain::{Unwound, contain, contained, drop_contained, said};
use crate::error::ToolError;
use crate::output::{Failure, Outcome, Output};

/// Wraps the body of each call, within the call's permit and deadline. Of several the first that was
/// added is the outermost. It may do something before the body and after it, and may hand on what
/// comes of the body, replace it (value and text apart), or make an error of it. What it gives passes
/// the same redaction and truncation as what a body gives.
///
/// The arguments are final, and the body can run once at most: [`Next::run`] takes nothing and is
/// itself used up. A hook that doesn't run it denies the call, whatever it returns; one that returns
/// an error of its own, panics or hangs denies it before the body, and is a defect after it. What no
/// hook can talk away: a fault of another hook, and a defect of the body (a panic, a bad output).
///
/// Closures are around hooks through [`around`].
///
/// # Cancellation
/// The future is dropped, and the body with it, when the time is up or the call is cancelled. For a
/// tool without a deadline, a hook has 5 s before the body and 5 s after it.
pub trait Around: Send + Sync {
    /// A short name for decisions and messages.
    fn name(&self) -> &str;

    /// Runs the rest of the call, or doesn't.
    ///
    /// # Errors
    /// That of the body, handed on; [`Failed::expected`], told to whoever made the call; or the hook's
    /// own, by `?`, which is a fault and goes to the operator.
    fn wrap<'a>(
        &'a self,
        call: HookCall<'a>,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Output, Failed>>;
}

/// An around hook from a name and a closure that returns a future.
///
/// ```
/// use toolkit::around;
///
/// let stamp = around("stamp", |_call, next| {
///     Box::pin(async move {
///         let output = next.run().await?;
///         // One of more than 1 MiB lies in a file, and stays as it is.
///         let Some(text) = output.text() else { return Ok(output) };
///         let text = format!("[12:00] {text}");
///         Ok(output.with_text(text))
///     })
/// });
/// ```
pub fn around<F>(name: impl Into<String>, wrap: F) -> Waiting<F>
where
    F: for<'a> Fn(HookCall<'a>, Next<'a>) -> BoxFuture<'a, Result<Output, Failed>> + Send + Sync,
{
    Waiting::new(name, wrap)
}

impl<F> Around for Waiting<F>
where
    F: for<'a> Fn(HookCall<'a>, Next<'a>) -> BoxFuture<'a, Result<Output, Failed>> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn wrap<'a>(
        &'a self,
        call: HookCall<'a>,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Output, Failed>> {
        (self.hook)(call, next)
    }
}

/// Why a body gave no output, or a hook around it hands none on.
///
/// Any error that `?` converts is a fault of the hook's own.
pub struct Failed(Why);

enum Why {
    /// The body's, or what a hook says to whoever made the call.
    Body(Failure),
    /// A hook's own: for the operator.
    Hook(String),
    /// A hook further in was at fault, or didn't run the body; that has been kept already.
    Within,
}

impl Failed {
    /// An ordinary failure, told to whoever made the call word for word (capped and redacted).
    pub fn expected(text: impl Into<String>) -> Self {
        Self(Why::Body(Failure::Expected(text.into())))
    }

    /// A fault of the hook's own, for the operator; the same as `?` on an error.
    pub fn fault(error: impl Into<HookError>) -> Self {
        Self(Why::Hook(said(&*error.into())))
    }

    /// The text for whoever made the call, where it has one.
    pub fn for_model(&self) -> Option<&str> {
        match &self.0 {
            Why::Body(Failure::Expected(text)) => Some(text),
            _ => None,
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failed {
    fn from(error: E) -> Self {
        let chain = contain(|| ToolError::internal(error).chain());
        Self(Why::Hook(chain.unwrap_or_else(|Unwound(panic)| panic)))
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Why::Body(failure) => failure.fmt(f),
            Why::Hook(text) => f.write_str(text),
            Why::Within => f.write_str("a hook further in was at fault"),
        }
    }
}

impl fmt::Debug for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Failed").field(&self.to_string()).finish()
    }
}

/// The rest of a call: the hooks further in, and the body.
#[must_use = "a hook that doesn't run it denies the call"]
pub struct Next<'a> {
    rest: &'a [Box<dyn Around>],
    call: HookCall<'a>,
    /// Until it is run.
    body: Option<BoxFuture<'a, Outcome>>,
    course: &'a Course<'a>,
}

impl<'a> Next<'a> {
    pub(crate) fn new(
        hooks: &'a [Box<dyn Around>],
        call: HookCall<'a>,
        body: BoxFuture<'a, Outcome>,
        course: &'a Course<'a>,
    ) -> Self {
        Self { rest: hooks, call, body: Some(body), course }
    }

    /// Runs it, once: it is used up.
    ///
    /// # Errors
    /// Why there is no output, to be handed on with `?`.
    ///
    /// # Cancellation
    /// Dropping the future drops the body at its next await; it counts as executed.
    pub async fn run(mut self) -> Result<Output, Failed> {
        // A `Next` that has been run has none, and can't be run again.
        let Some(body) = self.body.take() else { return Err(Failed(Why::Within)) };
        let course = self.course;
        let Some((hook, rest)) = self.rest.split_first() else { return course.body(body).await };
        let next = Next { rest, call: self.call, body: Some(body), course };
        course.begin();
        let call = self.call;
        // Inside a future of its own, since making the hook's may panic as well.
        let given = contained(Box::pin(async move { hook.wrap(call, next).await })).await;
        let name = || contain(|| hook.name()).unwrap_or("without a name");
        match given {
            Ok(Err(Failed(Why::Hook(what)))) => course.fault(name(), format!("failed: {what}")),
            Err(Unwound(panic)) => course.fault(name(), panic),
            Ok(given) => return given,
        }
        Err(Failed(Why::Within))
    }
}

impl Drop for Next<'_> {
    fn drop(&mut self) {
        // A body that may not run is dropped with its arguments, which are of the author's types.
        if self.body.is_some() {
            drop_contained(&mut self.body);
        }
    }
}

/// How far a call with hooks around it has come, and what no hook can talk away.
pub(crate) struct Course<'a> {
    /// Whether the body has begun.
    entered: &'a AtomicBool,
    /// Whether it has ended.
    left: AtomicBool,
    /// Whether the call has: what is dropped from then on isn't dropped by a hook.
    over: AtomicBool,
    /// How many hooks have begun.
    begun: AtomicUsize,
    kept: Mutex<Kept>,
}

/// What no hook can talk away.
#[derive(Default)]
pub(crate) struct Kept {
    /// The hooks at fault, by name, and what was wrong.
    pub(crate) faults: Vec<(String, String)>,
    /// What was wrong with the body itself.
    pub(crate) defect: Option<String>,
    /// Whether the hooks let the body begin.
    pub(crate) let_in: bool,
    /// Whether the body has ended.
    pub(crate) left: bool,
    /// Whether a hook took too long where the tool has no deadline.
    pub(crate) hung: bool,
}

impl<'a> Course<'a> {
    pub(crate) fn new(entered: &'a AtomicBool) -> Self {
        Self {
            entered,
            left: AtomicBool::new(false),
            over: AtomicBool::new(false),
            begun: AtomicUsize::new(0),
            kept: Mutex::default(),
        }
    }

    /// Whether the body runs now: its time is not a hook's.
    pub(crate) fn in_body(&self) -> bool {
        self.has_entered() && !self.has_left()
    }

    pub(crate) fn has_entered(&self) -> bool {
        self.entered.load(Ordering::Relaxed)
    }

    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// The place of the innermost hook that has begun.
    pub(crate) fn innermost(&self) -> usize {
        self.begun.load(Ordering::Relaxed).saturating_sub(1)
    }

    /// Keeps that the innermost hook took too long.
    pub(crate) fn hang(&self) {
        self.kept().hung = true;
    }

    pub(crate) fn into_kept(self) -> Kept {
        let (let_in, left) = (self.has_entered(), self.has_left());
        Kept { let_in, left, ..self.kept.into_inner().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Keeps that the call has ended, once this is dropped.
    pub(crate) fn ending(&self) -> Ending<'_> {
        Ending(&self.over)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    fn fault(&self, name: &str, what: String) {
        self.kept().faults.push((name.to_owned(), what));
    }

    async fn body(&self, body: BoxFuture<'_, Outcome>) -> Result<Output, Failed> {
        self.entered.store(true, Ordering::Relaxed);
        let leaving = Leaving(self);
        let ended = contained(body).await;
        drop(leaving);
        let failure = match ended {
            Ok(Outcome(Ok(output))) => return Ok(output),
            Ok(Outcome(Err(failure))) => failure,
            Err(Unwound(panic)) => Failure::Panicked(panic),
        };
        if let Failure::BadOutput(_) | Failure::Panicked(_) | Failure::NotBegun(_) = &failure {
            self.kept().defect = Some(failure.to_string());
        }
        Err(Failed(Why::Body(failure)))
    }
}

/// What [`Course::ending`] makes.
pub(crate) struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The body's end: its own, or that of a hook's waiting for it.
struct Leaving<'a>(&'a Course<'a>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if !self.0.over.load(Ordering::Relaxed) {
            self.0.left.store(true, Ordering::Relaxed);
        }
    }
}

/// What the outermost hook gave.
pub(crate) fn outcome(given: Result<Output, Failed>) -> Outcome {
    Outcome(given.map_err(|Failed(why)| match why {
        Why::Body(failure) => failure,
        // Kept already, and that stands.
        Why::Hook(text) => Failure::Internal(text),
        Why::Within => Failure::Internal(String::new()),
    }))
}
