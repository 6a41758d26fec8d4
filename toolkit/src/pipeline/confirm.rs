//! What a person decides about a draft. A confirmed one passes the rules again and is delivered once,
//! by the same permits, deadline and containment as any body.

mod told;

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use told::{expired, must_be_a_person, shut, told, unknown, unreadable};

use super::draft::shown_draft;
use super::mint::Place;
use super::report::{TARGET, Watched};
use super::validate::Ready;
use super::{Engine, Set, Trail, hex_digest};
use crate::call::{Code, Executed, ToolCall, ToolReply};
use crate::contain::{Unwound, contain, contained};
use crate::context::CallContext;
use crate::draft::{Confirmation, Delivery, MAX_DRAFT};
use crate::event::Event;
use crate::redact::Redactor;
use crate::registry::{Delivers, Entry};
use crate::store::{
    Changed, Decided, Delivered, DraftChange, DraftState, Edited, Store, StoreError, StoredDraft,
};
use crate::text::excerpt;

/// A confirmation under way.
pub(crate) struct Delivering {
    /// The draft as it was found.
    pub(super) draft: StoredDraft,
    pub(super) delivery: Delivery,
    edited: Option<Edited>,
    store: Arc<dyn Store>,
    /// The decision, once it is this confirmation's draft and until its end is kept.
    claimed: Option<Decided>,
    /// Whether another was first: this one delivers nothing, and its reply is the other's.
    lost: bool,
}

impl Delivering {
    /// Whether a person changed the draft.
    pub(super) fn is_edited(&self) -> bool {
        self.edited.is_some()
    }

    /// What lets the draft wait on: whoever confirms it next has not seen an edit.
    fn release(&self) -> DraftChange {
        DraftChange::Release(Box::new(self.draft.clone()))
    }

    /// Nobody waits for the end any more: the draft must not stay claimed for ever, and once the body
    /// has begun not be delivered again.
    pub(super) fn cut_off(&mut self, begun: bool) {
        let Some(decided) = self.claimed.take() else { return };
        let id = &self.draft.id;
        let change = if begun {
            let text = format!("whether {id} was sent can't be known: its delivery was cut off");
            let (code, executed) = (Code::OutcomeUnknown, Executed::Unknown);
            DraftChange::End(DraftState::Unknown(Delivered { decided, code, executed, text }))
        } else {
            self.release()
        };
        let kept = contain(|| {
            // A store in memory is done at once.
            let mut ending = self.store.change_draft(id, change);
            ending.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        });
        if !matches!(kept, Ok(Poll::Ready(Ok(Changed::Yes(_))))) {
            tracing::error!(target: TARGET, draft = id, "the end of a draft not stored");
        }
    }
}

impl Drop for Delivering {
    fn drop(&mut self) {
        self.cut_off(true);
    }
}

impl Engine {
    /// Confirms a draft, as it is or as the person changed it, and delivers it.
    pub(crate) async fn confirm(
        self: &Arc<Self>,
        set: &Arc<Set>,
        context: &CallContext,
        id: &str,
        edit: Option<String>,
    ) -> ToolReply {
        let _entered = set.running.enter();
        if set.running.refuses(context) {
            return shut();
        }
        let draft = match self.find_draft(set, context, id).await {
            Ok(draft) => draft,
            Err(reply) => return *reply,
        };
        let registry = set.load();
        let call = ToolCall::new(draft.tool.clone(), "");
        let mut trail = Trail::new(set, context, &call, Place::Alone, registry.find(&draft.tool));
        let confirmation = Confirmation {
            draft: draft.id.as_str().into(),
            by: context.principal_name().map(Into::into),
        };
        trail.redactor = Redactor::of_secrets(&draft.exact.secrets);
        let delivery = Delivery { value: draft.exact.value.clone(), confirmation };
        trail.delivering = Some(Box::new(Delivering {
            draft,
            delivery,
            edited: None,
            store: Arc::clone(&self.store),
            claimed: None,
            lost: false,
        }));
        let mut watched = Watched::new(self, trail);
        let trail = &mut watched.trail;
        let mut reply = Box::pin(self.deliver(trail, edit)).await;
        self.address(trail, &mut reply);
        reply.aside().draft = Some(id.into());
        // What was decided before is told in its own record, and isn't sent again in this one.
        let lost = trail.delivering.as_ref().is_some_and(|delivering| delivering.lost);
        if !lost && self.has_listeners() {
            Box::pin(self.report(&mut watched, &reply)).await;
        }
        watched.told = true;
        reply
    }

    async fn deliver(self: &Arc<Self>, trail: &mut Trail<'_>, edit: Option<String>) -> ToolReply {
        if let Some(reply) = must_be_a_person(trail.context, "confirm") {
            return reply;
        }
        let Some(delivering) = &mut trail.delivering else { return unknown("") };
        if delivering.draft.state != DraftState::Pending {
            delivering.lost = true;
            return told(&delivering.draft);
        }
        let Some((entry, delivers)) = trail.found.and_then(|entry| Some((entry, entry.commit()?)))
        else {
            let text =
                format!("`{}` is no tool here any more; nothing was sent", trail.call.name());
            return ToolReply::not_run(Code::Denied, text);
        };
        if let Some(reply) = self.standing_reply(trail, entry) {
            return *reply;
        }
        trail.known = true;
        let ready = match self.readied(trail, entry, delivers, edit) {
            Ok(ready) => ready,
            Err(reply) => return *reply,
        };
        trail.valid = true;
        // A person has just decided: that the rules would ask for one is answered, a no stands.
        match self.judgement(trail, entry).await {
            // A guard may have waited beyond the toolkit's end.
            Ok(_) if trail.set.running.refuses(trail.context) => shut(),
            Ok(_) => match self.metered(trail, entry) {
                Ok(()) => self.execute(trail, entry, ready, true).await,
                Err(reply) => *reply,
            },
            Err(reply) => *reply,
        }
    }

    /// The body that delivers; the error is the reply.
    fn readied(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Entry,
        delivers: &Delivers,
        edit: Option<String>,
    ) -> Result<Ready, Box<ToolReply>> {
        let (set, context, redactor) = (trail.set, trail.context, trail.redactor.clone());
        let Some(delivering) = &mut trail.delivering else { return Err(Box::new(unknown(""))) };
        let draft = &delivering.draft;
        if entry.set() != draft.set || self.spec_hash(entry).as_ref() != Ok(&draft.spec) {
            let text = format!(
                "`{}` has changed since it made {}; nothing was sent, so draft it again",
                entry.spec().name(),
                delivering.draft.id
            );
            return Err(Box::new(ToolReply::not_run(Code::Denied, text)));
        }
        if let Some(edit) = edit {
            let settle = delivers.spec.settle;
            let what = match contain(|| settle(&edit)) {
                Ok(Ok(settled)) if settled.len() <= MAX_DRAFT => {
                    let shown = shown_draft(redactor.as_ref(), &settled);
                    let digest = hex_digest(shown.as_bytes());
                    delivering.edited = Some(Edited { exact: settled.clone(), shown, digest });
                    delivering.delivery.value = settled;
                    None
                }
                Ok(Ok(settled)) => Some(format!("it has {} bytes of {MAX_DRAFT}", settled.len())),
                Ok(Err(error)) => Some(error.to_string()),
                Err(Unwound(panic)) => Some(panic),
            };
            if let Some(what) = what {
                let what = excerpt(&crate::redact::text(redactor.as_ref(), &what), 500);
                let text = format!(
                    "{} was not confirmed: as it was edited it can't be sent: {what}",
                    delivering.draft.id
                );
                return Err(Box::new(ToolReply::not_run(Code::InvalidArguments, text)));
            }
        }
        let delivery = &delivering.delivery;
        let prepared = self.prepare_delivery(set, context, entry, delivers, delivery);
        let value = delivery.value.clone();
        trail.arguments = Some(value);
        prepared.map_err(|stop| Box::new(self.stopped(trail, stop)))
    }

    /// Makes the draft this confirmation's, and writes the intent; the error is the reply.
    pub(super) async fn claim(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let context = trail.context;
        let Some(delivering) = &mut trail.delivering else { return Ok(()) };
        if self.clock.now() >= delivering.draft.expires {
            self.expire(&delivering.draft.id).await;
            return Err(Box::new(expired(&delivering.draft.id)));
        }
        let id = delivering.draft.id.clone();
        let decided = Decided::new(context.principal_name(), self.clock.now());
        let edited = delivering.edited.clone().map(Box::new);
        let claim = DraftChange::Claim(decided.clone(), edited);
        match self.change(&id, claim).await {
            Ok(Changed::Yes(draft)) => {
                delivering.claimed = Some(decided);
                self.emit(&Event::DraftConfirmed(Arc::new(draft.record()))).await;
            }
            Ok(Changed::No(draft)) => {
                delivering.lost = true;
                return Err(Box::new(told(&draft)));
            }
            Ok(Changed::Unknown) => return Err(Box::new(unknown(&id))),
            Err(reply) => return Err(reply),
        }
        let intended = self.intend(trail, entry).await;
        if intended.is_err()
            && let Some(delivering) = &mut trail.delivering
        {
            // It may be confirmed again later.
            delivering.claimed = None;
            if let Err(reply) = self.change(&id, delivering.release()).await {
                drop(reply);
            }
        }
        intended
    }

    /// The reply of what delivers, kept as the draft's end.
    pub(super) async fn delivered(&self, trail: &mut Trail<'_>, mut reply: ToolReply) -> ToolReply {
        if self.is_long(&reply) {
            reply = self.fit(trail, reply).await;
        }
        let Some(delivering) = &mut trail.delivering else { return reply };
        let Some(decided) = delivering.claimed.clone() else { return reply };
        let (code, executed) = (reply.code, reply.executed);
        let delivered = Delivered { decided, code, executed, text: reply.text().to_owned() };
        let change = match (code, executed) {
            // A hook didn't let it begin.
            (_, Executed::No) => delivering.release(),
            (Code::Ok, _) => DraftChange::End(DraftState::Done(delivered)),
            (Code::Failed, _) => DraftChange::End(DraftState::Failed(delivered)),
            _ => DraftChange::End(DraftState::Unknown(delivered)),
        };
        let kept = self.change(&delivering.draft.id, change).await;
        delivering.claimed = None;
        // It has happened, so a failure here changes nothing of the reply, and is in the log.
        drop(kept);
        reply
    }

    /// Takes a draft back.
    pub(crate) async fn withdraw(&self, set: &Set, context: &CallContext, id: &str) -> ToolReply {
        if let Some(reply) = must_be_a_person(context, "withdraw") {
            return reply;
        }
        let draft = match self.find_draft(set, context, id).await {
            Ok(draft) => draft,
            Err(reply) => return *reply,
        };
        let decided = Decided::new(context.principal_name(), self.clock.now());
        let mut reply = match self.change(id, DraftChange::Withdraw(decided)).await {
            Ok(Changed::Yes(draft)) => {
                self.emit(&Event::DraftWithdrawn(Arc::new(draft.record()))).await;
                told(&draft)
            }
            Ok(Changed::No(draft)) => told(&draft),
            Ok(Changed::Unknown) => unknown(id),
            Err(reply) => *reply,
        };
        reply.aside().draft = Some(draft.id.into());
        reply
    }

    /// The draft of this id, if it belongs to the context's session and was made by a tool that may be
    /// seen from the set: another's is no more there than that tool.
    pub(crate) async fn draft(
        &self,
        set: &Set,
        context: &CallContext,
        id: &str,
    ) -> Result<Option<StoredDraft>, StoreError> {
        let draft = self.store.draft(id).await?;
        let draft = draft.filter(|draft| draft.session.as_deref() == context.session_id());
        let draft = draft.filter(|draft| set.reaches(draft.set));
        Ok(match draft {
            Some(draft) => Some(self.in_time(draft).await),
            None => None,
        })
    }

    /// Those drafts of the context's session, oldest first.
    pub(crate) async fn drafts(
        &self,
        set: &Set,
        context: &CallContext,
    ) -> Result<Vec<StoredDraft>, StoreError> {
        let mut drafts = Vec::new();
        let made = self.store.drafts(context.session_id()).await?;
        for draft in made.into_iter().filter(|draft| set.reaches(draft.set)) {
            drafts.push(self.in_time(draft).await);
        }
        Ok(drafts)
    }

    async fn find_draft(
        &self,
        set: &Set,
        context: &CallContext,
        id: &str,
    ) -> Result<StoredDraft, Box<ToolReply>> {
        let found = contained(Box::pin(self.draft(set, context, id))).await;
        let what = match found {
            Ok(Ok(Some(draft))) => return Ok(draft),
            Ok(Ok(None)) => return Err(Box::new(unknown(id))),
            Ok(Err(error)) => error.to_string(),
            Err(Unwound(panic)) => panic,
        };
        Err(Box::new(unreadable(id, &what)))
    }

    /// The draft, expired if its time is up.
    async fn in_time(&self, draft: StoredDraft) -> StoredDraft {
        if draft.state == DraftState::Pending && self.clock.now() >= draft.expires {
            self.expire(&draft.id).await.unwrap_or(draft)
        } else {
            draft
        }
    }

    pub(super) async fn expire(&self, id: &str) -> Option<StoredDraft> {
        match self.change(id, DraftChange::Expire).await {
            Ok(Changed::Yes(draft)) => {
                self.emit(&Event::DraftExpired(Arc::new(draft.record()))).await;
                Some(*draft)
            }
            Ok(Changed::No(draft)) => Some(*draft),
            Ok(Changed::Unknown) | Err(_) => None,
        }
    }

    /// One step of a draft; the error is the reply.
    async fn change(&self, id: &str, change: DraftChange) -> Result<Changed, Box<ToolReply>> {
        let what = match contained(self.store.change_draft(id, change)).await {
            Ok(Ok(changed)) => return Ok(changed),
            Ok(Err(error)) => error.to_string(),
            Err(Unwound(panic)) => panic,
        };
        Err(Box::new(unreadable(id, &what)))
    }
}
