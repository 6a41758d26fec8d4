//! Collects every mistake of one expansion. Dropping it unread is a bug and panics, so that no error
//! gets lost.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All that is wrong with one tool.
pub(crate) struct Errors {
    found: Option<TokenStream>,
    count: usize,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self { found: Some(TokenStream::new()), count: 0 }
    }

    /// A mistake at this place, with its cure.
    pub(crate) fn push(&mut self, at: Span, what: impl Display, help: impl Display) {
        self.syntax(&syn::Error::new(at, format!("{what}\nhelp: {help}")));
    }

    /// A mistake at all of these tokens, from the first to the last, with its cure.
    pub(crate) fn push_at(&mut self, at: impl ToTokens, what: impl Display, help: impl Display) {
        self.syntax(&syn::Error::new_spanned(at, format!("{what}\nhelp: {help}")));
    }

    /// What the parser found.
    pub(crate) fn syntax(&mut self, error: &syn::Error) {
        if let Some(found) = &mut self.found {
            found.extend(error.to_compile_error());
            self.count += 1;
        }
    }

    /// How many mistakes were found so far, to tell whether a part has any.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The `compile_error!`s, or `None` where nothing is wrong.
    pub(crate) fn finish(mut self) -> Option<TokenStream> {
        self.found.take().filter(|found| !found.is_empty())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        assert!(self.found.is_none() || std::thread::panicking(), "errors were dropped unread");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "dropped unread")]
    fn unread_errors_panic() {
        drop(Errors::new());
    }

    #[test]
    fn every_error_is_reported() {
        let mut errors = Errors::new();
        errors.push(Span::call_site(), "one", "mend it");
        errors.push(Span::call_site(), "two", "mend it");
        let tokens = errors.finish().unwrap().to_string();
        assert_eq!(tokens.matches("compile_error").count(), 2);
        assert!(tokens.contains(r"one\nhelp: mend it"), "{tokens}");
    }
}
