//! What a script needs of a provider's wire format.
//!
//! A dialect has a file of its own beside this one, with what is here and a constructor of
//! [`ScriptedModel`](super::ScriptedModel) in it. Nothing else knows one from another.

use std::fmt;

use serde_json::Value;

use super::says::Says;
use super::shown::Parts;
use crate::call::{ToolCall, Turn};
use crate::catalog::Catalog;
use crate::dialect::IntakeError;

pub(super) trait Wire: fmt::Debug + Sync {
    /// The body of a response as the provider sends it. `number` is its place among the script's
    /// responses, from 1, so that ids are no other response's.
    fn response(&self, says: Says, number: usize) -> String;

    /// What a request shows a model.
    ///
    /// # Errors
    /// The provider would refuse it; why.
    fn read(&self, request: &Value) -> Result<Parts, String>;

    /// A request with this history and this catalog.
    fn request(&self, history: &[Value], catalog: &Catalog) -> Value;

    /// What a user says, for the history.
    fn user(&self, text: &str) -> Value;

    /// A response, for the history, and its calls.
    ///
    /// # Errors
    /// It can't be read.
    fn take(&self, response: &str) -> Result<(Vec<Value>, Vec<ToolCall<'static>>), IntakeError>;

    /// The replies of a turn, for the history.
    fn results(&self, turn: &Turn) -> Vec<Value>;
}
