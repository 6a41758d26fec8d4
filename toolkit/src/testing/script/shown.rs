//! What a model was shown, and what a test says about it.

use std::fmt;

use serde_json::Value;
use similar::TextDiff;

use super::super::fail;
use super::wire::Wire;
use crate::catalog::Catalog;
use crate::name::wire_name;
use crate::order::sort_by;
use crate::text::{excerpt, visible};

/// Everything that a [`ScriptedModel`](super::ScriptedModel) was sent, oldest first. It displays as the
/// conversation of the last request.
///
/// The assertions panic where they don't hold, with what differs and the conversation; so they stand in a
/// test as `assert_eq!` does. They give back what they were called on, for the next one.
#[derive(Clone, Debug)]
pub struct Shown {
    pub(super) requests: Vec<Request>,
}

/// One request, as its model reads it.
#[derive(Clone, Debug)]
pub struct Request {
    wire: &'static dyn Wire,
    raw: Value,
    parts: Parts,
    /// Why the provider would refuse it; its parts are then empty.
    refused: Option<String>,
}

/// What there is in a request of every provider's.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) tools: Vec<Offer>,
    pub(super) messages: Vec<Message>,
}

/// A tool as it is offered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Offer {
    /// Its name on the wire, e.g. `kb__search`.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The JSON Schema of its arguments as sent.
    pub schema: Value,
}

/// A message of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Whose it is, in the provider's word: `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// Its text; empty where it has none.
    pub text: String,
    /// The calls that the model made with it.
    pub calls: Vec<Asked>,
    /// The id of the call that it replies to.
    pub answers: Option<String>,
}

/// A call in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// The provider's id.
    pub id: String,
    /// The name that was called.
    pub name: String,
    /// Its arguments as JSON text.
    pub arguments: String,
}

/// What was expected against what there is, line by line.
pub(super) fn diff(expected: &str, got: &str) -> String {
    let diff = TextDiff::from_lines(expected, got);
    diff.unified_diff().context_radius(3).header("expected", "got").to_string()
}

fn lines<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> String {
    let mut all: Vec<String> = all.into_iter().map(|one| format!("{}\n", one.as_ref())).collect();
    sort_by(&mut all, Ord::cmp);
    all.concat()
}

impl Shown {
    /// The requests, oldest first.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// The last request.
    ///
    /// # Panics
    /// The model was asked nothing.
    #[track_caller]
    pub fn last(&self) -> &Request {
        match self.requests.last() {
            Some(last) => last,
            None => fail("the model was asked nothing", self),
        }
    }

    /// Some request holds this text: in a description, a message, a call or a schema.
    ///
    /// # Panics
    /// None does.
    #[track_caller]
    pub fn assert_showed(&self, text: &str) -> &Self {
        self.assert_readable();
        if !self.requests.iter().any(|request| request.place(text).is_some()) {
            fail(&format!("the model was never shown `{text}`"), self);
        }
        self
    }

    /// No request holds this text anywhere: neither as it stands, nor within JSON that is written as
    /// text, as arguments are, nor as a key. For a secret that is planted in a test.
    ///
    /// # Panics
    /// One does. It is told where, and the text isn't repeated. The empty text is in all.
    #[track_caller]
    pub fn assert_never_showed(&self, secret: &str) -> &Self {
        for (at, request) in self.requests.iter().enumerate() {
            if let Some(place) = request.place(secret) {
                let place = place.replace(secret, "…");
                let what = format!("what must never be shown is in request {} at {place}", at + 1);
                fail(&what, &"the conversation is left out, since it holds it");
            }
        }
        self
    }

    /// In every request the calls of each message have their replies right after it: one each, in order,
    /// under their ids; and no reply is to anything else.
    ///
    /// # Panics
    /// A reply is missing, too much, out of order, or under another id.
    #[track_caller]
    pub fn assert_answered(&self) -> &Self {
        self.assert_readable();
        for (at, request) in self.requests.iter().enumerate() {
            if let Some(why) = unanswered(request.messages()) {
                fail(&format!("request {}, {why}", at + 1), request);
            }
        }
        self
    }

    /// Every request can be read by its provider.
    #[track_caller]
    fn assert_readable(&self) {
        self.requests.iter().for_each(|request| request.assert_readable());
    }
}

/// What is wrong with the replies of a history.
fn unanswered(messages: &[Message]) -> Option<String> {
    let mut at = 0;
    while let Some(message) = messages.get(at) {
        at += 1;
        let replies: Vec<&str> =
            messages[at..].iter().map_while(|reply| reply.answers.as_deref()).collect();
        let calls: Vec<&str> = message.calls.iter().map(|call| call.id.as_str()).collect();
        if calls != replies && message.answers.is_none() {
            let ids = |ids: &[&str]| ids.iter().map(|id| format!("{id}\n")).collect::<String>();
            let diff = diff(&ids(&calls), &ids(&replies));
            return Some(format!("message {at}: its calls and the replies to them differ\n{diff}"));
        }
        if at == 1 && message.answers.is_some() {
            return Some("message 1 replies to no call".to_owned());
        }
    }
    None
}

impl Request {
    pub(super) fn new(wire: &'static dyn Wire, raw: Value) -> Self {
        let (parts, refused) = match wire.read(&raw) {
            Ok(parts) => (parts, None),
            Err(why) => (Parts::default(), Some(why)),
        };
        Self { wire, raw, parts, refused }
    }

    /// The request as it was sent.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// The tools that it offers.
    pub fn tools(&self) -> &[Offer] {
        &self.parts.tools
    }

    /// Its messages, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.parts.messages
    }

    /// The tool of this name or wire name, as it is offered.
    pub fn tool(&self, name: &str) -> Option<&Offer> {
        let wire = wire_name(name);
        self.tools().iter().find(|offer| offer.name == name || offer.name == wire)
    }

    /// It offers exactly these tools, by name or wire name, in any order.
    ///
    /// # Panics
    /// One is missing or too much.
    #[track_caller]
    pub fn assert_offers<T: AsRef<str>>(&self, names: impl IntoIterator<Item = T>) -> &Self {
        self.assert_readable();
        let expected = lines(names.into_iter().map(|name| wire_name(name.as_ref())));
        let got = lines(self.tools().iter().map(|offer| &offer.name));
        if expected != got {
            fail(&format!("the request offers other tools\n{}", diff(&expected, &got)), self);
        }
        self
    }

    /// It offers what this catalog shows: the same tools with the same descriptions and schemas.
    ///
    /// # Panics
    /// Something differs.
    #[track_caller]
    pub fn assert_offers_catalog(&self, catalog: &Catalog) -> &Self {
        self.assert_readable();
        let expected = Self::new(self.wire, self.wire.request(&[], catalog));
        let told = |request: &Self| {
            let told = |offer: &Offer| {
                let schema = serde_json::to_string_pretty(&offer.schema).unwrap_or_default();
                format!("{}\n  {}\n{schema}", offer.name, offer.description)
            };
            lines(request.tools().iter().map(told))
        };
        let (expected, got) = (told(&expected), told(self));
        if expected != got {
            fail(&format!("the request offers another catalog\n{}", diff(&expected, &got)), self);
        }
        self
    }

    /// It holds this text: in a description, a message, a call or a schema.
    ///
    /// # Panics
    /// It doesn't.
    #[track_caller]
    pub fn assert_showed(&self, text: &str) -> &Self {
        self.assert_readable();
        if self.place(text).is_none() {
            fail(&format!("the request doesn't show `{text}`"), self);
        }
        self
    }

    #[track_caller]
    fn assert_readable(&self) {
        if let Some(why) = &self.refused {
            fail(&format!("the provider would refuse the request: {why}"), &self.raw);
        }
    }

    /// Where a text is.
    fn place(&self, text: &str) -> Option<String> {
        place(&self.raw, text, "", 0)
    }
}

/// JSON within texts is read so deep.
const DEPTH: usize = 8;

/// The path at which a value holds a text: in a string, a key or a number.
fn place(value: &Value, text: &str, path: &str, depth: usize) -> Option<String> {
    match value {
        Value::String(held) if held.contains(text) => Some(path.to_owned()),
        // Arguments are JSON as text, and so are results; an escape must hide nothing.
        Value::String(held) if depth < DEPTH && held.contains(['{', '[', '"']) => {
            let inner: Value = serde_json::from_str(held).ok()?;
            place(&inner, text, path, depth + 1)
        }
        Value::Array(all) => all
            .iter()
            .enumerate()
            .find_map(|(at, one)| place(one, text, &format!("{path}[{at}]"), depth)),
        Value::Object(members) => members.iter().find_map(|(key, member)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if key.contains(text) { Some(path) } else { place(member, text, &path, depth) }
        }),
        Value::Number(number) if number.to_string().contains(text) => Some(path.to_owned()),
        _ => None,
    }
}

/// How much of a text is printed.
const MOST: usize = 400;

/// A line of a transcript, or more where the text has more.
pub(super) fn line(who: &str, what: &str) -> String {
    let mut out = String::new();
    let what = excerpt(what, MOST);
    for (at, line) in what.split('\n').enumerate() {
        let who = if at == 0 { who } else { "" };
        out.push_str(format!("{who:<10} {}", visible(line, false)).trim_end());
        out.push('\n');
    }
    out
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools().iter().map(|offer| offer.name.as_str()).collect();
        f.write_str(&line("tools", &tools.join(", ")))?;
        for Message { role, text, calls, answers } in self.messages() {
            if let Some(id) = answers {
                f.write_str(&line(role, &format!("({id}) {text}")))?;
            } else if !text.is_empty() || calls.is_empty() {
                f.write_str(&line(role, text))?;
            }
            for Asked { id, name, arguments } in calls {
                f.write_str(&line(role, &format!("({id}) calls {name} {arguments}")))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.requests.last() {
            Some(last) => last.fmt(f),
            None => f.write_str("(the model was asked nothing)\n"),
        }
    }
}
