//! What would become of a call, and why: for the person who reads the policy back. It holds what was
//! found and decides nothing.

mod json;
mod text;

use std::time::Duration;

use crate::call::Code;
use crate::context::Origin;
use crate::problem::Repair;
use crate::risk::{Risk, RiskSet};
use crate::verdict::{Decision, Finding};

/// What would become of a call, and why; made by [`Toolkit::explain`](crate::Toolkit::explain). For the
/// operator: it tells the truth about tools that the caller may not know of. Every text in it has passed
/// redaction.
///
/// It displays as a few lines for a person, and serialises as one JSON object, see [its
/// `Serialize`](#impl-Serialize-for-Explanation).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The name as it was called, at most 128 characters.
    pub called: String,
    /// The tool of that name, whether or not the caller may see it; `None` where there is none.
    pub tool: Option<String>,
    /// Its declared levels.
    pub risk: Option<RiskSet>,
    /// Whether it is in the caller's catalog.
    pub visible: bool,
    /// Who decided to make the call.
    pub origin: Origin,
    /// On whose behalf.
    pub principal: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// Where the call takes place.
    pub scope: Option<String>,
    /// The scene.
    pub scene: Option<String>,
    /// What would happen.
    pub would: Would,
    /// Whether intent and outcome would be written to the store.
    pub recorded: bool,
    /// How long a person would have to answer, where one would be asked.
    pub approval_time: Option<Duration>,
    /// Every verdict with where it came from: what the event of the call would say.
    pub decision: Decision,
    /// The final arguments as canonical JSON, secrets redacted; `None` where they weren't valid.
    pub arguments: Option<String>,
    /// Whether hooks rewrote the arguments.
    pub rewritten: bool,
    /// What was repaired in the arguments.
    pub repairs: Vec<Repair>,
    /// What the caller would read, where the call is refused or was made before.
    pub reply: Option<String>,
    /// Why, in the operator's words, where there is more to be said than the decision says.
    pub cause: Option<String>,
    /// What a host, a caller or the model could change, so that the call runs or runs unasked.
    pub advice: Vec<String>,
}

/// What would happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Would {
    /// The body runs at once.
    Run,
    /// The body of a tool that sends runs at once, and what it drafts waits for a person.
    MakeDraft,
    /// A person is asked first.
    Ask,
    /// The call of a numbered turn was made before: the caller gets its reply, with this code, again.
    Repeat(Code),
    /// Nothing runs; the caller gets this code.
    Refuse(Code),
}

impl Would {
    /// The word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::MakeDraft => "draft",
            Self::Ask => "ask",
            Self::Repeat(_) => "repeat",
            Self::Refuse(_) => "refuse",
        }
    }

    /// The code that the caller gets, where it can be told without running anything.
    pub const fn code(self) -> Option<Code> {
        match self {
            Self::Run | Self::MakeDraft | Self::Ask => None,
            Self::Repeat(code) | Self::Refuse(code) => Some(code),
        }
    }
}

impl Explanation {
    /// The verdict that decides, and where it came from; `None` where no rule spoke.
    pub fn deciding(&self) -> Option<&Finding> {
        self.decision.deciding()
    }

    /// Whether what runs would only make a draft.
    fn drafts(&self) -> bool {
        self.risk.is_some_and(|risk| risk.contains(Risk::Send))
    }

    /// The name to speak of.
    fn name(&self) -> &str {
        self.tool.as_deref().unwrap_or(&self.called)
    }
}
