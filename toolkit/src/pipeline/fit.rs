//! Outputs that are too long to be shown as they are: without secrets, cut to the budget. What waits
//! for the disk here holds up nobody but its own call.

use std::io;

use super::cut::{PAGES, cut, fits};
use super::execute::Ended;
use super::taint::MARKS;
use super::{Engine, Standing, Trail, defect};
use crate::call::{Cut, Executed, Text, ToolReply};
use crate::contain::{Unwound, contained};
use crate::output::{Failure, Outcome, Output, Streamed, Whole, off_thread};
use crate::store::KeptOutput;

/// The end of a body, with the text that it has streamed.
#[cold]
pub(super) async fn with_stream(ended: Ended, streamed: &Streamed) -> Ended {
    match ended {
        Ended::Done(outcome) => Ended::Done(joined(outcome, streamed).await),
        ended => ended,
    }
}

/// A success with the text that its body has streamed.
pub(super) async fn joined(outcome: Outcome, streamed: &Streamed) -> Outcome {
    let Outcome(Ok(output)) = outcome else { return outcome };
    Outcome(match streamed.finish().await {
        Ok(Some(text)) => Ok(output.streamed(text)),
        Ok(None) => Ok(output),
        Err(what) => Err(Failure::BadOutput(what)),
    })
}

impl Engine {
    /// Whether the reply's text may be too long.
    #[inline]
    pub(super) fn is_long(&self, reply: &ToolReply) -> bool {
        match &reply.text {
            Text::Whole(output) => !output.is_short(self.limits.output),
            _ => false,
        }
    }

    /// Brings a reply within the budget. Its outcome stands: the effect has happened, so that only
    /// the text may still become that of a defect.
    pub(super) async fn fit(&self, trail: &mut Trail<'_>, reply: ToolReply) -> ToolReply {
        let ToolReply { text: Text::Whole(output), .. } = reply else { return reply };
        match self.shortened(trail, output).await {
            Ok(text) => ToolReply { text, ..reply },
            Err(error) => {
                defect(self, trail, Executed::Yes, format!("the output is lost: {error}"))
            }
        }
    }

    async fn shortened(&self, trail: &Trail<'_>, output: Output) -> io::Result<Text> {
        let output = if output.is_near() {
            output
        } else {
            let redactor = trail.redactor.clone();
            off_thread(move || {
                output.try_map(|whole| match &redactor {
                    Some(redactor) => whole.spilled()?.cleaned(redactor),
                    None => whole.spilled(),
                })
            })
            .await??
        };
        let line = self.edit_line(trail, Executed::Yes).map_or(0, |line| line.chars().count());
        let marks = if trail.untrusted && trail.context.depth() == 0 { MARKS } else { 0 };
        let budget = self.limits.output.saturating_sub(line + marks);
        let shown = output.shown();
        if fits(shown, budget) && shown.text().is_some() {
            return Ok(Text::Whole(output));
        }
        let (whole, fits) = (shown.clone(), fits(shown, budget));
        let kept = if fits { None } else { self.keep(trail, shown).await };
        let shown =
            off_thread(
                move || {
                    if fits { whole.read_all() } else { cut(&whole, budget, kept.as_deref()) }
                },
            )
            .await??;
        Ok(Text::Cut(Box::new(Cut { shown, output })))
    }

    /// Keeps the whole of what is shown in part, for the caller's session to read on; `None` where
    /// nobody could, or the store doesn't.
    async fn keep(&self, trail: &Trail<'_>, shown: &Whole) -> Option<String> {
        let context = trail.context;
        let session = context.session_id()?;
        if trail.found.is_some_and(|entry| entry.spec().session) {
            // A page is a part of what is kept already: it would only take the place of the whole.
            return None;
        }
        let registry = trail.set.load();
        let reader = registry.find(PAGES).filter(|entry| entry.spec().session)?;
        if !matches!(self.standing(trail.set, reader, context), Standing::Visible) {
            return None;
        }
        let output =
            KeptOutput::new(session, context.principal_name(), shown.clone(), trail.untrusted);
        let what = match contained(self.store.keep(output)).await {
            Ok(Ok(handle)) => return Some(handle),
            Ok(Err(error)) => error.to_string(),
            Err(Unwound(panic)) => panic,
        };
        tracing::warn!(target: super::report::TARGET, what, "an output that was cut is not kept");
        None
    }
}
