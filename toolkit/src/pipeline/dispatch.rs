//! The way from a body back into the engine: into the set of tools that its own call came through.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Engine, Place, Set};
use crate::call::{ToolCall, ToolReply};
use crate::context::{About, CallContext, Dispatch, Progress};

impl Dispatch for Engine {
    fn dispatch<'a>(
        self: Arc<Self>,
        context: &'a CallContext,
        call: ToolCall<'a>,
    ) -> Pin<Box<dyn Future<Output = ToolReply> + Send + 'a>> {
        let place = place_within(context);
        Box::pin(async move { self.call(&self.root, context, call, place).await })
    }

    fn fresh_id(&self) -> Arc<str> {
        self.minter.fresh()
    }

    fn taint(&self, context: &CallContext, source: &Arc<str>) {
        self.mark(context, source);
    }

    fn progress(&self, about: &About, progress: Progress) {
        self.tell_progress(about, progress);
    }
}

/// The way from a body back into the engine and into the set that its call came through.
pub(super) fn way_back(engine: &Arc<Engine>, set: &Arc<Set>) -> Arc<dyn Dispatch> {
    let engine = Arc::clone(engine);
    if set.is_first() { engine } else { Arc::new(ThroughChild { engine, set: Arc::clone(set) }) }
}

/// The engine, for a body whose call came through a child.
struct ThroughChild {
    engine: Arc<Engine>,
    set: Arc<Set>,
}

impl Dispatch for ThroughChild {
    fn dispatch<'a>(
        self: Arc<Self>,
        context: &'a CallContext,
        call: ToolCall<'a>,
    ) -> Pin<Box<dyn Future<Output = ToolReply> + Send + 'a>> {
        let place = place_within(context);
        Box::pin(async move { self.engine.call(&self.set, context, call, place).await })
    }

    fn fresh_id(&self) -> Arc<str> {
        self.engine.fresh_id()
    }

    fn taint(&self, context: &CallContext, source: &Arc<str>) {
        self.engine.taint(context, source);
    }

    fn progress(&self, about: &About, progress: Progress) {
        self.engine.progress(about, progress);
    }
}

/// The place of a call that a body makes.
fn place_within(context: &CallContext) -> Place {
    context.lent().map_or(Place::Alone, |lent| Place::Within(lent.count()))
}
