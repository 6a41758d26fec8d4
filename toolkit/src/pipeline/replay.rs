//! A call of a numbered turn that is made again: it gives the reply that it gave, and runs nothing.
//! Of several at once one runs, and the others wait for its reply.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::execute::cancelled_before_start;
use super::mint::Parts;
use super::running::{Halted, shut};
use super::written::Written;
use super::{Engine, Trail, canonical};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, contained};
use crate::hook::BoxFuture;
use crate::registry::Entry;
use crate::store::{End, StoreError};

/// A call that is to run once.
pub(super) struct Once {
    /// Held until the reply is kept.
    _flight: Flight,
    fingerprint: String,
    /// Whether it was made before, and may run again.
    again: bool,
    /// Its record, where it is written that its body is begun.
    begun: Option<Written>,
}

/// The calls under way that are to run once, by id: few at any time.
#[derive(Clone, Default)]
pub(crate) struct Flights(Arc<Mutex<Vec<Lane>>>);

/// The id of a call, and the turn of those that have it.
type Lane = (Arc<str>, Arc<Semaphore>);

impl Flights {
    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        // Each change leaves the list whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, call: &Arc<str>) -> Flight {
        let mut flights = self.lock();
        let lane = match flights.iter().find(|(id, _)| id == call) {
            Some((_, lane)) => Arc::clone(lane),
            None => {
                let lane = Arc::new(Semaphore::new(1));
                flights.push((Arc::clone(call), Arc::clone(&lane)));
                lane
            }
        };
        drop(flights);
        Flight { flights: self.clone(), lane: Some(lane), turn: None }
    }
}

/// One of the calls of an id: it has its turn, or waits for it.
struct Flight {
    flights: Flights,
    /// Let go at its end.
    lane: Option<Arc<Semaphore>>,
    turn: Option<OwnedSemaphorePermit>,
}

impl Flight {
    /// Whether it has its turn without waiting.
    fn is_first(&mut self) -> bool {
        self.turn = self.lane.as_ref().and_then(|lane| Arc::clone(lane).try_acquire_owned().ok());
        self.turn.is_some()
    }

    async fn wait(&mut self) {
        let Some(lane) = &self.lane else { return };
        // It is never closed.
        self.turn = Arc::clone(lane).acquire_owned().await.ok();
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.turn = None;
        let mut flights = self.flights.lock();
        // While the list is locked, so that of several who leave at once the last knows that it is.
        self.lane = None;
        flights.retain(|(_, lane)| Arc::strong_count(lane) > 1);
    }
}

impl Engine {
    /// Lets the call run unless it was made before; the error is the reply.
    pub(super) async fn once(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let call = trail.id(&self.minter);
        let mut flight = self.flights.enter(&call);
        if !flight.is_first() {
            let since = Instant::now();
            let waited = trail.set.running.unless_stopped(trail.context, flight.wait()).await;
            trail.waited += since.elapsed();
            match waited {
                Ok(()) => {}
                Err(Halted::Cancelled) => return Err(Box::new(cancelled_before_start(entry))),
                Err(Halted::Closed) => return Err(Box::new(shut())),
            }
        }
        let fingerprint = fingerprint(trail, entry);
        let again = self.made(trail, entry, &fingerprint).await?;
        trail.once = Some(Box::new(Once { _flight: flight, fingerprint, again, begun: None }));
        Ok(())
    }

    /// Whether the call was made before and may run again; the error is the reply where it may not.
    async fn made(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        fingerprint: &str,
    ) -> Result<bool, Box<ToolReply>> {
        let call = trail.id(&self.minter);
        let made = match stored(self.store.made(&call)).await {
            Ok(made) => made,
            Err(cause) => return Err(Box::new(unwritten(trail, entry, cause))),
        };
        let again = made.is_some();
        let name = entry.spec().name();
        match made {
            Some(made) if made.fingerprint != fingerprint => {
                let text = format!(
                    "`{name}` was not run: another call of this turn had the same id; \
                     make a new call with an id of its own"
                );
                trail.cause = Some(Cow::Borrowed("the id of the call was used for another one"));
                return Err(Box::new(ToolReply::not_run(Code::CallIdReused, text)));
            }
            Some(made) => match made.end {
                End::Reply(mut reply) => {
                    reply.aside().replay = true;
                    return Err(reply);
                }
                End::Open | End::Gone if entry.spec().idempotent() => {}
                End::Open => return Err(unknown(trail, name, "what came of it isn't known")),
                End::Gone => return Err(unknown(trail, name, "its reply isn't kept any more")),
            },
            None => {}
        }
        Ok(again)
    }

    /// What [`once`](Self::once) would reply now, waiting for no twin of the call.
    pub(super) async fn made_before(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let fingerprint = fingerprint(trail, entry);
        self.made(trail, entry, &fingerprint).await.map(|_| ())
    }

    /// Writes that the body is about to run; the error is the reply. A body that only reads may run
    /// again whatever came of it.
    pub(super) async fn begin(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let call = trail.id(&self.minter);
        let Some(once) = trail.once.as_mut().filter(|_| !entry.spec().risk().is_read()) else {
            return Ok(());
        };
        match stored(self.store.begin(&call, &once.fingerprint, once.again)).await {
            Ok(true) => {
                once.begun = Some(Written::begun(&self.store, call));
                Ok(())
            }
            // Another toolkit on the same store.
            Ok(false) => Err(Box::new(ToolReply::not_run(
                Code::Busy,
                format!("`{}` was not run: this call is under way already", entry.spec().name()),
            ))),
            Err(cause) => Err(Box::new(unwritten(trail, entry, cause))),
        }
    }

    /// Keeps the reply for when the call is made again, if its body was entered or a person has
    /// refused it. All else may be tried again.
    pub(super) async fn finish(&self, trail: &mut Trail<'_>, reply: &ToolReply) {
        let call = trail.id(&self.minter);
        let Some(mut once) = trail.once.take() else { return };
        let entered = trail.has_entered() || reply.executed != Executed::No;
        let done = if reply.executed == Executed::Unknown {
            // What was begun stays open, and nobody will end it.
            return;
        } else if entered || reply.code == Code::Rejected {
            let mut kept = reply.to_keep();
            if !trail.repairs.is_empty() {
                kept.aside().repairs.clone_from(&trail.repairs);
            }
            stored(self.store.finish(&call, &once.fingerprint, kept)).await
        } else if once.begun.is_some() && !once.again {
            stored(self.store.forget(&call)).await
        } else {
            return;
        };
        match (done, once.begun.take()) {
            (Ok(()), Some(begun)) => begun.end(),
            (Ok(()), None) => {}
            (Err(what), _) => {
                tracing::error!(target: super::report::TARGET, call = &*call, what, "reply not stored");
            }
        }
    }
}

/// By what a call is known again: all that the caller chose, and who it is.
fn fingerprint(trail: &Trail<'_>, entry: &Entry) -> String {
    let context = trail.context;
    let mut parts = Parts::new(b"toolkit call made");
    parts.add(context.session_id().unwrap_or_default().as_bytes());
    parts.add(&context.turn_number().unwrap_or_default().to_be_bytes());
    parts.add(&(trail.place.index() as u64).to_be_bytes());
    parts.add(trail.call.provider_id().unwrap_or_default().as_bytes());
    parts.add(context.origin().as_str().as_bytes());
    parts.add(&[u8::from(context.principal_name().is_some())]);
    parts.add(context.principal_name().unwrap_or_default().as_bytes());
    parts.add(entry.spec().name().as_bytes());
    // As they came: what hooks and people make of them may be another thing each time.
    parts.add(canonical(&trail.call.arguments).as_bytes());
    parts.digest()
}

fn unknown(trail: &mut Trail<'_>, name: &str, what: &'static str) -> Box<ToolReply> {
    trail.cause = Some(Cow::Borrowed(what));
    let text = format!(
        "`{name}` was not run again: this call was begun before, and {what}; \
         look at what it did before you make a new one"
    );
    let mut reply = ToolReply::not_run(Code::OutcomeUnknown, text);
    reply.executed = Executed::Unknown;
    Box::new(reply)
}

fn unwritten(trail: &mut Trail<'_>, entry: &Entry, cause: String) -> ToolReply {
    trail.cause = Some(Cow::Owned(cause));
    let name = entry.spec().name();
    ToolReply::not_run(
        Code::Denied,
        format!("`{name}` was not run: it can't be recorded now; try later"),
    )
}

/// What the store gives, or why it gives nothing.
async fn stored<T>(future: BoxFuture<'_, Result<T, StoreError>>) -> Result<T, String> {
    match contained(future).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(format!("the store refused it: {error}")),
        Err(Unwound(panic)) => Err(format!("the store {panic}")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn a_lane_that_all_leave_at_once_is_gone() {
        let (flights, start) = (Flights::default(), Barrier::new(4));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..5_000 {
                        let flight = flights.enter(&round.to_string().into());
                        start.wait();
                        drop(flight);
                    }
                });
            }
        });
        assert_eq!(flights.lock().len(), 0);
    }
}
