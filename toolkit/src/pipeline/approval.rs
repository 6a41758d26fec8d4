//! The gate's last question: where the rules ask for a person, one is asked about exactly what would
//! run. Whatever becomes of the question, it is one request and one decision to those who listen.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use super::edit::Refusal;
use super::grants::{Covering, Settled, Watch, grant_finding};
use super::running::{Halted, shut};
use super::validate::Ready;
use super::{Engine, Trail, hex_digest};
use crate::approval::{Answer, Answered, ApprovalRequest, Approver, Rung};
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain, contained, said};
use crate::event::{Approval, ApprovalRecord, Event};
use crate::registry::Entry;
use crate::verdict::{Decision, Verdict};

/// How often a person may write arguments, until they fit.
const EDITS: usize = 3;

/// What a person agreed to.
#[derive(Debug)]
pub(crate) struct Consent {
    /// The digest of exactly what may run; `None` where nothing may.
    pub(super) binding: Option<String>,
    pub(super) approval: Approval,
    /// What a person changed the arguments to, as it is shown.
    pub(super) edited: Option<String>,
    /// The grant that answered in the person's place.
    pub(super) covering: Option<Covering>,
}

/// A question under way. Where nobody waits for its answer any more, that is its end.
struct Asking<'a> {
    engine: &'a Engine,
    record: ApprovalRecord,
    told: bool,
}

impl Asking<'_> {
    async fn decided(&mut self, approval: Approval, edited: Option<Arc<str>>) {
        self.record.answer = Some(approval.answer);
        self.record.by = approval.by;
        self.record.grant = approval.grant;
        self.record.edited = edited;
        // From here on the telling looks after itself.
        self.told = true;
        let event = Event::ApprovalDecided(Arc::new(self.record.clone()));
        self.engine.emit(&event).await;
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if !self.told {
            self.record.answer = Some(Cow::Borrowed(CANCELLED));
            self.engine.tell(&Event::ApprovalDecided(Arc::new(self.record.clone())));
        }
    }
}

const CANCELLED: &str = "cancelled";

/// Who is asked, and what may answer in their place.
#[derive(Clone, Copy)]
struct ToAsk<'a> {
    approver: &'a dyn Approver,
    watch: Option<&'a Watch>,
}

/// How one round of a question ended.
enum Round {
    Approved,
    /// For the rest of the session as well.
    ForSession(Rung, Option<Duration>),
    /// A grant answered that was given meanwhile.
    Granted(Covering),
    /// The session ended.
    Ended,
    Edited,
    Rejected(Option<Cow<'static, str>>),
    Expired,
    Cancelled,
    /// The toolkit shuts down.
    Closed,
    /// The cause, for the operator.
    Fault(String),
    /// What is wrong with the last of what the person wrote instead.
    Unfit(String),
    /// The tool or the engine is at fault.
    Broken(Box<ToolReply>),
}

impl Round {
    fn word(&self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ForSession(..) => "approved_for_session",
            Self::Granted(_) => "granted",
            Self::Edited => "edited",
            Self::Rejected(_) => "rejected",
            Self::Expired => "expired",
            Self::Cancelled | Self::Closed | Self::Ended => CANCELLED,
            Self::Fault(_) | Self::Unfit(_) | Self::Broken(_) => "failed",
        }
    }
}

impl Engine {
    /// Asks a person about exactly what would run; what they write instead is judged anew.
    pub(super) async fn approval(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        ready: &mut Ready,
    ) -> Result<(), Box<ToolReply>> {
        let spec = entry.spec();
        let refuse = |code, what: &str| {
            Box::new(ToolReply::not_run(code, format!("`{}` was not run: {what}", spec.name())))
        };
        let watch = self.watch(trail, entry);
        if let Some(covering) = watch.as_ref().and_then(|watch| self.covering(watch)) {
            self.answered_by_grant(trail, covering);
            return Ok(());
        }
        let Some(approver) = self.somebody() else { return Err(nobody(entry)) };
        let mut request = self.request(trail, entry);
        if let Some(watch) = &watch {
            request.not_granted = self.not_granted(watch);
            request.for_session = self.offer(trail, entry, watch, approver, &request);
        }
        let watch = watch.as_ref();
        let time = request.time;
        let record = ApprovalRecord {
            call: request.call.as_str().into(),
            tool: spec.name().into(),
            digest: request.digest.as_str().into(),
            rule: Cow::Owned(request.rule.clone()),
            answer: None,
            by: None,
            edited: None,
            grant: None,
        };
        let requested = Event::ApprovalRequested(Arc::new(record.clone()));
        let mut asking = Asking { engine: self, record, told: false };
        self.emit(&requested).await;
        let asked = Instant::now();
        let mut by = None;
        let to_ask = ToAsk { approver, watch };
        let round = self.rounds(trail, entry, ready, to_ask, &mut request, &mut by).await;
        trail.waited += asked.elapsed();
        let beginning = match (&round, watch, &request.for_session) {
            (Round::ForSession(rung, time), Some(watch), Some(offer)) => {
                self.grant(watch, offer, &request, (rung, *time), by.clone())
            }
            _ => None,
        };
        let covering = match &round {
            Round::Granted(covering) => Some(covering.clone()),
            _ => None,
        };
        let grant = beginning.as_ref().map(|beginning| &beginning.grant);
        let grant = grant.or(covering.as_ref().map(|covering| &covering.grant));
        if let Some(covering) = &covering {
            by.clone_from(&covering.grant.by);
            trail.find(grant_finding(&covering.grant));
        }
        let approval = Approval {
            answer: Cow::Borrowed(round.word()),
            by,
            digest: Arc::clone(&asking.record.digest),
            grant: grant.map(|grant| Arc::clone(&grant.id)),
        };
        let edited = matches!(round, Round::Edited).then(|| trail.shown());
        let digest = edited.as_ref().map(|shown| hex_digest(shown.as_bytes()).into());
        let may = matches!(
            round,
            Round::Approved | Round::Edited | Round::ForSession(..) | Round::Granted(_)
        );
        let binding = may.then(|| trail.binding());
        let consent = Consent { binding, approval: approval.clone(), edited, covering };
        trail.consent = Some(Box::new(consent));
        asking.decided(approval, digest).await;
        if let Some(beginning) = beginning {
            beginning.begin().await;
        }
        match round {
            Round::Approved | Round::ForSession(..) | Round::Granted(_) => Ok(()),
            Round::Ended => Err(self.still_stands(trail, entry).err().unwrap_or_else(|| {
                refuse(Code::OutOfScope, "its session ended while a person was asked")
            })),
            Round::Edited => {
                // Their own asking is answered: a person has just decided on these arguments.
                trail.decision = Decision::default();
                self.judgement(trail, entry).await.map(|_| ())
            }
            Round::Rejected(reason) => {
                let reason = reason
                    .map_or(String::new(), |r| format!(": {}", crate::text::excerpt(&r, 300)));
                Err(refuse(
                    Code::Rejected,
                    &format!("a person said no{reason}; don't try it again"),
                ))
            }
            Round::Expired => {
                let time = super::render::seconds(time);
                Err(refuse(Code::Expired, &format!("nobody answered within {time}")))
            }
            Round::Cancelled => Err(refuse(
                Code::CancelledBeforeStart,
                "the call was cancelled while a person was asked",
            )),
            Round::Closed => Err(Box::new(shut())),
            Round::Fault(cause) => {
                trail.cause = Some(Cow::Owned(cause));
                Err(refuse(Code::Denied, "asking a person for approval failed"))
            }
            Round::Unfit(problem) => {
                trail.cause = Some(Cow::Owned(format!("what a person wrote instead: {problem}")));
                Err(refuse(
                    Code::Denied,
                    "a person wanted other arguments and wrote none that fit; don't retry, say so",
                ))
            }
            Round::Broken(reply) => Err(reply),
        }
    }

    /// Who can be asked. One that can't even say whether it is there isn't.
    pub(super) fn somebody(&self) -> Option<&dyn Approver> {
        self.approver
            .as_deref()
            .filter(|approver: &&dyn Approver| contain(|| approver.available()).unwrap_or_default())
    }

    /// Asks, and asks again where the person writes what doesn't fit, all within one time.
    async fn rounds(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
        ready: &mut Ready,
        to_ask: ToAsk<'_>,
        request: &mut ApprovalRequest,
        by: &mut Option<Arc<str>>,
    ) -> Round {
        let (asked, time) = (Instant::now(), request.time);
        for round in 1.. {
            let answered = self.ask(trail, to_ask, request).await;
            // Who wrote what didn't fit has no part in a question that nobody answered after that.
            *by = answered.as_ref().ok().and_then(|answered| answered.by.clone());
            let written = match answered {
                Err(round) => return round,
                Ok(answered) => answered.answer,
            };
            let written = match written {
                Answer::Approve => return Round::Approved,
                Answer::Deny(reason) => return Round::Rejected(reason),
                Answer::ApproveForSession(rung, time) => {
                    let offer = request.for_session.as_ref();
                    return if offer.is_some_and(|offer| offer.includes(&rung, time)) {
                        Round::ForSession(rung, time)
                    } else {
                        Round::Fault(format!("the answer was not offered: {rung:?}, {time:?}"))
                    };
                }
                Answer::Edit(written) => written,
            };
            match self.edit(trail, entry, ready, &written) {
                Ok(true) => return Round::Edited,
                Ok(false) => return Round::Approved,
                Err(Refusal::Unfit(problem)) if round < EDITS => {
                    request.problem = Some(problem);
                    request.time = time.saturating_sub(asked.elapsed());
                }
                Err(Refusal::Unfit(problem)) => return Round::Unfit(problem),
                Err(Refusal::Broken(reply)) => return Round::Broken(reply),
            }
        }
        Round::Expired
    }

    /// One answer, or why there is none.
    async fn ask(
        &self,
        trail: &Trail<'_>,
        ToAsk { approver, watch }: ToAsk<'_>,
        request: &ApprovalRequest,
    ) -> Result<Answered, Round> {
        // The time of the bodies around it is theirs, and not the person's.
        let _stopped = trail.context.stop_clock();
        // Inside a future of its own, since making the approver's may panic as well.
        let mut answered = pin!(contained(Box::pin(async {
            tokio::time::timeout(request.time, approver.ask_whom(request)).await
        })));
        let mut settled = pin!(self.settled_by_session(watch));
        // What a person says goes before what was said for the session.
        let either = poll_fn(|cx| match answered.as_mut().poll(cx) {
            Poll::Ready(answered) => Poll::Ready(Ok(answered)),
            Poll::Pending => settled.as_mut().poll(cx).map(Err),
        });
        match trail.set.running.unless_stopped(trail.context, either).await {
            Err(Halted::Cancelled) => Err(Round::Cancelled),
            Err(Halted::Closed) => Err(Round::Closed),
            Ok(Err(Settled::Granted(covering))) => Err(Round::Granted(covering)),
            Ok(Err(Settled::Ended)) => Err(Round::Ended),
            Ok(Ok(Ok(Ok(Ok(answered))))) => Ok(answered),
            Ok(Ok(Ok(Ok(Err(error))))) => {
                Err(Round::Fault(format!("the approver failed: {}", said(&*error))))
            }
            Ok(Ok(Ok(Err(_)))) => Err(Round::Expired),
            Ok(Ok(Err(Unwound(panic)))) => Err(Round::Fault(format!("the approver {panic}"))),
        }
    }

    fn request(&self, trail: &mut Trail<'_>, entry: &Entry) -> ApprovalRequest {
        let (spec, context) = (entry.spec(), trail.context);
        let call = trail.id(&self.minter);
        let arguments = trail.shown();
        let asks = trail.decision.findings().iter();
        let asks = asks.filter(|finding| finding.verdict == Some(Verdict::Ask));
        let mut rules = asks.map(|finding| format!("{}: {}", finding.source, finding.reason));
        ApprovalRequest {
            call: call.as_ref().to_owned(),
            tool: spec.name().to_owned(),
            title: spec.title().map(str::to_owned),
            description: spec.description().to_owned(),
            risk: spec.risk(),
            origin: context.origin(),
            principal: context.principal_name().map(str::to_owned),
            session: context.session_id().map(str::to_owned),
            digest: hex_digest(arguments.as_bytes()),
            arguments,
            repairs: trail.repairs.clone(),
            rule: rules.next().unwrap_or_default(),
            also: rules.collect(),
            not_granted: Vec::new(),
            for_session: None,
            problem: None,
            time: self.policy.approval_time_of(context.origin(), spec.risk()),
        }
    }
}

/// The reply where nobody can be asked.
pub(super) fn nobody(entry: &Entry) -> Box<ToolReply> {
    let text = format!(
        "`{}` was not run: a person must approve it, and nobody can be asked here; \
         don't retry, say so",
        entry.spec().name()
    );
    Box::new(ToolReply::not_run(Code::NoApprover, text))
}
