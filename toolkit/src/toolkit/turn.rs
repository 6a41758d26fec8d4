//! One turn of a model: several calls, in groups that may run side by side.

use std::collections::VecDeque;
use std::sync::Arc;

use super::group::side_by_side;
use crate::call::{ToolCall, Turn};
use crate::context::CallContext;
use crate::pipeline::{Engine, Place, Set, Standing};

/// Runs the calls in order; neighbours that are parallel-safe run together.
pub(super) async fn run(
    engine: &Arc<Engine>,
    set: &Arc<Set>,
    context: &CallContext,
    calls: Vec<ToolCall<'_>>,
) -> Turn {
    let mut replies = Vec::with_capacity(calls.len());
    let turn = engine.loops.turn();
    let mut rest = VecDeque::from(calls);
    while !rest.is_empty() {
        let safe = rest.iter().take_while(|call| parallel(engine, set, context, call)).count();
        let first = replies.len();
        let mut running = rest
            .drain(..safe.max(1))
            .enumerate()
            .map(|(i, call)| engine.call(set, context, call, Place::InTurn(first + i, turn)));
        if running.len() == 1
            && let Some(alone) = running.next()
        {
            replies.push(alone.await);
        } else {
            replies.extend(side_by_side(running).await);
        }
    }
    Turn { replies }
}

/// Whether a call may run beside its neighbours. One of no visible tool has no effect, and must not
/// tell by when the others ran whether there is a hidden one.
fn parallel(engine: &Engine, set: &Set, context: &CallContext, call: &ToolCall<'_>) -> bool {
    set.load().find(call.name()).is_none_or(|entry| {
        entry.spec().parallel()
            || !matches!(engine.standing(set, entry, context), Standing::Visible)
    })
}
