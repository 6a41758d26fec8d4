//! What a body's own context adds: the way to other tools, the output that is streamed, and what the
//! body lends to the calls that it makes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::clock::{Clock, Stopped};
use super::{About, CallContext, Lent, Progress};
use crate::call::{Code, ToolCall, ToolReply};
use crate::hosts::Hosts;
use crate::output::{OutputError, OutputWriter};

/// The way from a body back into the engine; implemented by the front, above this floor.
pub(crate) trait Dispatch: Send + Sync {
    fn dispatch<'a>(
        self: Arc<Self>,
        context: &'a CallContext,
        call: ToolCall<'a>,
    ) -> Pin<Box<dyn Future<Output = ToolReply> + Send + 'a>>;

    /// Marks what a call of this context belongs to as one that has read untrusted data.
    fn taint(&self, context: &CallContext, source: &Arc<str>);

    /// Tells listeners how far a body has come.
    fn progress(&self, about: &About, progress: Progress);

    /// An id of a call that no other has.
    fn fresh_id(&self) -> Arc<str>;
}

/// What makes a context a body's own.
#[derive(Clone)]
pub(super) struct Nested {
    pub(super) dispatch: Arc<dyn Dispatch>,
    depth: usize,
    /// The outer body's permit: inner calls that waited for those of outer ones would wait for ever.
    pub(super) lent: Arc<Lent>,
    clock: Arc<Clock>,
    /// The tools with a limit of their own that this body and those around it hold permits of.
    limited: Option<Arc<Limited>>,
    /// The longest output, in MiB.
    most: u32,
    /// Where the body's tool may reach.
    hosts: Hosts,
}

/// A tool with a limit of its own, one of whose permits is held by a body and by what it calls.
struct Limited {
    /// Any number that no other running tool has.
    tool: usize,
    outer: Option<Arc<Self>>,
}

impl CallContext {
    /// Calls another tool from within a body: origin, principal and ceiling are inherited, the
    /// permit is lent, and the call passes the same gates. Calls that one body makes run one at a
    /// time, since it has one permit to lend. While a person decides on the call, the body's own clock
    /// stands as well; its permit stays with it.
    ///
    /// Works in the context that a body borrows with `#[context] cx: &CallContext`; in one of a
    /// host's own the reply is a `defect`, since no toolkit belongs to it.
    ///
    /// # Cancellation
    /// Dropping the future drops the inner body at its next await.
    pub async fn call(&self, call: ToolCall<'_>) -> ToolReply {
        match &self.inner.nested {
            Some(nested) => Arc::clone(&nested.dispatch).dispatch(self, call).await,
            None => ToolReply::not_run(Code::Defect, "this context belongs to no running call"),
        }
    }

    /// Writes the text of the body's output while it is made: what is longer than memory should be is
    /// put into a file on the way.
    ///
    /// What was written when the body has ended is what a model reads, redacted and cut like any
    /// output. Where the body returns nothing, it is the output's value as well, as a string; any other
    /// value that it returns stays the value, and has no text of its own. The text of a body that fails
    /// is dropped.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Count to a number, slowly.
    /// #[tool]
    /// async fn count(
    ///     /// How far to count, e.g. `3`.
    ///     to: u32,
    ///     #[context] cx: &CallContext,
    /// ) -> Result<(), ToolError> {
    ///     let mut out = cx.output()?;
    ///     for number in 1..=to {
    ///         out.append(format!("{number}\n")).await?;
    ///     }
    ///     Ok(())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let toolkit = Toolkit::builder().only([id(count)]).build().unwrap();
    /// let cx = CallContext::model();
    /// let reply = toolkit.call(&cx, ToolCall::new("count", r#"{"to": 3}"#)).await;
    /// assert_eq!(reply.text(), "1\n2\n3\n");
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`OutputError::NoBody`]: the context isn't one that a running body borrows.
    /// - [`OutputError::Taken`]: there is a writer already.
    pub fn output(&self) -> Result<OutputWriter, OutputError> {
        let nested = self.inner.nested.as_ref().ok_or(OutputError::NoBody)?;
        let most = u64::from(nested.most) << 20;
        let streamed = nested.lent.stream(most).ok_or(OutputError::NoBody)?;
        Arc::clone(streamed).writer(most)
    }

    /// The hosts that the tool may reach whose body borrows this context; `None` in one of a host's own.
    /// A client that a tool brings itself asks them of every URL that it goes to, redirects included,
    /// and of the address that each leads to; `toolkit::http` does.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Say whether a page could be fetched.
    /// #[tool(name = "web.probe", risk = "network", hosts = ["example.com"])]
    /// async fn probe(
    ///     /// Address of the page, e.g. `https://example.com/`.
    ///     #[arg(url)]
    ///     url: &str,
    ///     #[context] cx: &CallContext,
    /// ) -> bool {
    ///     cx.hosts().is_some_and(|hosts| hosts.allow(url).is_ok())
    /// }
    /// # assert!(CallContext::model().hosts().is_none());
    /// ```
    pub fn hosts(&self) -> Option<&Hosts> {
        self.inner.nested.as_ref().map(|nested| &nested.hosts)
    }

    /// How many bodies stand above a call made with this context.
    pub(crate) fn depth(&self) -> usize {
        self.inner.nested.as_ref().map_or(0, |nested| nested.depth)
    }

    /// The permit that the outer body lends, where there is one.
    pub(crate) fn lent(&self) -> Option<&Arc<Lent>> {
        self.inner.nested.as_ref().map(|nested| &nested.lent)
    }

    /// Whether an outer body holds a permit of the tool that has this number.
    pub(crate) fn holds(&self, tool: usize) -> bool {
        let mut limited = self.inner.nested.as_ref().and_then(|nested| nested.limited.as_ref());
        while let Some(held) = limited {
            if held.tool == tool {
                return true;
            }
            limited = held.outer.as_ref();
        }
        false
    }

    /// Stops the clock of the body that this context is the own one of, until the guard is dropped.
    pub(crate) fn stop_clock(&self) -> Option<Stopped> {
        self.inner.nested.as_ref().map(|nested| nested.clock.stop())
    }

    /// How long that clock stood; `None` while it stands.
    pub(crate) fn stood(&self, waker: &Waker) -> Option<Duration> {
        self.inner.nested.as_ref().map_or(Some(Duration::ZERO), |nested| nested.clock.stood(waker))
    }

    /// Ends what a body's own context can do: calls under way are told to stop, and none begins.
    pub(crate) fn end(&self) {
        if let Some(token) = self.token() {
            token.cancel();
        }
        if let Some(lent) = self.lent() {
            lent.end();
        }
    }

    /// The context that a body of a call made with this one borrows; `tool` is the number of a tool
    /// that has a limit of its own.
    pub(crate) fn nested(
        &self,
        dispatch: Arc<dyn Dispatch>,
        tool: Option<usize>,
        most: u32,
        hosts: &Hosts,
    ) -> Self {
        let depth = self.depth() + 1;
        let token =
            self.token().map_or_else(CancellationToken::new, CancellationToken::child_token);
        self.clone().edit(|inner| {
            inner.cancellation = Some(token);
            let clock = Clock::inside(inner.nested.as_ref().map(|nested| &nested.clock));
            let outer = inner.nested.take().and_then(|nested| nested.limited);
            let limited = match tool {
                Some(tool) => Some(Arc::new(Limited { tool, outer })),
                None => outer,
            };
            let lent = Arc::default();
            let hosts = hosts.clone();
            inner.nested = Some(Nested { dispatch, depth, lent, clock, limited, most, hosts });
        })
    }
}
