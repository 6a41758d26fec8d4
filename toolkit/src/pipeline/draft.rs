//! Drafts in the making: what the body of a tool that sends returns is kept, and nothing is sent.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::cut::{cut, fits};
use super::execute::Ended;
use super::{Engine, Trail, canonical, defect, hex_digest, now};
use crate::call::{Code, Executed, ToolReply};
use crate::contain::{Unwound, contain, contained};
use crate::draft::MAX_DRAFT;
use crate::event::Event;
use crate::output::Outcome;
use crate::redact::Redactor;
use crate::registry::Entry;
use crate::store::{DraftState, Exact, StoredDraft};
use crate::text::excerpt;

/// As good as for ever, where a time is longer than the clock can count.
const FAR: Duration = Duration::from_secs(u32::MAX as u64);

/// The time by which drafts expire: that of the wall, or that which has passed here, whichever is
/// later. So neither a clock that is set back nor a machine that slept keeps one alive.
pub(crate) struct Clock {
    wall: SystemTime,
    start: Instant,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { wall: now(), start: Instant::now() }
    }

    pub(super) fn now(&self) -> SystemTime {
        let passed = self.wall.checked_add(self.start.elapsed());
        now().max(passed.unwrap_or(self.wall))
    }
}

/// What the body drafted, before anything is redacted in it: what is confirmed is what is sent.
pub(super) fn exact_draft(trail: &Trail<'_>, entry: &Entry, ended: &Ended) -> Option<String> {
    entry.commit()?;
    match ended {
        Ended::Done(Outcome(Ok(output))) if trail.delivering.is_none() => {
            output.json().map(str::to_owned)
        }
        _ => None,
    }
}

/// What of a draft leaves the call: canonical JSON without its secrets, which have no keys in it.
pub(super) fn shown_draft(redactor: Option<&Redactor>, exact: &str) -> String {
    let canonical = crate::json::canonical(exact);
    match redactor {
        Some(redactor) => redactor.json(&canonical).into_owned(),
        None => canonical,
    }
}

impl Engine {
    /// What a tool that sends replies in the place of its body, or of what delivers its draft.
    pub(super) async fn settle(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        mut reply: ToolReply,
        exact: Option<String>,
    ) -> ToolReply {
        if trail.delivering.is_some() {
            return self.delivered(trail, reply).await;
        }
        // The body may have run to its end, but the tool's effect is that of the commit.
        reply.executed = Executed::No;
        let name = entry.spec().name();
        let what = match (reply.code, exact) {
            (Code::Ok, Some(exact)) => return self.drafted(trail, entry, exact, reply).await,
            // What a hook put in the place of the draft.
            (Code::Ok, None) => return defect(self, trail, Executed::No, "it left no draft"),
            (Code::TimedOut, _) => "took too long",
            (Code::Cancelled, _) => "was cancelled",
            _ => return reply,
        };
        let text = format!("`{name}` {what} while it drafted; nothing was sent");
        ToolReply::not_run(reply.code, text)
    }

    /// Keeps a draft and says so.
    async fn drafted(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
        exact: String,
        reply: ToolReply,
    ) -> ToolReply {
        // A hook may have put anything in the place of the draft.
        let settled = entry.commit().map(|delivers| contain(|| (delivers.spec.settle)(&exact)));
        // What is kept and shown is what is read back: a type may read less than it writes.
        let Some(Ok(Ok(settled))) = settled else {
            return defect(self, trail, Executed::No, "what it drafted can't be read back");
        };
        // The author's words are of the draft as it was written.
        let worded = settled == exact || canonical(&settled) == canonical(&exact);
        let exact = settled;
        if exact.len() > MAX_DRAFT {
            return defect(self, trail, Executed::No, "what it drafted is read back too long");
        }
        let spec = match self.spec_hash(entry) {
            Ok(spec) => spec,
            Err(cause) => return defect(self, trail, Executed::No, cause),
        };
        let Some(output) = reply.output() else { return reply };
        let (context, name) = (trail.context, entry.spec().name());
        let value = shown_draft(trail.redactor.as_ref(), &exact);
        let secrets = trail.redactor.as_ref().map(|redactor| redactor.secrets().to_vec());
        let made = self.clock.now();
        let until = made.checked_add(self.limits.drafts);
        let draft = StoredDraft {
            id: self.minter.draft().as_ref().to_owned(),
            call: trail.id(&self.minter).as_ref().to_owned(),
            tool: name.to_owned(),
            set: entry.set(),
            spec,
            risk: entry.spec().risk(),
            origin: context.origin(),
            principal: context.principal_name().map(str::to_owned),
            session: context.session_id().map(str::to_owned),
            digest: hex_digest(value.as_bytes()),
            value,
            text: output.rendered().filter(|_| worded).map(|text| excerpt(text, MAX_DRAFT)),
            edited: false,
            made,
            expires: until.or_else(|| made.checked_add(FAR)).unwrap_or(made),
            state: DraftState::Pending,
            exact: Exact {
                value: exact,
                arguments: canonical(trail.text()),
                secrets: secrets.unwrap_or_default(),
            },
        };
        let text = self.waiting(name, &draft.id, &reply);
        let (id, record) = (draft.id.clone(), draft.record());
        self.expire_overdue(made).await;
        let cause = match contained(self.store.keep_draft(draft)).await {
            Ok(Ok(())) => {
                self.emit(&Event::Drafted(Arc::new(record))).await;
                let mut reply = ToolReply::not_run(Code::NeedsConfirmation, text);
                reply.aside().draft = Some(id.into());
                return reply;
            }
            Ok(Err(error)) => format!("the store refused the draft: {error}"),
            Err(Unwound(panic)) => format!("the store {panic}"),
        };
        trail.cause = Some(cause.into());
        let text = format!("`{name}` sent nothing: its draft can't be kept now; try later");
        ToolReply::not_run(Code::Denied, text)
    }

    /// Ends what waits though its time is up, so that drafts which nobody asks for any more take no room
    /// from new ones.
    async fn expire_overdue(&self, at: SystemTime) {
        // What can't be told now is told to whoever asks for it.
        if let Ok(Ok(late)) = contained(self.store.overdue(at)).await {
            for id in &late {
                self.expire(id).await;
            }
        }
    }

    /// What the model hears of its draft, within the budget.
    fn waiting(&self, name: &str, id: &str, reply: &ToolReply) -> String {
        let budget = self.limits.output;
        let mut text = format!(
            "`{name}` sent nothing: {id} waits for a person to confirm it; say so, and don't call it \
             again for this"
        );
        let room = budget.saturating_sub(text.chars().count() + 1);
        // Less than that shows nothing of a draft that one could recognise.
        if room >= 80
            && let Some(output) = reply.output()
        {
            // Nothing of a draft lies in a file.
            let whole = output.shown();
            let cut = if fits(whole, room) { None } else { cut(whole, room, None).ok() };
            if let Some(shown) = cut.as_deref().or(whole.text()) {
                text.push('\n');
                text.push_str(shown);
            }
        }
        excerpt(&text, budget)
    }

    /// The identity of a tool and of what delivers its drafts, the same in every process that has the
    /// same of both.
    pub(super) fn spec_hash(&self, entry: &Entry) -> Result<String, String> {
        let (spec, commit) = (entry.spec(), entry.commit().map(|delivers| delivers.spec));
        let schema = entry.contract().map_err(ToString::to_string)?.text();
        let delivers =
            commit.map(|commit| (commit.source.module, commit.name, (commit.type_name)()));
        let parts = (spec.name(), spec.wire_name(), spec.risk().to_string(), schema, delivers);
        let parts = serde_json::to_string(&parts).map_err(|error| error.to_string())?;
        Ok(hex_digest(parts.as_bytes()))
    }
}
