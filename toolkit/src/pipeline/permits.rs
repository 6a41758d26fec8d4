//! Permits: how many bodies run at once, of one tool and in all, and who holds them until when.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::execute::cancelled_before_start;
use super::running::{Halted, shut};
use super::{Engine, Set};
use crate::call::{Code, ToolReply};
use crate::contain::contained;
use crate::context::{CallContext, Lent};
use crate::registry::Entry;

/// The permits that a running body holds.
pub(super) struct Permits<'a> {
    engine: &'a Arc<Engine>,
    entry: &'a Arc<Entry>,
    own: Option<SemaphorePermit<'a>>,
    all: Option<SemaphorePermit<'a>>,
    /// Whose permit `all` is.
    lender: Lender<'a>,
    /// What the body lends in turn.
    lends: Option<&'a Arc<Lent>>,
}

impl<'a> Permits<'a> {
    /// Says in which context of its own the body may lend them.
    #[inline]
    pub(super) fn lend(&mut self, own: Option<&'a CallContext>) {
        self.lends = own.and_then(CallContext::lent);
    }

    /// The same permits, for a body that may outlive its call.
    pub(super) fn into_owed(mut self) -> Owed {
        self.owe()
    }

    fn owe(&mut self) -> Owed {
        let own = self.own.take().map(|permit| {
            permit.forget();
            Arc::clone(self.entry)
        });
        if let Some(permit) = self.all.take() {
            permit.forget();
        }
        Owed {
            engine: Arc::clone(self.engine),
            own,
            lender: self.lender.take().cloned(),
            lends: self.lends.take().cloned(),
        }
    }
}

impl Drop for Permits<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(lends) = self.lends {
            lends.end();
            if lends.is_out() {
                drop(self.owe());
            }
        }
        if let Some(lender) = self.lender {
            drop(self.all.take());
            lender.returned();
        }
    }
}

/// Permits without a borrow: what must be given back when a body has ended, wherever it ran.
pub(super) struct Owed {
    engine: Arc<Engine>,
    /// The tool, where it has a limit of its own.
    own: Option<Arc<Entry>>,
    lender: Option<Arc<Lent>>,
    lends: Option<Arc<Lent>>,
}

impl Owed {
    /// Whose permit one of them is, if an outer body lent it.
    pub(super) fn lender(&self) -> Option<&Arc<Lent>> {
        self.lender.as_ref()
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        if let Some(lends) = self.lends.take() {
            lends.end();
            // An inner body goes on that can't be stopped: it counts in this one's place.
            if lends.is_out() {
                let own = self.own.take();
                let (engine, lender) = (Arc::clone(&self.engine), self.lender.take());
                lends.inherit(Box::new(Self { engine, own, lender, lends: None }));
                return;
            }
        }
        if let Some(permits) = self.own.as_ref().and_then(|entry| entry.permits()) {
            permits.add_permits(1);
        }
        match &self.lender {
            Some(lender) => {
                lender.permit().add_permits(1);
                lender.returned();
            }
            None => self.engine.permits.add_permits(1),
        }
    }
}

impl Engine {
    /// The permits, where they are free: the tool's own first, so that a slow tool's queue takes
    /// nothing from the others.
    #[inline]
    pub(super) fn permits_at_once<'a>(
        self: &'a Arc<Self>,
        context: &'a CallContext,
        entry: &'a Arc<Entry>,
    ) -> Option<Permits<'a>> {
        let own = match own_permits(context, entry) {
            Some(permits) => Some(permits.try_acquire().ok()?),
            None => None,
        };
        let (all, lender) = match context.lent() {
            None => (self.permits.try_acquire().ok()?, None),
            Some(lent) => match lent.permit().try_acquire() {
                Ok(permit) => (permit, Some(lent)),
                // It won't be back soon, and the body may go on with a permit of its own.
                Err(_) if lent.is_left() => (self.permits.try_acquire().ok()?, None),
                Err(_) => return None,
            },
        };
        Some(Permits { engine: self, entry, own, all: Some(all), lender, lends: None })
    }

    /// Waits for the permits; the error is the reply.
    pub(super) async fn queue<'a>(
        self: &'a Arc<Self>,
        set: &Set,
        context: &'a CallContext,
        entry: &'a Arc<Entry>,
        waited: &mut Duration,
    ) -> Result<Permits<'a>, Box<ToolReply>> {
        let asked = Instant::now();
        let acquire = async {
            let own = match own_permits(context, entry) {
                Some(permits) => Some(acquire(permits).await?),
                None => None,
            };
            let (all, lender) = match context.lent() {
                None => (acquire(&self.permits).await?, None),
                Some(lent) if lent.is_left() => self.either(lent).await?,
                Some(lent) => (acquire(lent.permit()).await?, Some(lent)),
            };
            Some(Permits { engine: self, entry, own, all: Some(all), lender, lends: None })
        };
        let limited = contained(Box::pin(tokio::time::timeout(self.limits.queue, acquire)));
        let permits = set.running.unless_stopped(context, limited).await;
        *waited += asked.elapsed();
        match permits {
            Err(Halted::Cancelled) => Err(Box::new(cancelled_before_start(entry))),
            Err(Halted::Closed) => Err(Box::new(shut())),
            // The body that lends the permit has ended.
            Ok(Ok(Ok(None))) => Err(Box::new(cancelled_before_start(entry))),
            Ok(Ok(Ok(Some(permits)))) => Ok(permits),
            _ => Err(Box::new(ToolReply::not_run(
                Code::Busy,
                format!(
                    "`{}` was not run: too much is running, it waited {} for its turn; try later",
                    entry.spec().name(),
                    super::render::seconds(self.limits.queue)
                ),
            ))),
        }
    }

    /// Waits for the permit that an outer body lends, or for another, whichever is there first.
    async fn either<'a>(
        &'a self,
        lent: &'a Arc<Lent>,
    ) -> Option<(SemaphorePermit<'a>, Lender<'a>)> {
        let mut of_outer = pin!(acquire(lent.permit()));
        let mut of_all = pin!(acquire(&self.permits));
        poll_fn(|cx| {
            if let Poll::Ready(permit) = of_outer.as_mut().poll(cx) {
                return Poll::Ready(permit.map(|permit| (permit, Some(lent))));
            }
            of_all.as_mut().poll(cx).map(|permit| permit.map(|permit| (permit, None)))
        })
        .await
    }
}

/// Whose permit it is, if an outer body lent it.
type Lender<'a> = Option<&'a Arc<Lent>>;

/// The permits of the tool alone. A body that calls its own tool, through however many others, has
/// one of them already: one that waited for itself would wait for ever.
fn own_permits<'a>(context: &CallContext, entry: &'a Entry) -> Option<&'a Semaphore> {
    let permits = entry.permits()?;
    let held = entry.limited().is_some_and(|tool| context.holds(tool));
    (!held).then_some(permits)
}

/// A permit; `None` from a closed semaphore: that of a body that has ended.
async fn acquire(permits: &Semaphore) -> Option<SemaphorePermit<'_>> {
    permits.acquire().await.ok()
}
