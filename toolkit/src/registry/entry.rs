//! One tool in the set, with what is made for it once: its states, its contract, its permits.

use std::any::{Any, TypeId};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::Semaphore;

use crate::contain::contain;
use crate::hosts::Hosts;
use crate::param::Args;
use crate::risk::Risk;
use crate::schema::{Contract, ContractError};
use crate::spec::ToolSpec;
use crate::tool::{Call, CommitSpec, Prepared, Registration};

/// The code behind a tool.
pub(super) enum Code {
    /// An annotated function.
    Function(&'static Registration),
    /// A closure over a typed argument object.
    Typed(Box<Typed>),
}

/// Decodes a closure's arguments and returns its body.
type PrepareTyped = dyn Fn(&mut Args<'_>, &Call<'_>) -> Prepared + Send + Sync;

/// Makes the contract of a closure's arguments.
pub(super) type MakeContract = dyn Fn() -> Result<Contract, ContractError> + Send + Sync;

/// The parts of a closure whose argument type is erased.
pub(super) struct Typed {
    pub(super) spec: ToolSpec,
    pub(super) prepare: Box<PrepareTyped>,
    pub(super) contract: Box<MakeContract>,
    /// Whether the closure holds anything.
    pub(super) captures: bool,
}

/// What delivers a tool's drafts.
pub(crate) struct Delivers {
    pub(crate) spec: &'static CommitSpec,
    pub(crate) states: Box<[Arc<dyn Any + Send + Sync>]>,
}

/// What a floor above keeps with a tool: made when the tool is taken in, gone with it, and so never of
/// another state of the set than the tool is.
pub(crate) struct Attached {
    pub(crate) what: Box<dyn Any + Send + Sync>,
    /// Whether it may make the tool invisible.
    pub(crate) hides: bool,
}

/// One tool in the set.
pub(crate) struct Entry {
    code: Code,
    states: Box<[Arc<dyn Any + Send + Sync>]>,
    hosts: Hosts,
    commit: Option<Box<Delivers>>,
    contract: OnceLock<Box<Result<Contract, ContractError>>>,
    permits: Option<Semaphore>,
    /// Whether it asks for no flag, scope, scene or session, reaches no host, and nothing attached hides it.
    open: bool,
    attached: Option<Attached>,
    /// The number of the set that it is of; 0 for the toolkit's own.
    set: u64,
    /// Whether it has something of its own behind it: a toolset's value, or what a closure holds.
    pub(super) owns: bool,
    /// A number that only those have which came with it; 0 for those that are there from the start.
    lot: u64,
    /// Whether it may stand in the place of another.
    shadow: bool,
    /// Length of the last result, so that the next one is written without growing its buffer.
    hint: AtomicU32,
}

impl Entry {
    pub(super) fn new(
        code: Code,
        states: Box<[Arc<dyn Any + Send + Sync>]>,
        hosts: Hosts,
        commit: Option<Delivers>,
    ) -> Self {
        let spec = code.spec();
        let permits = spec.concurrency.map(|n| Semaphore::new(n.min(Semaphore::MAX_PERMITS)));
        let owns = matches!(&code, Code::Typed(typed) if typed.captures);
        let open = spec.flag().is_none()
            && spec.scopes().is_empty()
            && !spec.session
            && !spec.risk().contains(Risk::Network);
        Self {
            open,
            code,
            states,
            hosts,
            commit: commit.map(Box::new),
            contract: OnceLock::new(),
            permits,
            attached: None,
            set: 0,
            owns,
            lot: 0,
            shadow: false,
            hint: AtomicU32::new(32),
        }
    }

    /// Notes that it comes while the toolkit runs: to the set with this number, with all that come in one lot,
    /// and whether it may stand there in the place of another.
    pub(crate) fn note_added(&mut self, set: u64, lot: u64, shadow: bool) {
        self.set = set;
        self.lot = lot;
        self.shadow = shadow;
    }

    /// The number of what it came with, where it has something of its own behind it: the same tool that comes
    /// again may have something else there, and nothing tells the two apart.
    pub(crate) fn lot(&self) -> u64 {
        if self.owns { self.lot } else { 0 }
    }

    /// Whether it may stand in the place of another, about which what the host said of its name was said.
    pub(crate) fn is_shadow(&self) -> bool {
        self.shadow
    }

    /// The number of the set that it is of: what is bound to a tool is bound to that as well, since two
    /// sets may have the same one with other values.
    pub(crate) fn set(&self) -> u64 {
        self.set
    }

    /// Notes that the host's scenes name its domain, so that the context has a say in whether it is
    /// visible.
    pub(crate) fn note_scenes(&mut self) {
        self.open = false;
    }

    /// Keeps this with the tool.
    pub(crate) fn attach(&mut self, attached: Attached) {
        self.open &= !attached.hides;
        self.attached = Some(attached);
    }

    /// What a floor above keeps with the tool.
    #[inline]
    pub(crate) fn attached(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.attached.as_ref().map(|attached| &*attached.what)
    }

    pub(crate) fn spec(&self) -> &ToolSpec {
        self.code.spec()
    }

    /// The function's identity; `None` for a closure.
    pub(crate) fn id(&self) -> Option<TypeId> {
        match &self.code {
            Code::Function(registration) => Some((registration.id)().id),
            Code::Typed(_) => None,
        }
    }

    pub(crate) fn states(&self) -> &[Arc<dyn Any + Send + Sync>] {
        &self.states
    }

    /// Where the tool may reach: what its author and the host listed.
    pub(crate) fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// Whether what it is says already that it is visible, but for a ceiling and the policy.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// What delivers its drafts, where it sends.
    #[inline]
    pub(crate) fn commit(&self) -> Option<&Delivers> {
        self.commit.as_deref()
    }

    pub(crate) fn permits(&self) -> Option<&Semaphore> {
        self.permits.as_ref()
    }

    /// A number that no other tool has while this one runs; `None` where it has no limit of its own.
    pub(crate) fn limited(&self) -> Option<usize> {
        self.permits.as_ref().map(|permits| std::ptr::from_ref(permits).addr())
    }

    pub(crate) fn hint(&self) -> u32 {
        self.hint.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_hint(&self, length: u64) {
        // Rounded up, so that results of about one length don't write the shared line each time.
        let rounded =
            u32::try_from(length).unwrap_or(u32::MAX).clamp(16, 1 << 20).next_power_of_two();
        if self.hint.load(Ordering::Relaxed) != rounded {
            self.hint.store(rounded, Ordering::Relaxed);
        }
    }

    /// The schema and its checker, made at the first use.
    pub(crate) fn contract(&self) -> Result<&Contract, &ContractError> {
        self.contract
            .get_or_init(|| {
                // Defaults, examples and a type's own `JsonSchema` are the author's code.
                let made = contain(|| self.make_contract());
                Box::new(made.unwrap_or_else(|_| Err(ContractError::panicked())))
            })
            .as_ref()
            .as_ref()
    }

    fn make_contract(&self) -> Result<Contract, ContractError> {
        match &self.code {
            Code::Function(registration) => {
                Contract::of_parameters(registration.parameters, registration.output)
            }
            Code::Typed(typed) => {
                let secret = typed.spec.parameters().iter().filter(|p| p.secret());
                let secret: Vec<_> = secret.map(|p| p.name()).collect();
                (typed.contract)().map(|contract| contract.withholding(&secret))
            }
        }
    }

    /// Decodes the arguments and makes the body ready to run.
    #[inline]
    pub(crate) fn prepare(&self, args: &mut Args<'_>, call: &Call<'_>) -> Prepared {
        match &self.code {
            Code::Function(registration) => (registration.prepare)(args, call),
            Code::Typed(typed) => (typed.prepare)(args, call),
        }
    }

    pub(crate) fn parameters(&self) -> &'static [&'static dyn crate::param::Parameter] {
        match &self.code {
            Code::Function(registration) => registration.parameters,
            Code::Typed(_) => &[],
        }
    }
}

impl Code {
    /// What delivers its drafts, where it sends.
    pub(super) fn commit(&self) -> Option<&'static CommitSpec> {
        match self {
            Self::Function(registration) => registration.commit.and_then(|commit| commit()),
            Self::Typed(_) => None,
        }
    }

    #[inline]
    pub(super) fn spec(&self) -> &ToolSpec {
        match self {
            Self::Function(registration) => registration.spec,
            Self::Typed(typed) => &typed.spec,
        }
    }
}
