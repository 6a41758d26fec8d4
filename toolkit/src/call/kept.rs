//! A reply that is kept, for when its call is made again.

use std::borrow::Cow;

use super::{Text, ToolReply};

impl ToolReply {
    /// Whether the call was made before in its turn, and this is the reply that it gave: nothing ran
    /// again.
    pub fn is_replay(&self) -> bool {
        self.aside.as_ref().is_some_and(|aside| aside.replay)
    }

    /// The reply as it may be kept in memory: an output that lies in a file isn't, the text is.
    pub(crate) fn to_keep(&self) -> Self {
        match self.output() {
            Some(output) if !output.is_near() && output.parts().is_empty() => {
                let text = Text::Engine(Cow::Owned(self.text().to_owned()));
                let (tool, id, aside) = (self.tool.clone(), self.id.clone(), self.aside.clone());
                Self { tool, id, text, aside, ..*self }
            }
            _ => self.clone(),
        }
    }

    /// How many bytes it holds: of text, of images and files.
    pub(crate) fn weight(&self) -> usize {
        let Some(output) = self.output() else { return self.text().len() };
        let value = usize::try_from(output.canonical().bytes()).unwrap_or(usize::MAX);
        let parts = output.parts().iter().map(|part| part.bytes().len());
        parts.fold(self.text().len().saturating_add(value), usize::saturating_add)
    }
}
