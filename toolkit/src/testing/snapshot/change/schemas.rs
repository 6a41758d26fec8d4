//! Whether all that fits one schema fits another. A change is compatible where that can be seen, and not
//! where nothing was found against it: of a keyword that isn't known, another value breaks.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::{Number, Value};

use super::list;
use super::same::{Pair, Roots, SILENT, resolved};

/// Bounds, and whether they are lower ones.
const BOUNDS: [(&str, bool); 10] = [
    ("minimum", true),
    ("exclusiveMinimum", true),
    ("minLength", true),
    ("minItems", true),
    ("minProperties", true),
    ("maximum", false),
    ("exclusiveMaximum", false),
    ("maxLength", false),
    ("maxItems", false),
    ("maxProperties", false),
];

/// Keywords that are looked at by what they mean.
const SEEN: [&str; 12] = [
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "format",
    "items",
    "oneOf",
    "prefixItems",
    "properties",
    "required",
    "type",
];

/// Keywords that say less alone than with others, so that one that is gone may ask more.
const TOGETHER: [&str; 6] =
    ["contains", "if", "maxContains", "minContains", "patternProperties", "then"];

/// So many pairs of schemas are compared.
const MOST: u32 = 20_000;

/// What isn't said asks nothing.
static ANYTHING: Value = Value::Bool(true);

/// Two schemas, and why what fits the one may not fit the other.
pub(super) struct Sides<'a> {
    was: &'a Value,
    now: &'a Value,
    /// Whether a caller gives such values, and doesn't get them: then fewer of them break it, else more.
    given: bool,
    /// The pairs that fit, or are being looked at, in their order: types may refer to themselves.
    seen: HashSet<Pair>,
    order: Vec<Pair>,
    left: u32,
    reasons: Vec<String>,
}

impl<'a> Sides<'a> {
    /// Why values that could be given can't be any more, or stand for something else.
    pub(super) fn given(was: &'a Value, now: &'a Value) -> Vec<String> {
        Self::reasons(was, now, true)
    }

    /// Why values may be got that couldn't.
    pub(super) fn got(was: &'a Value, now: &'a Value) -> Vec<String> {
        Self::reasons(was, now, false)
    }

    fn reasons(was: &'a Value, now: &'a Value, given: bool) -> Vec<String> {
        let (seen, order, reasons) = (HashSet::new(), Vec::new(), Vec::new());
        let mut sides = Self { was, now, given, seen, order, left: MOST, reasons };
        sides.compare(was, now, "");
        if sides.left == 0 {
            sides.say("", "are too intricate to be compared");
        }
        sides.reasons
    }

    fn say(&mut self, path: &str, what: &str) {
        let reason = format!("{} {what}", self.place(path));
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn place(&self, path: &str) -> String {
        match (self.given, path.is_empty()) {
            (true, true) => "the arguments".to_owned(),
            (true, false) => format!("`{path}`"),
            (false, true) => "the result".to_owned(),
            (false, false) => format!("`{path}` of the result"),
        }
    }

    /// The one of which all must fit, and the one that it must fit: of what is given, all that was taken
    /// must be taken; of what is got, nothing new may come.
    fn ordered(&self, was: &'a Value, now: &'a Value) -> (&'a Value, &'a Value) {
        if self.given { (was, now) } else { (now, was) }
    }

    fn compare(&mut self, was: &'a Value, now: &'a Value, path: &str) {
        let (was, now) = (resolved(self.was, was), resolved(self.now, now));
        let pair = (std::ptr::from_ref(was), std::ptr::from_ref(now));
        if self.left == 0 || !self.seen.insert(pair) {
            return;
        }
        self.order.push(pair);
        self.left -= 1;
        let (inner, outer) = self.ordered(was, now);
        if *inner == Value::Bool(false) || *outer == Value::Bool(true) {
            return;
        }
        if *outer == Value::Bool(false) {
            let what = if self.given { "takes nothing any more" } else { "may be there" };
            return self.say(path, what);
        }
        if self.given && was.get("default").is_some_and(|held| Some(held) != now.get("default")) {
            self.say(path, "has another default");
        }
        if let Some(forms) = forms(inner) {
            // What asks nothing else is what its forms are.
            if !forms.iter().all(|form| self.fits(form, outer)) {
                self.say(path, "has other forms");
            }
            return;
        }
        for key in ["anyOf", "oneOf"] {
            if outer[key].is_null() || self.same(key, inner, outer) {
                continue;
            }
            // What has no forms of its own may be one of them.
            let new = inner[key].is_null();
            if !(new && list(&outer[key]).iter().any(|form| self.fits(inner, form))) {
                self.say(path, "has other forms");
            }
        }
        for part in list(&outer["allOf"]) {
            let parts = list(&inner["allOf"]).iter().chain([inner]);
            if !parts.into_iter().any(|one| self.fits(one, part)) {
                self.say(path, "has other forms");
            }
        }
        self.values(inner, outer, path);
        self.bounds(inner, outer, path);
        self.others(inner, outer, path);
        self.members(was, now, path);
        self.items(was, now, path);
    }

    /// Whether what fits the inner one fits the outer one. Where it doesn't, nothing is left of it.
    fn fits(&mut self, inner: &'a Value, outer: &'a Value) -> bool {
        let (reasons, known) = (std::mem::take(&mut self.reasons), self.order.len());
        // A form as a whole is no part of a path.
        let (was, now) = self.ordered(inner, outer);
        if let Some(forms) = forms(resolved(self.ordered(self.was, self.now).1, outer)) {
            let fits = forms.iter().any(|form| self.fits(inner, form));
            self.reasons = reasons;
            return fits;
        }
        self.compare(was, now, "");
        let fits = self.reasons.is_empty() && self.left > 0;
        self.reasons = reasons;
        if !fits {
            self.order.drain(known..).for_each(|pair| {
                self.seen.remove(&pair);
            });
        }
        fits
    }

    /// Whether both say the same by a keyword.
    fn same(&self, key: &str, inner: &Value, outer: &Value) -> bool {
        let (one, other) = self.ordered(self.was, self.now);
        let seen = &mut HashSet::new();
        Roots { one, other }.keyword(key, &inner[key], &outer[key], seen)
    }

    /// What the values are.
    fn values(&mut self, inner: &'a Value, outer: &'a Value, path: &str) {
        let (wide, tight) = (types(inner), types(outer));
        let takes =
            |of: &&str| tight.contains(of) || (*of == "integer" && tight.contains(&"number"));
        if !tight.is_empty() && (wide.is_empty() || !wide.iter().all(takes)) {
            self.say(path, "is of another type");
        }
        let options = |of: &Value| -> Option<Vec<Value>> {
            let single = of.get("const").map(|value| vec![value.clone()]);
            of["enum"].as_array().cloned().or(single)
        };
        if let Some(allowed) = options(outer)
            && options(inner).is_none_or(|all| all.iter().any(|value| !allowed.contains(value)))
        {
            let what = if self.given { "takes fewer values" } else { "may be another value" };
            self.say(path, what);
        }
        for key in ["pattern", "format"] {
            // They ask nothing of what is no text.
            let is_text = tight.is_empty() || tight.contains(&"string");
            if !outer[key].is_null() && outer[key] != inner[key] && is_text {
                self.say(path, &format!("has another `{key}`"));
            }
        }
    }

    fn bounds(&mut self, inner: &Value, outer: &Value, path: &str) {
        let outside = |(key, lower): &(&str, bool)| {
            let Value::Number(bound) = &outer[*key] else { return false };
            if *lower && key.len() > "minimum".len() && bound.as_u64() == Some(0) {
                return false;
            }
            let Value::Number(held) = &inner[*key] else { return true };
            let beyond = if *lower { Ordering::Less } else { Ordering::Greater };
            order(held, bound).is_none_or(|order| order == beyond)
        };
        if BOUNDS.iter().any(outside) {
            let what = if self.given { "has tighter bounds" } else { "has wider bounds" };
            self.say(path, what);
        }
    }

    /// Keywords that must be the same, or gone.
    fn others(&mut self, inner: &Value, outer: &Value, path: &str) {
        let (Value::Object(within), Value::Object(around)) = (inner, outer) else { return };
        let known = |key: &str| {
            SILENT.contains(&key)
                || SEEN.contains(&key)
                || key == "pattern"
                || BOUNDS.iter().any(|(bound, _)| *bound == key)
        };
        let said = around.iter().filter(|(key, held)| !known(key) && **held != Value::Bool(false));
        let mut keys: Vec<&str> = said.map(|(key, _)| key.as_str()).collect();
        keys.extend(TOGETHER.into_iter().filter(|key| within.contains_key(*key)));
        if outer["unevaluatedProperties"] == false {
            keys.push("unevaluatedProperties");
        }
        for key in keys {
            if !self.same(key, inner, outer) {
                self.say(path, &format!("says something else by `{key}`"));
            }
        }
    }

    fn members(&mut self, was: &'a Value, now: &'a Value, path: &str) {
        let [before, after] = [was, now].map(|of| of["properties"].as_object());
        let needs = |of: &Value, name: &str| list(&of["required"]).iter().any(|one| one == name);
        let at = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        for (name, later) in after.into_iter().flatten() {
            let place = self.place(&at(name));
            match before.and_then(|before| before.get(name)) {
                Some(earlier) => {
                    if self.given && needs(now, name) && !needs(was, name) {
                        self.reasons.push(format!("{place} is required now"));
                    }
                    if !self.given && needs(was, name) && !needs(now, name) {
                        self.reasons.push(format!("{place} may be absent"));
                    }
                    self.compare(earlier, later, &at(name));
                }
                None if self.given && needs(now, name) => {
                    self.reasons.push(format!("{place} is new and required"));
                }
                None if self.given => {
                    // An object that took any name took this one.
                    if let Some(rest) = was.get("additionalProperties") {
                        self.compare(rest, later, &at(name));
                    }
                }
                None => {}
            }
        }
        let closed = ["additionalProperties", "unevaluatedProperties"];
        let closed = closed.iter().any(|key| now[*key] == false);
        for (name, earlier) in before.into_iter().flatten() {
            if after.is_some_and(|after| after.contains_key(name)) {
                continue;
            }
            if closed || !self.given {
                self.say(path, &format!("has no `{name}` any more"));
            } else if let Some(rest) = now.get("additionalProperties") {
                self.compare(earlier, rest, &at(name));
            }
        }
        let [earlier, later] = [was, now].map(|of| of.get("additionalProperties"));
        match (earlier, later) {
            (Some(Value::Bool(false)), _) => {}
            (_, Some(Value::Bool(false))) if self.given => {
                self.say(path, "takes no other names any more");
            }
            (Some(earlier), Some(later)) => self.compare(earlier, later, &at("*")),
            (None, Some(later)) if self.given => self.compare(&ANYTHING, later, &at("*")),
            _ => {}
        }
    }

    fn items(&mut self, was: &'a Value, now: &'a Value, path: &str) {
        let first = [was, now].map(|of| list(&of["prefixItems"]));
        let [earlier, later] = [was, now].map(|of| of.get("items").unwrap_or(&ANYTHING));
        for at in 0..first[0].len().max(first[1].len()) {
            let [earlier, later] = [(first[0], earlier), (first[1], later)]
                .map(|(first, rest)| first.get(at).unwrap_or(rest));
            self.compare(earlier, later, &format!("{path}[{at}]"));
        }
        self.compare(earlier, later, &format!("{path}[]"));
    }
}

/// The alternatives of a schema that asks nothing else.
fn forms(schema: &Value) -> Option<&[Value]> {
    let asking = schema.as_object()?.iter().filter(|(key, _)| !SILENT.contains(&key.as_str()));
    match asking.collect::<Vec<_>>().as_slice() {
        [(key, Value::Array(forms))] if matches!(key.as_str(), "anyOf" | "oneOf") => Some(forms),
        _ => None,
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(of) => vec![of],
        Value::Array(of) => of.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The order of two numbers, whole ones to the last digit.
fn order(one: &Number, other: &Number) -> Option<Ordering> {
    let whole = |of: &Number| of.as_i64().map(i128::from).or_else(|| of.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}
