//! Toolsets in every place and form.
#![deny(warnings, missing_docs, clippy::pedantic)]

use std::sync::Mutex;

use toolkit::prelude::*;

/// Notes of one person.
pub struct Notes {
    texts: Mutex<Vec<String>>,
}

/// What is shared beside the notes.
pub struct Clock(u64);

#[toolset(domain = "notes", ceiling = "write")]
impl Notes {
    /// The longest text.
    const LONGEST: usize = 80;

    /// Without notes.
    #[must_use]
    pub fn new() -> Self {
        Self { texts: Mutex::default() }
    }

    /// Read all notes, the oldest first.
    ///
    /// # Panics
    /// Where another call did.
    #[tool(parallel, render = Self::lines)]
    pub async fn list(
        &self,
        /// How many notes to return at most, e.g. `10`.
        #[arg(default = Self::LONGEST, range = 1..=80)]
        most: usize,
    ) -> Vec<String> {
        std::future::ready(()).await;
        self.texts.lock().unwrap().iter().take(most).cloned().collect()
    }

    fn lines(texts: &Vec<String>) -> String {
        texts.join("\n")
    }

    /// Add a note at the end.
    #[tool(risk = "write", name = "add")]
    fn push(
        self: &Self,
        /// Text of the note, e.g. `call back`.
        text: &str,
        #[state] clock: &Clock,
        #[context] cx: &CallContext,
    ) -> Result<usize, ToolError> {
        let mut texts = self.texts.lock().map_err(|_| ToolError::expected("try again"))?;
        texts.push(format!("{} {text}{}", clock.0, cx.scope_name().unwrap_or_default()));
        Ok(texts.len())
    }

    /// Count the notes on a thread.
    #[tool(blocking = "wait")]
    fn count(&self) -> usize {
        self.texts.lock().map_or(0, |texts| texts.len())
    }

    /// Say what a note is, which needs none.
    #[tool]
    fn help() -> &'static str {
        "a note is a line"
    }

    #[cfg(any())]
    /// Never there, whatever its types are.
    #[tool]
    fn never(
        &self,
        /// What isn't there.
        missing: Missing,
    ) {
    }

    #[cfg(not(any()))]
    /// There in its place.
    #[tool(name = "never")]
    fn always() {}
}

impl Default for Notes {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(any())]
#[toolset(domain = "gone")]
impl Missing {
    /// Never there, whatever its type is.
    #[tool]
    fn never(&self) {}
}

mod files {
    /// Files of a host.
    pub(super) struct Files<T>(pub(super) T);
}

/// What files are read from.
struct Local;

#[toolset(domain = "host.fs")]
impl files::Files<Local> {
    /// Read the text of a file.
    #[tool]
    async fn read(&self) -> String {
        let _ = &self.0;
        std::future::ready(String::new()).await
    }
}

macro_rules! toolset {
    ($ty:ident, $domain:literal, $(#[$attr:meta])* $method:ident) => {
        struct $ty;
        #[toolkit::toolset(domain = $domain)]
        impl $ty {
            $(#[$attr])*
            fn $method(&self) {}
        }
    };
}
toolset!(Made, "made", #[doc = "Made by a macro of the user."] #[tool] make);

/// Those that are there.
pub fn names() -> Vec<String> {
    struct Inner;
    #[toolset(domain = "inner")]
    impl Inner {
        /// Stands in the body of a function.
        #[tool]
        fn inside() {}
    }
    let builder = Toolkit::builder()
        .only([])
        .state(Clock(7))
        .toolset(Notes::new())
        .toolset(files::Files(Local))
        .toolset(Made)
        .toolset(Inner);
    let toolkit = builder.build().unwrap();
    assert_eq!(toolkit.tool(Notes::push).unwrap().name(), "notes.add");
    assert!(toolkit.tool(Notes::new).is_none());
    toolkit.tools().map(|tool| tool.name().to_owned()).collect()
}

/// A toolkit of notes.
pub fn notes() -> Toolkit {
    let builder = Toolkit::builder().only([]).state(Clock(7));
    builder.policy(Policy::trusting()).toolset(Notes::new()).build().unwrap()
}
