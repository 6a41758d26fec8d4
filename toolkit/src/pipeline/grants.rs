//! Grants at the gate: what may be offered with a question, what becomes of one that is given, and
//! which calls it answers. All is built here, from the final arguments of the question.

use std::borrow::Cow;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::approval::Consent;
use super::mint::Parts;
use super::{Engine, Trail, canonical, hex_digest, now};
use crate::approval::{ApprovalRequest, Approver, Offer, OfferedArgument, Rung};
use crate::call::{Code, ToolReply};
use crate::contain::contain;
use crate::event::{Approval, Event, Grant, GrantRecord};
use crate::json::{Scanner, members};
use crate::policy::Widest;
use crate::registry::Entry;
use crate::session::{Argument, Held, Question, State};
use crate::verdict::{Finding, Verdict};

/// How much of the arguments the words of a grant quote, in characters.
const QUOTED: usize = 300;

/// A question that grants of its session may answer.
pub(super) struct Watch {
    state: Arc<State>,
    question: Question,
}

/// A grant that answers.
#[derive(Clone)]
pub(super) struct Covering {
    state: Arc<State>,
    pub(super) grant: Arc<Grant>,
}

impl std::fmt::Debug for Covering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Covering").field(&self.grant.id).finish()
    }
}

/// Why a question needs no answer any more.
pub(super) enum Settled {
    Granted(Covering),
    /// The session has ended.
    Ended,
}

/// A grant that is kept and answers nothing yet. Where it never begins to, it is gone.
pub(super) struct Beginning<'a> {
    engine: &'a Engine,
    state: Arc<State>,
    pub(super) grant: Arc<Grant>,
    told: bool,
    begun: bool,
}

impl Beginning<'_> {
    /// Tells of it, and lets it answer.
    pub(super) async fn begin(mut self) {
        self.told = true;
        let record = GrantRecord { grant: Grant::clone(&self.grant), ended: None, at: now() };
        self.engine.emit(&Event::Granted(Arc::new(record))).await;
        self.begun = true;
        self.state.grants().begin(&self.grant.id);
        self.state.changed();
        if self.state.is_ended()
            && self.state.grants().revoke(&self.grant.id, self.grant.made).is_some()
        {
            // Whoever ended the session may not have seen it.
            self.engine.grant_ended(&self.grant, "session_ended");
        }
    }
}

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        if self.begun {
            return;
        }
        self.state.grants().revoke(&self.grant.id, self.grant.made);
        if self.told {
            self.engine.grant_ended(&self.grant, "revoked");
        }
    }
}

impl Engine {
    /// The question as grants of its session see it; `None` where none could answer it.
    pub(super) fn watch(&self, trail: &Trail<'_>, entry: &Entry) -> Option<Watch> {
        if !self.sessions.any() || trail.delivering.is_some() {
            return None;
        }
        let state = self.sessions.find(trail.context.session_id()?)?;
        let mut tool = Parts::new(b"toolkit granted tool");
        let (spec, source) = (entry.spec(), entry.spec().source());
        // What can't be told apart is granted nothing.
        tool.add(self.spec_hash(entry).ok()?.as_bytes());
        // What was allowed of a tool was allowed of no other that has its name, elsewhere or later.
        tool.add(&entry.set().to_be_bytes());
        tool.add(&entry.lot().to_be_bytes());
        tool.add(spec.description().as_bytes());
        tool.add(source.file.as_bytes());
        tool.add(&source.line.to_be_bytes());
        tool.add(source.module.as_bytes());
        let asks = trail.decision.findings().iter();
        let asks = asks.filter(|finding| finding.verdict == Some(Verdict::Ask));
        let question = Question {
            tool: tool.digest(),
            origin: trail.context.origin(),
            principal: trail.context.principal_name().map(Into::into),
            askers: asks.map(|finding| finding.source.to_string()).collect(),
            binding: trail.binding(),
            arguments: self.arguments_of(entry, &canonical(trail.text())),
        };
        Some(Watch { state, question })
    }

    /// The arguments by their declared names; none where one is given twice.
    fn arguments_of(&self, entry: &Entry, canonical: &str) -> Vec<Argument> {
        let spec = entry.spec();
        let declared = |key: &str| {
            let mut all = spec.parameters().iter();
            all.find(|held| held.name() == key || held.aliases().contains(&key))
        };
        let lists = self.targets.iter().filter(|(tool, _)| tool == spec.name());
        let lists: Vec<&String> = lists.flat_map(|(_, names)| names).collect();
        let mut arguments: Vec<Argument> = Vec::new();
        for (key, value) in members(&Scanner::new(canonical)) {
            let name = declared(&key).map_or(&*key, |declared| declared.name()).to_owned();
            if arguments.iter().any(|held| held.name == name) {
                return Vec::new();
            }
            let elements = || serde_json::from_str::<Vec<&RawValue>>(value).ok();
            let targets = lists.contains(&&name).then(elements).flatten();
            let targets = targets.map(|all| all.iter().map(|one| one.get().to_owned()).collect());
            arguments.push(Argument { name, value: value.to_owned(), targets });
        }
        arguments
    }

    /// The grant that answers a question.
    pub(super) fn covering(&self, watch: &Watch) -> Option<Covering> {
        let state = &watch.state;
        if state.is_ended() {
            return None;
        }
        let grant = state.grants().covering(&watch.question, self.clock.now())?;
        Some(Covering { state: Arc::clone(state), grant })
    }

    /// Lets a grant answer for a person, who isn't asked.
    pub(super) fn answered_by_grant(&self, trail: &mut Trail<'_>, covering: Covering) {
        trail.find(grant_finding(&covering.grant));
        let grant = &covering.grant;
        let approval = Approval {
            answer: Cow::Borrowed("granted"),
            by: grant.by.clone(),
            digest: hex_digest(trail.shown().as_bytes()).into(),
            grant: Some(Arc::clone(&grant.id)),
        };
        let binding = Some(trail.binding());
        let consent = Consent { binding, approval, edited: None, covering: Some(covering) };
        trail.consent = Some(Box::new(consent));
    }

    /// Resolves when a question that waits is answered by a grant, or its session has ended.
    pub(super) async fn settled_by_session(&self, watch: Option<&Watch>) -> Settled {
        let Some(watch) = watch else { return pending().await };
        loop {
            let mut changed = pin!(watch.state.changes());
            // From here on nothing is missed.
            changed.as_mut().enable();
            if watch.state.is_ended() {
                return Settled::Ended;
            }
            if let Some(covering) = self.covering(watch) {
                return Settled::Granted(covering);
            }
            changed.await;
        }
    }

    /// What may be offered for the rest of the session: nothing where the question is longer than the
    /// approver shows whole.
    pub(super) fn offer(
        &self,
        trail: &Trail<'_>,
        entry: &Entry,
        watch: &Watch,
        approver: &dyn Approver,
        request: &ApprovalRequest,
    ) -> Option<Offer> {
        let (spec, origin) = (entry.spec(), trail.context.origin());
        let (widest, longest) = self.policy.grants_of(origin, spec.risk());
        let room = contain(|| approver.room()).unwrap_or_default();
        if widest == Widest::Nothing
            || longest.is_zero()
            || request.rendering().chars().nth(room).is_some()
            || !watch.state.grants().has_room(self.clock.now())
        {
            return None;
        }
        let secret = |name: &str| spec.parameters().iter().any(|p| p.secret() && p.name() == name);
        let shown = self.arguments_of(entry, &request.arguments);
        // What isn't shown whole isn't granted by itself.
        let whole = |held: &&Argument| !secret(&held.name) && shown.contains(held);
        let arguments = watch.question.arguments.iter().filter(whole);
        let arguments = arguments.filter(|_| widest >= Widest::Arguments);
        Some(Offer {
            of: spec.name().to_owned(),
            exact: widest >= Widest::Exact,
            arguments: arguments
                .map(|held| OfferedArgument {
                    name: held.name.clone(),
                    value: held.value.clone(),
                    targets: held.targets.is_some(),
                })
                .collect(),
            tool: widest >= Widest::Tool,
            longest,
        })
    }

    /// The targets of a question that no grant names yet, where others of it are granted.
    pub(super) fn not_granted(&self, watch: &Watch) -> Vec<String> {
        let missing = watch.state.grants().missing(&watch.question, self.clock.now());
        missing.iter().map(|(name, left)| format!("{name}: {}", left.join(", "))).collect()
    }

    /// Keeps the grant that a person gave on an offer; `None` where there is no room for it any more.
    pub(super) fn grant(
        &self,
        watch: &Watch,
        offer: &Offer,
        request: &ApprovalRequest,
        (rung, time): (&Rung, Option<Duration>),
        by: Option<Arc<str>>,
    ) -> Option<Beginning<'_>> {
        let made = self.clock.now();
        let time = time.unwrap_or(offer.longest).min(offer.longest);
        let covers = match rung {
            Rung::Exact => {
                let shown = crate::text::visible(&request.arguments, false);
                format!("`{}` with {}", request.tool, crate::text::excerpt(&shown, QUOTED))
            }
            _ => offer.text(rung),
        };
        let grant = Arc::new(Grant {
            id: self.minter.grant(),
            call: request.call.as_str().into(),
            session: Arc::clone(watch.state.id()),
            tool: request.tool.as_str().into(),
            risk: request.risk,
            rung: rung.as_str(),
            covers: covers.into(),
            origin: watch.question.origin,
            principal: watch.question.principal.clone(),
            by,
            made,
            expires: made.checked_add(time)?,
        });
        let held = Held::of(&watch.question, rung, Arc::clone(&grant), time)?;
        let kept = watch.state.grants().keep(held, made);
        let state = Arc::clone(&watch.state);
        kept.then_some(Beginning { engine: self, state, grant, told: false, begun: false })
    }

    /// Whether a call that a grant answered may still begin; the error is the reply.
    pub(super) fn still_granted(
        &self,
        trail: &mut Trail<'_>,
        entry: &Entry,
    ) -> Result<(), Box<ToolReply>> {
        let consent = trail.consent.as_ref();
        let Some(covering) = consent.and_then(|consent| consent.covering.as_ref()) else {
            return Ok(());
        };
        if covering.state.grants().has(&covering.grant.id, self.clock.now()) {
            return Ok(());
        }
        trail.cause = Some(Cow::Owned(format!("{} had ended by then", covering.grant.id)));
        let text = format!(
            "`{}` was not run: what a person had allowed for the session was over before it began; \
             try again, so that they are asked",
            entry.spec().name()
        );
        Err(Box::new(ToolReply::not_run(Code::Denied, text)))
    }

    /// The grants of a session that answer now.
    pub(crate) fn grants_of(&self, state: &State) -> Vec<Arc<Grant>> {
        state.grants().list(self.clock.now())
    }

    /// Takes a grant back, if it still answers.
    pub(crate) fn revoke(&self, state: &State, id: &str) -> Option<Arc<Grant>> {
        state.grants().revoke(id, self.clock.now())
    }

    /// Tells that a grant is over before its time.
    pub(crate) fn grant_ended(&self, grant: &Grant, why: &'static str) {
        let record = GrantRecord { grant: grant.clone(), ended: Some(why), at: now() };
        self.tell(&Event::GrantEnded(Arc::new(record)));
    }
}

/// What a grant says of a call.
pub(super) fn grant_finding(grant: &Grant) -> Finding {
    let by = grant.by.as_ref().map_or(String::new(), |by| format!(", by {by}"));
    Finding {
        verdict: None,
        source: Cow::Owned(format!("grant {}", grant.id)),
        reason: Cow::Owned(format!("allowed for the session{by}: {}", grant.covers)),
    }
}
