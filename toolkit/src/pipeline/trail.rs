//! One call on its way, with what is learnt of it.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::approval::Consent;
use super::blocking::Thread;
use super::confirm::Delivering;
use super::draft::shown_draft;
use super::mint::{Minter, Place};
use super::replay::Once;
use super::set::Set;
use super::written::Written;
use super::{canonical, hex_digest};
use crate::call::ToolCall;
use crate::context::{CallContext, Lent};
use crate::hook::HookCall;
use crate::problem::Repair;
use crate::redact::Redactor;
use crate::registry::Entry;
use crate::verdict::{Decision, Finding};

/// One call on its way, with what is learnt of it for the report.
pub(super) struct Trail<'a> {
    /// Whose tools it may call.
    pub(super) set: &'a Arc<Set>,
    pub(super) context: &'a CallContext,
    pub(super) call: &'a ToolCall<'a>,
    pub(super) place: Place,
    pub(super) started: Instant,
    /// The tool of that name, whether or not this caller may know of it.
    pub(super) found: Option<&'a Arc<Entry>>,
    /// Whether the reply may speak of the tool.
    pub(super) known: bool,
    /// Whether the arguments have passed validation; what hasn't is written nowhere.
    pub(super) valid: bool,
    /// What the body's own context lends, where it has one: the call has one id for both.
    lent: Option<Arc<Lent>>,
    /// Whether nothing but the policy has a say, which is asked for it once somebody listens.
    pub(super) free: bool,
    pub(super) waited: Duration,
    /// Whether the body has begun.
    pub(super) entered: AtomicBool,
    /// Made by the first that writes to it: most calls have none of it.
    apart: Option<Box<Apart>>,
}

/// What is learnt of few calls; read and written as if the trail itself had it.
#[derive(Default)]
pub(super) struct Apart {
    /// Minted at first need: a call that nobody records or hears of has none.
    id: Option<Arc<str>>,
    /// Set once the arguments are final, where they aren't as they came.
    pub(super) arguments: Option<String>,
    pub(super) redactor: Option<Redactor>,
    /// What was repaired in the arguments.
    pub(super) repairs: Vec<Repair>,
    pub(super) decision: Decision,
    /// What came of asking a person.
    pub(super) consent: Option<Box<Consent>>,
    /// Its intent, while its outcome isn't written.
    pub(super) intent: Option<Written>,
    /// What is known of the call where it may be made again.
    pub(super) once: Option<Box<Once>>,
    /// What a person confirmed, where the call is that of no tool but of what delivers its draft.
    pub(super) delivering: Option<Box<Delivering>>,
    pub(super) cause: Option<Cow<'static, str>>,
    /// The body, where it is given to a thread.
    pub(super) thread: Option<Arc<Thread>>,
    /// Whether the call is only explained: nobody hears of it.
    pub(super) explained: bool,
    /// Whether what the body returned is untrusted.
    pub(super) untrusted: bool,
}

/// What is read where nothing was written.
static NOTHING: Apart = Apart {
    id: None,
    arguments: None,
    redactor: None,
    repairs: Vec::new(),
    decision: Decision::new(),
    consent: None,
    intent: None,
    once: None,
    delivering: None,
    cause: None,
    thread: None,
    explained: false,
    untrusted: false,
};

impl Deref for Trail<'_> {
    type Target = Apart;

    #[inline]
    fn deref(&self) -> &Apart {
        self.apart.as_deref().unwrap_or(&NOTHING)
    }
}

impl DerefMut for Trail<'_> {
    fn deref_mut(&mut self) -> &mut Apart {
        self.apart.get_or_insert_default()
    }
}

impl<'a> Trail<'a> {
    #[inline]
    pub(super) fn new(
        set: &'a Arc<Set>,
        context: &'a CallContext,
        call: &'a ToolCall<'a>,
        place: Place,
        found: Option<&'a Arc<Entry>>,
    ) -> Self {
        Self {
            set,
            context,
            call,
            place,
            started: Instant::now(),
            found,
            known: false,
            valid: false,
            lent: None,
            free: false,
            waited: Duration::ZERO,
            entered: AtomicBool::new(false),
            apart: None,
        }
    }

    /// Whether nothing is known of the call but what is known of every one.
    #[inline]
    pub(super) fn is_bare(&self) -> bool {
        self.apart.is_none()
    }

    /// Our own id of the call.
    pub(super) fn id(&mut self, minter: &Minter) -> Arc<str> {
        if let Some(id) = &self.id {
            return Arc::clone(id);
        }
        let set = self.found.map_or(0, |entry| entry.set());
        let minted = || minter.mint(self.context, self.call, self.place, set);
        let id = match &self.lent {
            Some(lent) => Arc::clone(lent.id(minted)),
            None => minted(),
        };
        self.id = Some(Arc::clone(&id));
        id
    }

    /// Takes note of what the body's own context lends, and tells it the id if there is one.
    pub(super) fn share(&mut self, lent: &Arc<Lent>, minter: &Minter) {
        if self.id.is_some() || self.context.turn_number().is_some() {
            let id = self.id(minter);
            lent.id(|| id);
        }
        self.lent = Some(Arc::clone(lent));
    }

    /// The tool, if the reply may speak of it.
    pub(super) fn entry(&self) -> Option<&'a Arc<Entry>> {
        self.found.filter(|_| self.known)
    }

    /// How long the body may take.
    #[inline]
    pub(super) fn limit(&self, entry: &Entry) -> Option<Duration> {
        match entry.commit() {
            Some(delivers) if self.delivering.is_some() => delivers.spec.timeout,
            _ => entry.spec().timeout,
        }
    }

    /// Whether the body has begun.
    pub(super) fn has_entered(&self) -> bool {
        self.entered.load(Ordering::Relaxed)
    }

    /// Adds a finding; what a hook says may quote the arguments.
    pub(super) fn find(&mut self, mut finding: Finding) {
        if let Some(redactor) = &self.redactor {
            finding.reason = Cow::Owned(redactor.text(&finding.reason).into_owned());
        }
        self.decision.push(finding);
    }

    /// The final arguments as canonical JSON without their secrets: all that leaves the call. A
    /// digest is of this as well, since that of a short secret could be guessed.
    pub(super) fn shown(&self) -> String {
        if self.delivering.is_some() {
            return shown_draft(self.redactor.as_ref(), self.text());
        }
        let arguments = canonical(self.text());
        match &self.redactor {
            Some(redactor) => redactor.arguments(&arguments),
            None => arguments,
        }
    }

    /// What hooks see of the call.
    pub(super) fn hook_call<'t>(&'t self, entry: &'t Entry) -> HookCall<'t> {
        match &self.delivering {
            None => HookCall::new(entry.spec(), self.text(), self.context),
            Some(delivering) => {
                let arguments = &delivering.draft.exact.arguments;
                HookCall::new(entry.spec(), arguments, self.context)
                    .delivering(&delivering.delivery.value)
            }
        }
    }

    /// The digest of exactly what would run; it stays within the call.
    pub(super) fn binding(&self) -> String {
        hex_digest(canonical(self.text()).as_bytes())
    }

    /// The final arguments, or as they came where they aren't final yet.
    pub(super) fn text(&self) -> &str {
        self.arguments.as_deref().unwrap_or(&self.call.arguments)
    }
}
