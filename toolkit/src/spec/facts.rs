//! What an expansion states of a tool, and the spec that comes of it.

use std::borrow::Cow;
use std::time::Duration;

use super::{Blocking, DEFAULT_TIMEOUT, Errors, ParamSpec, Source, StateSpec, ToolSpec};
use crate::name::Name;
use crate::risk::{Risk, RiskSet};

/// What an expansion states of a tool: plain constants, from which a [`ToolSpec`] is made.
#[derive(Clone, Copy)]
pub struct Facts {
    /// Tool name and wire name.
    pub names: [&'static str; 2],
    /// Title.
    pub title: Option<&'static str>,
    /// Description.
    pub description: &'static str,
    /// Declared levels.
    pub risk: &'static [Risk],
    /// Feature flag.
    pub flag: Option<&'static str>,
    /// Scopes.
    pub scopes: &'static [&'static str],
    /// Hosts.
    pub hosts: &'static [&'static str],
    /// Run limit in milliseconds; 0: none.
    pub timeout_ms: u64,
    /// Calls at once; 0: no own limit.
    pub concurrency: u32,
    /// Stated `parallel`.
    pub parallel: bool,
    /// Stated `idempotent`.
    pub idempotent: bool,
    /// Stated `polling`.
    pub polling: bool,
    /// Stated `blocking`.
    pub blocking: Option<Blocking>,
    /// No `risk` is stated.
    pub risk_assumed: bool,
    /// A plain function that isn't `blocking`.
    pub in_place: bool,
    /// Stated `errors = "show"`.
    pub show_errors: bool,
    /// Parameters.
    pub parameters: &'static [ParamSpec],
    /// States.
    pub states: &'static [StateSpec],
    /// File, line and module of the tool.
    pub source: (&'static str, u32, &'static str),
}

impl Facts {
    /// What holds where the author states nothing.
    pub const DEFAULT: Self = Self {
        names: [""; 2],
        title: None,
        description: "",
        risk: &[],
        flag: None,
        scopes: &[],
        hosts: &[],
        timeout_ms: DEFAULT_TIMEOUT.as_millis() as u64,
        concurrency: 0,
        parallel: false,
        idempotent: false,
        polling: false,
        blocking: None,
        risk_assumed: false,
        in_place: false,
        show_errors: false,
        parameters: &[],
        states: &[],
        source: ("", 0, ""),
    };

    pub(crate) const fn into_spec(self) -> ToolSpec {
        ToolSpec {
            name: Name::constant(self.names[0]),
            wire: Name::constant(self.names[1]),
            title: match self.title {
                Some(title) => Some(Cow::Borrowed(title)),
                None => None,
            },
            description: Cow::Borrowed(self.description),
            risk: RiskSet::of(self.risk),
            flag: match self.flag {
                Some(flag) => Some(Cow::Borrowed(flag)),
                None => None,
            },
            scopes: Cow::Borrowed(self.scopes),
            hosts: Cow::Borrowed(self.hosts),
            timeout: match self.timeout_ms {
                0 => None,
                ms => Some(Duration::from_millis(ms)),
            },
            concurrency: match self.concurrency {
                0 => None,
                n => Some(n as usize),
            },
            parallel: self.parallel,
            session: false,
            idempotent: self.idempotent,
            polling: self.polling,
            blocking: self.blocking,
            risk_assumed: self.risk_assumed,
            in_place: self.in_place,
            errors: if self.show_errors { Errors::Show } else { Errors::Hide },
            parameters: Cow::Borrowed(self.parameters),
            states: self.states,
            source: Source::new(self.source.0, self.source.1, self.source.2),
        }
    }
}
