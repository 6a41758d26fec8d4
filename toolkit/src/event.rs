//! What happened, as data: events for observers, audit and user interfaces.

pub(crate) mod grant;
pub(crate) mod json;
mod moment;
mod plan;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::call::{Code, Executed};
use crate::context::Origin;
use crate::problem::Repair;
use crate::risk::RiskSet;
use crate::spec::Source;
use crate::verdict::Decision;

pub use grant::{Grant, GrantRecord};
#[cfg(feature = "audit")]
pub(crate) use moment::Moment;
pub use plan::PlanStepRecord;

/// Something that happened, for the operator. Every text in it has passed redaction.
///
/// It serialises as one JSON object, see [its `Serialize`](#impl-Serialize-for-Event).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A call ended: exactly one for each call that began, its future dropped or not.
    CallFinished(Arc<CallRecord>),
    /// A body ended whose call had its reply before, or whose future was dropped: what a
    /// [`CallRecord`] of that call could only call unknown. Observers alone hear of it.
    LateResult(Arc<LateRecord>),
    /// A person is asked: once for a call, however often what they write must be written again.
    ApprovalRequested(Arc<ApprovalRecord>),
    /// The end of that question, exactly one: an answer, a failure, or that nobody waits any more.
    ApprovalDecided(Arc<ApprovalRecord>),
    /// A person allowed more than one call, for the rest of a session. The calls that it then answers
    /// name it in their records.
    Granted(Arc<GrantRecord>),
    /// Such a grant is over before its time.
    GrantEnded(Arc<GrantRecord>),
    /// A tool that sends made a draft.
    Drafted(Arc<DraftRecord>),
    /// A person confirmed a draft; what came of it is in the record of the call that delivers it.
    DraftConfirmed(Arc<DraftRecord>),
    /// A person took a draft back.
    DraftWithdrawn(Arc<DraftRecord>),
    /// Nobody confirmed a draft in time. It is found out when somebody asks for it.
    DraftExpired(Arc<DraftRecord>),
    /// A body said how far it has come. Only listeners hear of it.
    Progress(Arc<ProgressRecord>),
    /// A plan began, ended or skipped a step. Only listeners hear of it; the calls have records of their
    /// own.
    PlanStep(Arc<PlanStepRecord>),
    /// A hook failed, panicked or took too long. Only listeners and the log hear of it: an observer
    /// may be the one that failed.
    HookFailed(Arc<HookFault>),
    /// A tool joined the registry while it ran.
    Registered {
        /// The tool's name.
        tool: Arc<str>,
        /// Where it was written.
        source: Source,
    },
    /// A tool left the registry while it ran.
    Unregistered {
        /// The tool's name.
        tool: Arc<str>,
    },
}

/// All that is known of one finished call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallRecord {
    /// Our own id of the call, whatever ids the provider repeats: unique, but for a call that is made
    /// again in a turn that the host numbered.
    pub call: Arc<str>,
    /// The provider's id.
    pub provider_id: Option<Arc<str>>,
    /// Place of the call in its turn, from 0; 0 for a single call.
    pub index: usize,
    /// The tool's name, or the unknown name that was called (capped).
    pub tool: Arc<str>,
    /// The tool's declared levels; `None` where there is no tool of that name.
    pub risk: Option<RiskSet>,
    /// Who decided to make the call.
    pub origin: Origin,
    /// On whose behalf.
    pub principal: Option<Arc<str>>,
    /// The session.
    pub session: Option<Arc<str>>,
    /// What became of it.
    pub code: Code,
    /// Whether the body had its effect.
    pub executed: Executed,
    /// Whether it was made before, and its reply is the one that it gave then; what `executed` says was
    /// done then.
    pub replay: bool,
    /// Every verdict; empty where the call didn't reach the gate and no rewrite hook refused it.
    pub decision: Decision,
    /// SHA-256 of the canonical final arguments without their secrets, in hexadecimal; `None` where they weren't valid.
    pub digest: Option<Arc<str>>,
    /// The final arguments as canonical JSON with secrets redacted, where the level's detail
    /// includes them.
    pub arguments: Option<Arc<str>>,
    /// The text of the reply, secrets redacted, where the level's detail includes it.
    pub result: Option<Arc<str>>,
    /// The draft that the call made or delivered.
    pub draft: Option<DraftLink>,
    /// What was repaired in the arguments.
    pub repairs: Vec<Repair>,
    /// What a person decided, where one was asked and the question came to an end.
    pub approval: Option<Approval>,
    /// The whole cause of a failure, for the operator.
    pub cause: Option<Cow<'static, str>>,
    /// The reference that the model got in place of the cause.
    pub reference: Option<Arc<str>>,
    /// When the call arrived.
    pub at: SystemTime,
    /// How long it waited for a permit or a person.
    pub waited: Duration,
    /// From arrival to reply.
    pub took: Duration,
}

/// How a body ended that nothing could stop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LateRecord {
    /// Our own id of the call.
    pub call: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// What the reply would have said: `ok`, `failed` or `defect`.
    pub code: Code,
    /// Why it didn't succeed, for the operator.
    pub cause: Option<Cow<'static, str>>,
    /// When it ended.
    pub at: SystemTime,
    /// From the call's arrival to the body's end.
    pub took: Duration,
}

/// A question to a person, and its answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApprovalRecord {
    /// Our own id of the call.
    pub call: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// SHA-256 of the canonical final arguments without their secrets, in hexadecimal.
    pub digest: Arc<str>,
    /// The rule that asked.
    pub rule: Cow<'static, str>,
    /// What came of it: `approved`, `approved_for_session`, `edited`, `granted` (by a grant that was
    /// given meanwhile), `rejected`, `expired`, `cancelled` or `failed`; `None` while the question is
    /// open.
    pub answer: Option<Cow<'static, str>>,
    /// Who answered, where the approver says so.
    pub by: Option<Arc<str>>,
    /// Of what the person wrote instead: the digest, made alike.
    pub edited: Option<Arc<str>>,
    /// The grant that was made of the answer, or that answered.
    pub grant: Option<Arc<str>>,
}

/// What a person decided of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Approval {
    /// `approved`, `approved_for_session`, `edited`, `granted` (by an earlier answer), `rejected`,
    /// `expired`, `cancelled` or `failed`.
    pub answer: Cow<'static, str>,
    /// Who answered, where the approver says so.
    pub by: Option<Arc<str>>,
    /// The digest of the arguments that were asked about; where they were edited, not of those that
    /// ran.
    pub digest: Arc<str>,
    /// The grant that was made of the answer, or that answered.
    pub grant: Option<Arc<str>>,
}

/// A draft, and what a person decided about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DraftRecord {
    /// The draft.
    pub draft: Arc<str>,
    /// Our own id of the call that made it.
    pub call: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The session.
    pub session: Option<Arc<str>>,
    /// On whose behalf it was made.
    pub principal: Option<Arc<str>>,
    /// SHA-256 of what would be sent, as canonical JSON without its secrets, in hexadecimal.
    pub digest: Arc<str>,
    /// Who decided about it, where the host named one.
    pub by: Option<Arc<str>>,
    /// Whether that person changed it.
    pub edited: bool,
    /// When it happened.
    pub at: SystemTime,
}

/// The draft that a call made, or delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftLink {
    /// The draft.
    pub draft: Arc<str>,
    /// Who confirmed it; `None` where the call made it.
    pub confirmed: Option<Confirmer>,
}

/// Who confirmed a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confirmer {
    /// The principal, where the host named one.
    pub by: Option<Arc<str>>,
    /// Whether they changed the draft.
    pub edited: bool,
}

/// How far a body has come, as it says itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgressRecord {
    /// Our own id of the call.
    pub call: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The session.
    pub session: Option<Arc<str>>,
    /// How much is done, in a unit of the tool's own.
    pub done: Option<u64>,
    /// How much there is to do, in the same unit.
    pub total: Option<u64>,
    /// What goes on, at most 500 characters.
    pub message: Option<Arc<str>>,
}

/// A hook at fault.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookFault {
    /// What kind of hook it is.
    pub kind: HookKind,
    /// Its name; of several rewrite hooks that may have broken the arguments, all their names.
    pub hook: Arc<str>,
    /// Our own id of the call that it was asked about.
    pub call: Option<Arc<str>>,
    /// What went wrong, at most 2,000 characters.
    pub what: Arc<str>,
}

/// The kinds of hooks, one a stage of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HookKind {
    /// Rewrites arguments before the gate.
    Rewrite,
    /// Judges a call in the gate.
    Guard,
    /// Wraps the body.
    Around,
    /// Hears of events.
    Observer,
}

impl HookKind {
    /// Every kind, in the order in which a call meets them.
    pub const ALL: [Self; 4] = [Self::Rewrite, Self::Guard, Self::Around, Self::Observer];

    /// The word used in events and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::Guard => "guard",
            Self::Around => "around",
            Self::Observer => "observer",
        }
    }
}

impl fmt::Display for HookKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Event {
    /// The kind of the event, as one word.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::CallFinished(_) => "call_finished",
            Self::LateResult(_) => "late_result",
            Self::ApprovalRequested(_) => "approval_requested",
            Self::ApprovalDecided(_) => "approval_decided",
            Self::Granted(_) => "granted",
            Self::GrantEnded(_) => "grant_ended",
            Self::Drafted(_) => "drafted",
            Self::DraftConfirmed(_) => "draft_confirmed",
            Self::DraftWithdrawn(_) => "draft_withdrawn",
            Self::DraftExpired(_) => "draft_expired",
            Self::Progress(_) => "progress",
            Self::PlanStep(_) => "plan_step",
            Self::HookFailed(_) => "hook_failed",
            Self::Registered { .. } => "registered",
            Self::Unregistered { .. } => "unregistered",
        }
    }

    /// Our own id of the call that it is about, where it is about one.
    pub fn call(&self) -> Option<&Arc<str>> {
        match self {
            Self::CallFinished(record) => Some(&record.call),
            Self::LateResult(record) => Some(&record.call),
            Self::ApprovalRequested(record) | Self::ApprovalDecided(record) => Some(&record.call),
            Self::Granted(record) | Self::GrantEnded(record) => Some(&record.grant.call),
            Self::Drafted(record)
            | Self::DraftConfirmed(record)
            | Self::DraftWithdrawn(record)
            | Self::DraftExpired(record) => Some(&record.call),
            Self::Progress(record) => Some(&record.call),
            Self::HookFailed(fault) => fault.call.as_ref(),
            Self::PlanStep(_) | Self::Registered { .. } | Self::Unregistered { .. } => None,
        }
    }
}
