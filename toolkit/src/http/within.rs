//! Within what a request goes: a running call, or a list of hosts.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::HttpError;
use crate::context::CallContext;
use crate::hosts::Hosts;

/// Within what a request goes: the call whose body borrows a context, by the hosts of its tool and for
/// as long as it runs; or, outside of calls, a list of hosts.
///
/// ```
/// use toolkit::Hosts;
/// use toolkit::http::Http;
///
/// let hosts = Hosts::new(["example.com"])?;
/// let request = Http::new()?.get(&hosts, "https://example.com/");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Within(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Call(CallContext),
    Hosts(Hosts),
}

impl From<&CallContext> for Within {
    fn from(context: &CallContext) -> Self {
        Self(Kind::Call(context.clone()))
    }
}

impl From<&Hosts> for Within {
    fn from(hosts: &Hosts) -> Self {
        Self(Kind::Hosts(hosts.clone()))
    }
}

impl Within {
    pub(super) fn hosts(&self) -> Result<&Hosts, HttpError> {
        match &self.0 {
            Kind::Call(context) => context.hosts().ok_or(HttpError::NoCall),
            Kind::Hosts(hosts) => Ok(hosts),
        }
    }

    /// The future's output, unless the call ends first.
    pub(super) async fn run<F: Future>(&self, future: F) -> Result<F::Output, HttpError> {
        let Kind::Call(context) = &self.0 else { return Ok(future.await) };
        let mut cancelled = pin!(context.cancelled());
        let mut future = pin!(future);
        let mut over = false;
        poll_fn(|task| {
            if over {
                return Poll::Ready(Err(HttpError::Stopped));
            }
            if cancelled.as_mut().poll(task).is_pending() {
                return future.as_mut().poll(task).map(Ok);
            }
            // One poll later: then the engine has seen it as well, and the call is one that was
            // cancelled, not one that failed.
            over = true;
            task.waker().wake_by_ref();
            Poll::Pending
        })
        .await
    }
}
