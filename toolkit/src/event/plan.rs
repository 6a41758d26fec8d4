//! How far a plan has come.

use std::sync::Arc;

use serde::ser::SerializeMap;

use crate::call::Code;

/// One step of a plan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanStepRecord {
    /// The plan's name.
    pub plan: Arc<str>,
    /// The run, as its report names it.
    pub run: Arc<str>,
    /// The step, counted from 0.
    pub step: usize,
    /// How many steps the plan has.
    pub steps: usize,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The session.
    pub session: Option<Arc<str>>,
    /// `started`, `ended` or `skipped`.
    pub state: &'static str,
    /// What became of its call, where it ended.
    pub code: Option<Code>,
}

impl PlanStepRecord {
    pub(super) fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { plan, run, step, steps, tool, session, state, code } = self;
        map.serialize_entry("plan", &**plan)?;
        map.serialize_entry("run", &**run)?;
        map.serialize_entry("step", step)?;
        map.serialize_entry("steps", steps)?;
        map.serialize_entry("tool", &**tool)?;
        map.serialize_entry("session", &session.as_deref())?;
        map.serialize_entry("state", state)?;
        map.serialize_entry("code", &code.map(|code| code.as_str()))
    }
}
