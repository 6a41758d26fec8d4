//! What a person writes in the place of the arguments they were asked about. It is validated like
//! any call's, but neither repaired nor rewritten: what runs is what they wrote.

use std::borrow::Cow;
use std::sync::Arc;

use super::validate::{Broken, Ready};
use super::{Engine, Trail, canonical};
use crate::call::{Cut, Executed, Text, ToolReply};
use crate::redact::{self, REDACTED};
use crate::registry::Entry;
use crate::text::excerpt;

/// Why nothing runs on what a person wrote.
pub(super) enum Refusal {
    /// It doesn't fit; what is wrong with it, for that person.
    Unfit(String),
    /// The tool or the engine is at fault.
    Broken(Box<ToolReply>),
}

/// How many characters of the arguments that ran a model is shown at most.
const SHOWN: usize = 2_000;

impl Engine {
    /// Puts what a person wrote in the place of the arguments; false where it says the same as they
    /// do. Nothing has changed where it is refused.
    pub(super) fn edit(
        self: &Arc<Self>,
        trail: &mut Trail<'_>,
        entry: &Entry,
        ready: &mut Ready,
        written: &str,
    ) -> Result<bool, Refusal> {
        let asked = canonical(trail.text());
        if matches!(written.trim(), "" | "null") {
            return Err(Refusal::Unfit("it is empty; write one JSON object".to_owned()));
        }
        let meant = match &trail.redactor {
            None => Cow::Borrowed(written),
            Some(redactor) => redactor.restored(&asked, written).map_err(|argument| {
                Refusal::Unfit(format!(
                    "{argument}: {REDACTED} would run as it stands; \
                     leave the whole argument as it was shown, or write all of it"
                ))
            })?,
        };
        if canonical(&meant) == asked {
            return Ok(false);
        }
        let mut redactor = trail.redactor.clone();
        if let Some(redactor) = &mut redactor {
            redactor.learn(&meant);
        }
        match self.reread(trail, entry, meant.into_owned()) {
            Ok(body) => *ready = body,
            Err(Broken::Arguments(what)) => {
                let what = redact::text(redactor.as_ref(), &what).into_owned();
                return Err(Refusal::Unfit(what));
            }
            Err(Broken::Tool(stop)) => {
                // A decoder's panic may quote what it was given.
                trail.redactor = redactor;
                return Err(Refusal::Broken(Box::new(self.stopped(trail, stop))));
            }
        }
        trail.redactor = redactor;
        trail.repairs.clear();
        Ok(true)
    }

    /// The line that tells what ran in the place of what was asked for; `None` where nothing was
    /// changed.
    pub(super) fn edit_line(&self, trail: &Trail<'_>, executed: Executed) -> Option<String> {
        let edited = trail.consent.as_ref()?.edited.as_ref()?;
        let shown = excerpt(edited, SHOWN.min(self.limits.output / 4));
        Some(if executed == Executed::No {
            format!("a person changed the arguments to {shown}\n")
        } else {
            format!("a person changed the arguments; what ran: {shown}\n")
        })
    }

    /// The reply with that line first. An output leaves room for it.
    #[cold]
    pub(super) fn tell_edit(&self, trail: &mut Trail<'_>, reply: &mut ToolReply) {
        let Some(line) = self.edit_line(trail, reply.executed) else { return };
        reply.text = match std::mem::replace(&mut reply.text, Text::Engine(Cow::Borrowed(""))) {
            Text::Engine(text) => Text::Engine(Cow::Owned(line + &text)),
            Text::Whole(output) => {
                let shown = line + output.text().unwrap_or_default();
                Text::Cut(Box::new(Cut { shown, output }))
            }
            Text::Cut(mut cut) => {
                cut.shown.insert_str(0, &line);
                Text::Cut(cut)
            }
        };
        let edited = trail.consent.as_mut().and_then(|consent| consent.edited.take());
        reply.aside().edited = edited.map(Into::into);
    }
}
