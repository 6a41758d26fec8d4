//! The room of drafts: what waits for a person's confirmation, and what became of it.

use std::fmt::{self, Write};
use std::time::SystemTime;

use super::{StoreError, sealed};
use crate::call::{Code, Executed};
use crate::context::Origin;
use crate::event::DraftRecord;
use crate::hook::BoxFuture;
use crate::risk::RiskSet;
use crate::text::visible;

/// A draft as it is kept.
///
/// It is bound to what it was made by: the tool and its spec, the arguments, the session, the principal
/// and the time until which it may be confirmed. The texts are without secrets; what would be sent
/// is kept exactly, and forgotten once the draft has come to its end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredDraft {
    /// The draft's id: what a person confirms.
    pub id: String,
    /// Our own id of the call that made it.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// SHA-256 of the tool's spec and of what delivers the draft: another tool of that name can't.
    pub spec: String,
    /// The tool's declared levels.
    pub risk: RiskSet,
    /// Who decided to make the call.
    pub origin: Origin,
    /// On whose behalf.
    pub principal: Option<String>,
    /// The session, in which alone it can be seen and confirmed.
    pub session: Option<String>,
    /// SHA-256 of `value`, in hexadecimal.
    pub digest: String,
    /// What would be sent, as canonical JSON with secrets redacted.
    pub value: String,
    /// What the tool's author wrote for people to read of it, where the tool says `render`; not of a
    /// draft that reads back as another than was written, nor of one that a person changed.
    pub text: Option<String>,
    /// Whether a person changed it when they confirmed it.
    pub edited: bool,
    /// When it was made.
    pub made: SystemTime,
    /// Until when it can be confirmed, exclusive.
    pub expires: SystemTime,
    /// How it stands.
    pub state: DraftState,
    /// The number of the set that the tool is of; 0 for the toolkit's own.
    pub(crate) set: u64,
    pub(crate) exact: Exact,
}

/// What is delivered, secrets included.
#[derive(Clone, Default)]
pub(crate) struct Exact {
    /// What is to be sent, as JSON.
    pub(crate) value: String,
    /// The arguments that it was made from, as canonical JSON.
    pub(crate) arguments: String,
    /// What must not leave the call.
    pub(crate) secrets: Vec<String>,
}

impl fmt::Debug for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exact(..)")
    }
}

/// How a draft stands: `Pending → Claimed → Done | Failed | Unknown`, or `Pending → Expired |
/// Withdrawn`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DraftState {
    /// It waits for a person.
    Pending,
    /// A person has confirmed it, and it is being delivered.
    Claimed(Decided),
    /// It was delivered.
    Done(Delivered),
    /// What delivers it returned an error.
    Failed(Delivered),
    /// What delivers it was cut off: whether it was sent can't be known.
    Unknown(Delivered),
    /// Nobody confirmed it in time.
    Expired,
    /// A person took it back.
    Withdrawn(Decided),
}

impl DraftState {
    /// Whether it is waiting or being delivered.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Pending | Self::Claimed(_))
    }

    /// The state as one word.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Claimed(_) => "claimed",
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
            Self::Expired => "expired",
            Self::Withdrawn(_) => "withdrawn",
        }
    }
}

/// A person's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decided {
    /// The principal of whoever decided, where the host named one.
    pub by: Option<String>,
    /// When.
    pub at: SystemTime,
}

impl Decided {
    pub(crate) fn new(by: Option<&str>, at: SystemTime) -> Self {
        Self { by: by.map(str::to_owned), at }
    }
}

/// What came of delivering a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivered {
    /// Who confirmed it.
    pub decided: Decided,
    /// The code of the reply.
    pub code: Code,
    /// Whether it was sent.
    pub executed: Executed,
    /// The text of the reply.
    pub text: String,
}

/// One step of a draft from state to state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DraftChange {
    /// A person confirms it; from `Pending`.
    Claim(Decided, Option<Box<Edited>>),
    /// It isn't delivered after all; from `Claimed` back to how it was found, an edit undone.
    Release(Box<StoredDraft>),
    /// Its delivery came to this; from `Claimed`.
    End(DraftState),
    /// Its time is up; from `Pending`.
    Expire,
    /// A person takes it back; from `Pending`.
    Withdraw(Decided),
}

/// What a person made of a draft.
#[derive(Clone, Debug)]
pub struct Edited {
    pub(crate) exact: String,
    pub(crate) shown: String,
    pub(crate) digest: String,
}

/// What came of a change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Changed {
    /// The draft as it is now.
    Yes(Box<StoredDraft>),
    /// It stood otherwise, and stands so still.
    No(Box<StoredDraft>),
    /// There is no such draft.
    Unknown,
}

impl StoredDraft {
    /// All that a person decides about as lines of text, with every invisible or misleading character
    /// written as its escape: the tool, for whom it was made, what would be sent, and how it stands.
    ///
    /// ```text
    /// draft     draft_1
    /// tool      ticket.reply
    /// risk      send
    /// origin    model
    /// session   s-42
    /// sends     {"body":"Your refund is on its way.","ticket":1042}
    /// reads     To ticket 1042: Your refund is on its way.
    /// state     pending
    /// ```
    ///
    /// `reads` is [`text`](Self::text) by its lines, where there is one.
    pub fn rendering(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, content: &str| {
            // Writing to a `String` can't fail.
            let _ = writeln!(text, "{label:<10}{}", visible(content, false));
        };
        line("draft", &self.id);
        line("tool", &self.tool);
        line("risk", &self.risk.to_string());
        line("origin", self.origin.as_str());
        if let Some(principal) = &self.principal {
            line("for", principal);
        }
        if let Some(session) = &self.session {
            line("session", session);
        }
        line("sends", &self.value);
        for read in self.text.iter().flat_map(|text| text.lines()) {
            line("reads", read);
        }
        if self.edited {
            line("edited", "by a person");
        }
        line("state", self.state.as_str());
        text
    }

    /// Takes the step, where the state allows it. The caller holds the draft alone meanwhile.
    pub(crate) fn change(&mut self, change: DraftChange) -> bool {
        let claimed = matches!(self.state, DraftState::Claimed(_));
        let pending = self.state == DraftState::Pending;
        match change {
            DraftChange::Claim(decided, edited) if pending => {
                self.state = DraftState::Claimed(decided);
                if let Some(edited) = edited {
                    let Edited { exact, shown, digest } = *edited;
                    (self.exact.value, self.value, self.digest) = (exact, shown, digest);
                    // It was written of the draft as it was.
                    self.text = None;
                    self.edited = true;
                }
            }
            DraftChange::Release(found) if claimed => *self = *found,
            DraftChange::End(state) if claimed => self.state = state,
            DraftChange::Expire if pending => self.state = DraftState::Expired,
            DraftChange::Withdraw(decided) if pending => {
                self.state = DraftState::Withdrawn(decided);
            }
            _ => return false,
        }
        if !self.state.is_open() {
            self.exact = Exact::default();
        }
        true
    }

    /// What is told of it, as it stands.
    pub(crate) fn record(&self) -> DraftRecord {
        let (by, at) = match &self.state {
            DraftState::Pending => (None, self.made),
            DraftState::Expired => (None, self.expires),
            DraftState::Claimed(decided) | DraftState::Withdrawn(decided) => {
                (decided.by.as_deref(), decided.at)
            }
            DraftState::Done(end) | DraftState::Failed(end) | DraftState::Unknown(end) => {
                (end.decided.by.as_deref(), end.decided.at)
            }
        };
        DraftRecord {
            draft: self.id.as_str().into(),
            call: self.call.as_str().into(),
            tool: self.tool.as_str().into(),
            session: self.session.as_deref().map(Into::into),
            principal: self.principal.as_deref().map(Into::into),
            digest: self.digest.as_str().into(),
            by: by.map(Into::into),
            edited: self.edited,
            at,
        }
    }

    /// How much it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        let text = self.text.as_deref().map_or(0, str::len);
        self.value.len() + text + self.exact.value.len() + self.exact.arguments.len()
    }
}

/// Keeps drafts.
pub trait Drafts: sealed::Sealed {
    /// Keeps a new draft.
    ///
    /// # Errors
    /// It isn't kept: there is no room that a finished one could make.
    fn keep_draft<'a>(&'a self, draft: StoredDraft) -> BoxFuture<'a, Result<(), StoreError>>;

    /// The draft of this id, if it is still kept.
    ///
    /// # Errors
    /// The store can't be read.
    fn draft<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredDraft>, StoreError>>;

    /// The drafts of one session, or those without one, oldest first.
    ///
    /// # Errors
    /// The store can't be read.
    fn drafts<'a>(
        &'a self,
        session: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Vec<StoredDraft>, StoreError>>;

    /// The ids of drafts, of any session, that still wait though their time is up at this moment: the
    /// oldest, so many that all can be ended at once.
    ///
    /// # Errors
    /// The store can't be read.
    fn overdue<'a>(&'a self, at: SystemTime) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;

    /// Takes a draft one step further, if it stands where the step begins: of any number of callers at
    /// once, one.
    ///
    /// # Errors
    /// The step isn't kept.
    fn change_draft<'a>(
        &'a self,
        id: &'a str,
        change: DraftChange,
    ) -> BoxFuture<'a, Result<Changed, StoreError>>;
}
