//! Values at the edges of what a schema allows, and just beyond them.

use serde_json::{Value, json};

use super::make::{Maker, Mode, Step, whole, whole_bounds};
use super::schema::{Shape, types};
use super::strings;

/// A value, and what it is in a few words.
pub(super) type Variant = (String, Value);

/// Longer lists aren't made for their length alone.
const LONGEST: u64 = 50;

/// Values of each type, none of which a repair takes for another.
fn strangers() -> [(&'static str, Value); 5] {
    [
        ("string", json!("no such value")),
        ("object", json!({})),
        ("array", json!([])),
        ("boolean", json!(true)),
        ("number", json!(-7.5)),
    ]
}

impl Maker<'_> {
    /// Values that fit, at the edges of what does.
    pub(super) fn edges(&mut self, shape: &Shape, path: &mut Vec<Step>) -> Vec<Variant> {
        let (spots, mode) = (self.spots.len(), self.mode);
        self.mode = Mode::Full;
        let mut all = self.declared(shape);
        if shape.contains_key("const") || shape.contains_key("enum") {
            let values = shape.get("enum").and_then(Value::as_array);
            all.extend(values.into_iter().flatten().map(|one| (one.to_string(), one.clone())));
        } else if let Some((key, branches)) = alternatives(shape) {
            for (at, branch) in branches.iter().enumerate() {
                match self.branch(shape, key, branch) {
                    Ok(one) => {
                        let made = self.shaped(&one, path);
                        all.extend(made.ok().map(|made| (format!("in form {}", at + 1), made)));
                        // Forms within forms would go on for ever.
                        if alternatives(&one).is_none() {
                            all.extend(self.edges(&one, path));
                        }
                    }
                    Err(why) => {
                        self.skip(format!("a form of {}: {why}", super::make::path_text(path)));
                    }
                }
            }
        } else {
            for of in shape.get("type").map(types).unwrap_or_default() {
                self.edges_of(of, shape, path, &mut all);
            }
        }
        self.spots.truncate(spots);
        self.mode = mode;
        all
    }

    /// What the schema itself gives as values.
    fn declared(&mut self, shape: &Shape) -> Vec<Variant> {
        let examples = shape.get("examples").and_then(Value::as_array);
        let examples = examples.into_iter().flatten();
        let mut all: Vec<Variant> =
            examples.map(|example| ("as its example".to_owned(), example.clone())).collect();
        all.extend(shape.get("default").map(|value| ("as its default".to_owned(), value.clone())));
        all
    }

    fn edges_of(&mut self, of: &str, shape: &Shape, path: &mut Vec<Step>, all: &mut Vec<Variant>) {
        match of {
            "null" => all.push(("as null".to_owned(), Value::Null)),
            "boolean" => {
                all.extend([false, true].map(|value| (format!("as {value}"), value.into())));
            }
            "string" => {
                let texts = self.schema.texts(shape, &mut self.rng).unwrap_or_default();
                let told = |text: String| {
                    (format!("as a text of {} characters", text.chars().count()), text.into())
                };
                all.extend(texts.into_iter().skip(1).map(told));
            }
            "integer" => {
                let (from, to) = whole_bounds(shape);
                let within = [from, to, 0, -1].into_iter().filter(|one| (from..=to).contains(one));
                all.extend(within.filter_map(|one| Some((format!("as {one}"), whole(one)?))));
            }
            "number" => {
                let bounds = ["minimum", "maximum"].into_iter().filter_map(|key| shape.get(key));
                all.extend(bounds.map(|bound| (format!("as {bound}"), bound.clone())));
            }
            "array" => {
                let count = |key: &str| shape.get(key).and_then(Value::as_u64);
                let ends = [Some(count("minItems").unwrap_or(0)), count("maxItems")];
                for length in ends.into_iter().flatten() {
                    if let Some(list) = self.list(shape, length, path) {
                        all.push((format!("as a list of {length}"), list));
                    }
                }
            }
            "object" => {
                self.mode = Mode::Least;
                let least = self.shaped(shape, path);
                self.mode = Mode::Full;
                all.extend(least.ok().map(|least| ("with the least".to_owned(), least)));
            }
            _ => {}
        }
    }

    /// A list of this length, its elements as they are made anyway.
    fn list(&mut self, shape: &Shape, length: u64, path: &mut Vec<Step>) -> Option<Value> {
        if length > LONGEST {
            self.skip(format!("{}: a list of {length} isn't made", super::make::path_text(path)));
            return None;
        }
        let mut shape = shape.clone();
        shape.insert("minItems".to_owned(), length.into());
        shape.insert("maxItems".to_owned(), length.into());
        let spots = self.spots.len();
        let list = self.shaped(&shape, path).ok();
        self.spots.truncate(spots);
        list
    }

    /// Values that don't fit here, each for one reason.
    pub(super) fn mistakes(&mut self, shape: &Shape, path: &mut Vec<Step>) -> Vec<Variant> {
        let mut all = Vec::new();
        let mut allowed = Vec::new();
        self.allowed(shape, 0, &mut allowed);
        if !allowed.contains(&"any".to_owned()) {
            let may = |of: &str| {
                allowed.iter().any(|word| word == of || (word == "integer" && of == "number"))
            };
            let strange = strangers().into_iter().filter(|(of, _)| !may(of)).take(2);
            all.extend(strange.map(|(of, value)| (format!("is a wrong type ({of})"), value)));
            if allowed.iter().any(|of| of == "integer") && !allowed.iter().any(|of| of == "number")
            {
                all.push(("is no whole number".to_owned(), json!(1.5)));
            }
        }
        self.beyond(shape, path, 0, &mut all);
        all
    }

    /// The types that may stand here by any alternative; `any` where one leaves it open.
    fn allowed(&self, shape: &Shape, depth: usize, all: &mut Vec<String>) {
        if let Some(held) = shape.get("type") {
            all.extend(types(held).into_iter().map(str::to_owned));
        } else if let Some((key, branches)) = alternatives(shape).filter(|_| depth < 8) {
            for branch in branches {
                match self.branch(shape, key, &branch) {
                    Ok(one) => self.allowed(&one, depth + 1, all),
                    Err(_) => all.push("any".to_owned()),
                }
            }
        } else {
            let values = shape.get("enum").and_then(Value::as_array).map(Vec::as_slice);
            let only = shape.get("const").map(std::slice::from_ref);
            let Some(values) = values.or(only) else { return all.push("any".to_owned()) };
            let of = |value: &Value| {
                let words = ["string", "object", "array", "boolean", "number", "null"];
                words.into_iter().find(|of| super::schema::is_of(value, of)).map(str::to_owned)
            };
            all.extend(values.iter().filter_map(of));
        }
    }

    /// Values just beyond the bounds.
    fn beyond(
        &mut self,
        shape: &Shape,
        path: &mut Vec<Step>,
        depth: usize,
        all: &mut Vec<Variant>,
    ) {
        if let Some((key, branches)) = alternatives(shape).filter(|_| depth < 4) {
            for branch in branches {
                if let Ok(one) = self.branch(shape, key, &branch) {
                    self.beyond(&one, path, depth + 1, all);
                }
            }
            return;
        }
        if shape.contains_key("enum") || shape.contains_key("const") {
            all.push(("is none of its values".to_owned(), json!("no such value")));
            all.push(("is none of its values".to_owned(), json!(-77_777)));
        }
        for (key, by) in
            [("minimum", -1), ("exclusiveMinimum", 0), ("maximum", 1), ("exclusiveMaximum", 0)]
        {
            let Some(bound) = shape.get(key) else { continue };
            let beyond = match (bound.as_i64(), bound.as_u64(), bound.as_f64()) {
                (Some(bound), _, _) => whole(i128::from(bound) + by),
                (_, Some(bound), _) => whole(i128::from(bound) + by),
                (_, _, Some(bound)) => Some(json!(bound + by as f64 * bound.abs().max(1.0))),
                _ => None,
            };
            all.extend(beyond.map(|beyond| (format!("is beyond its `{key}`"), beyond)));
        }
        if let Some(step) = shape.get("multipleOf").and_then(Value::as_f64) {
            all.push(("is no multiple".to_owned(), json!(step * 1.5)));
        }
        let count = |key: &str| shape.get(key).and_then(Value::as_u64);
        if let Some(least) = count("minLength").and_then(|least| least.checked_sub(1)) {
            all.push(("is too short".to_owned(), strings::of_length(least).into()));
        }
        if let Some(most) = count("maxLength").filter(|most| *most < 100_000) {
            all.push(("is too long".to_owned(), strings::of_length(most + 1).into()));
        }
        if shape.contains_key("pattern") {
            for text in ["", "§ no match §", "\u{7f}"] {
                all.push(("doesn't match its pattern".to_owned(), text.into()));
            }
        }
        if let Some(least) = count("minItems").and_then(|least| least.checked_sub(1)) {
            all.extend(self.list(shape, least, path).map(|list| ("is too short".to_owned(), list)));
        }
        if let Some(most) = count("maxItems").filter(|most| *most < LONGEST) {
            all.extend(
                self.list(shape, most + 1, path).map(|list| ("is too long".to_owned(), list)),
            );
        }
        if shape.get("uniqueItems") == Some(&Value::Bool(true)) {
            let mut twice = shape.clone();
            twice.remove("uniqueItems");
            let list = self.list(&twice, 2, path);
            all.extend(list.map(|list| ("has one element twice".to_owned(), list)));
        }
    }
}

/// The alternatives of a schema, and the keyword that has them.
fn alternatives(shape: &Shape) -> Option<(&'static str, Vec<Value>)> {
    ["anyOf", "oneOf"].into_iter().find_map(|key| Some((key, shape.get(key)?.as_array()?.clone())))
}
