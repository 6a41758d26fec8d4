//! What any example can be asked about one of its tools, read from its command line.

use std::vec::IntoIter;

use toolkit::Origin;

/// A question about one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Print a tool's schema.
    Schema {
        /// The tool.
        name: String,
    },
    /// Call a tool.
    Call {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: String,
        /// Who calls.
        origin: Origin,
    },
    /// Explain a call without making it.
    Explain {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: String,
        /// Who would call.
        origin: Origin,
        /// Whether for a program.
        json: bool,
    },
}

/// The options that go with a question; those that are read are taken.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// `--as`
    pub(crate) origin: Option<Origin>,
    /// `--json`
    pub(crate) json: Option<()>,
}

impl Ask {
    /// The question that this subcommand asks, with the words that follow it; `None` where it asks none.
    pub(crate) fn read(
        subcommand: &str,
        words: &mut IntoIter<String>,
        options: &mut Options,
    ) -> Result<Option<Self>, lexopt::Error> {
        let mut operand =
            |what: &str| words.next().ok_or_else(|| format!("`{subcommand}` needs {what}"));
        let (tool, json) = ("the NAME of a tool", "the arguments as JSON, e.g. '{}'");
        Ok(Some(match subcommand {
            "schema" => Self::Schema { name: operand(tool)? },
            "call" => Self::Call {
                name: operand(tool)?,
                arguments: operand(json)?,
                origin: options.origin.take().unwrap_or(Origin::Human),
            },
            "explain" => Self::Explain {
                name: operand(tool)?,
                arguments: operand(json)?,
                origin: options.origin.take().unwrap_or(Origin::Human),
                json: options.json.take().is_some(),
            },
            _ => return Ok(None),
        }))
    }
}

impl Options {
    /// Nothing is left of the words and the options.
    pub(crate) fn spent(&self, words: &mut IntoIter<String>) -> Result<(), lexopt::Error> {
        if let Some(word) = words.next() {
            return Err(format!("`{word}` is one argument too many").into());
        }
        if self.origin.is_some() {
            return Err("`--as` goes with `call` and `explain` only".into());
        }
        if self.json.is_some() {
            return Err("`--json` goes with `explain` only".into());
        }
        Ok(())
    }
}
