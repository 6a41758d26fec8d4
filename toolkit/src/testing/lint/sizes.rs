//! What the whole catalog weighs, by provider.

use std::fmt;

use super::{Finding, Lint};
use crate::dialect::openai_chat;
use crate::toolkit::Tool;

/// What all tools of a set weigh for one provider. A caller who may see fewer sends less.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Size {
    /// The provider's wire format, e.g. `openai_chat`.
    pub provider: &'static str,
    /// How many tools.
    pub tools: usize,
    /// The length of their JSON, in bytes. About four of them are a token, which every request pays.
    pub bytes: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { provider, tools, bytes } = self;
        write!(f, "{provider}: {tools} tools in {bytes} bytes, about {} tokens", bytes / 4)
    }
}

pub(super) fn of(tools: &[Tool], find: &mut dyn FnMut(Finding)) -> Vec<Size> {
    let bytes = tools.iter().map(openai_chat::size).sum();
    let size = Size { provider: "openai_chat", tools: tools.len(), bytes };
    if size.tools > openai_chat::MAX_TOOLS {
        find(Finding {
            lint: Lint::CatalogSize,
            tool: String::new(),
            place: "catalog".to_owned(),
            what: format!(
                "has {} tools, and {} takes {} at most",
                size.tools,
                size.provider,
                openai_chat::MAX_TOOLS
            ),
            cure: "show each caller fewer: by scopes, flags or a session's ceiling".to_owned(),
            source: None,
        });
    }
    vec![size]
}
