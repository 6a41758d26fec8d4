//! The rules of a policy file.

use std::ops::Bound;

use toml::de::{DeTable, DeValue};

use super::super::matcher::{Kind, Matcher};
use super::super::rule::{Effect, Rule};
use super::read::{Reader, Value, kind};
use super::table::{origins, risks};
use crate::json::{Scanner, canonical, string};

const EFFECTS: [Effect; 4] = [Effect::Deny, Effect::Ask, Effect::Only, Effect::WaiveAsk];

const KEYS: [&str; 10] =
    ["deny", "ask", "only", "waive_ask", "risk", "origin", "principal", "when", "because", "later"];

const MATCHERS: [&str; 8] =
    ["equals", "one_of", "regex", "glob", "range", "prefix", "under", "host"];

/// The rules, as far as they can be read.
pub(super) fn rules<'t>(reader: &mut Reader<'t>, document: &DeTable<'t>) -> Vec<Rule> {
    let Some(value) = document.get("rules") else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        let what = "`rules` must be a list of tables: each begins with `[[rules]]`";
        reader.wrong(value.span().start, what);
        return Vec::new();
    };
    let mut rules = Vec::new();
    for value in list.iter() {
        if let Some(table) = reader.table("rules", value) {
            rules.extend(rule(reader, value, table));
        }
    }
    rules
}

fn rule<'t>(reader: &mut Reader<'t>, value: &Value<'t>, table: &DeTable<'t>) -> Option<Rule> {
    let said = |effect: &&Effect| table.contains_key(effect.as_str());
    let mut effects = EFFECTS.iter().filter(said);
    let rule = match (effects.next(), effects.next()) {
        (Some(effect), None) => table.get_key_value(effect.as_str()).map(|(key, tools)| {
            let tools = reader.texts(effect.as_str(), tools);
            Rule::at(*effect, tools, reader.place(key.span().start))
        }),
        (None, _) => {
            let what = "a rule says one of `deny`, `ask`, `only` and `waive_ask`";
            reader.wrong(value.span().start, what);
            None
        }
        (Some(one), Some(other)) => {
            let what = format!(
                "a rule says `{}` or `{}`, not both; write two",
                one.as_str(),
                other.as_str()
            );
            reader.wrong(value.span().start, what);
            None
        }
    };
    // What else is wrong is told all the same.
    let place = reader.place(value.span().start);
    let mut read = rule.clone().unwrap_or_else(|| Rule::at(Effect::Deny, Vec::new(), place));
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        match name {
            "deny" | "ask" | "only" | "waive_ask" => {}
            "risk" => read.risks = reader.words(name, value, &risks()),
            "origin" => read.origins = reader.words(name, value, &origins()),
            "principal" => read.principals = reader.texts(name, value),
            "because" => read.because = reader.text(name, value).map(str::to_owned),
            "later" => read.later = reader.switch(name, value).unwrap_or_default(),
            "when" => {
                for (path, value) in reader.table(name, value).into_iter().flatten() {
                    let path = path.get_ref().as_ref();
                    let matcher = matcher(reader, &format!("when.{path}"), value);
                    read.conditions.extend(matcher.map(|matcher| (path.to_owned(), matcher)));
                }
            }
            _ => reader.unknown("", key, &KEYS),
        }
    }
    rule.map(|_| read)
}

/// A matcher, or a list of which any may match.
fn matcher<'t>(reader: &mut Reader<'t>, what: &str, value: &Value<'t>) -> Option<Matcher> {
    if let Some(list) = value.get_ref().as_array() {
        if list.is_empty() {
            reader.wrong(value.span().start, format!("`{what}` is an empty list"));
        }
        let all = list.iter().filter_map(|one| matcher(reader, what, one));
        return all.reduce(Matcher::or);
    }
    let table = reader.table(what, value)?;
    let mut base = None;
    let mut found = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let inner = format!("{what}.{name}");
        match name {
            "relative_to" => base = reader.text(&inner, value).map(str::to_owned),
            _ if MATCHERS.contains(&name) => found.push((name, inner, value)),
            _ => {
                let known = MATCHERS.into_iter().chain(["relative_to"]).collect::<Vec<_>>();
                reader.unknown(&format!("{what}."), key, &known);
            }
        }
    }
    let [(name, inner, given)] = found.as_slice() else {
        let text = format!("`{what}` holds one matcher: one of {}", MATCHERS.join(", "));
        reader.wrong(value.span().start, text);
        return None;
    };
    let all: Vec<Matcher> = match *name {
        "equals" => json(reader, inner, given).map(|of| vec![Matcher(Kind::OneOf(vec![of]))])?,
        "one_of" => {
            let Some(list) = given.get_ref().as_array() else {
                let kind = kind(given.get_ref());
                reader.wrong(given.span().start, format!("`{inner}` must be a list, not {kind}"));
                return None;
            };
            if list.is_empty() {
                reader.wrong(given.span().start, format!("`{inner}` is an empty list"));
            }
            let values = list.iter().filter_map(|one| json(reader, inner, one)).collect();
            vec![Matcher(Kind::OneOf(values))]
        }
        "prefix" => vec![Matcher(Kind::Prefix(reader.texts(inner, given)))],
        "host" => vec![Matcher(Kind::Host(reader.texts(inner, given)))],
        "range" => vec![range(reader, inner, given)?],
        "regex" => each(reader.texts(inner, given), Kind::Regex),
        "under" => each(reader.texts(inner, given), |path| Kind::Under(path, base.clone())),
        _ => glob(reader, inner, given),
    };
    if base.is_some() && *name != "under" {
        let text = format!("`{what}.relative_to` is for `under` alone");
        reader.wrong(value.span().start, text);
    }
    all.into_iter().reduce(Matcher::or)
}

fn each(texts: Vec<String>, of: impl Fn(String) -> Kind) -> Vec<Matcher> {
    texts.into_iter().map(|text| Matcher(of(text))).collect()
}

#[cfg(feature = "globs")]
fn glob(reader: &mut Reader<'_>, what: &str, value: &Value<'_>) -> Vec<Matcher> {
    each(reader.texts(what, value), Kind::Glob)
}

#[cfg(not(feature = "globs"))]
fn glob(reader: &mut Reader<'_>, what: &str, value: &Value<'_>) -> Vec<Matcher> {
    reader.wrong(value.span().start, format!("`{what}` needs toolkit's feature `globs`"));
    Vec::new()
}

/// A range as Rust writes it.
fn range(reader: &mut Reader<'_>, what: &str, value: &Value<'_>) -> Option<Matcher> {
    let given = reader.text(what, value)?;
    let end = |text: &str| -> Option<Option<String>> {
        let text = text.trim();
        let mut scanner = Scanner::new(text);
        match text {
            "" => Some(None),
            _ if scanner.number().is_ok() && scanner.end().is_ok() => Some(Some(text.to_owned())),
            _ => None,
        }
    };
    let ends = given.split_once("..").and_then(|(start, rest)| {
        let (included, rest) = match rest.strip_prefix('=') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let last = match (end(rest)?, included) {
            (None, true) => return None,
            (None, false) => Bound::Unbounded,
            (Some(last), true) => Bound::Included(last),
            (Some(last), false) => Bound::Excluded(last),
        };
        Some((end(start)?.map_or(Bound::Unbounded, Bound::Included), last))
    });
    match ends {
        None | Some((Bound::Unbounded, Bound::Unbounded)) => {
            let text =
                format!("`{what}` can't be \"{given}\"; say \"1..=20\", \"0.5..\" or \"..100\"");
            reader.wrong(value.span().start, text);
            None
        }
        Some((start, last)) => Some(Matcher(Kind::Range(start, last))),
    }
}

/// A value as JSON.
fn json(reader: &mut Reader<'_>, what: &str, value: &Value<'_>) -> Option<String> {
    let mut out = String::new();
    match value.get_ref() {
        DeValue::String(text) => string(text, &mut out),
        DeValue::Boolean(on) => out.push_str(if *on { "true" } else { "false" }),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => out.push_str(&number.to_string()),
            Err(_) => {
                reader.wrong(value.span().start, format!("`{what}` is too large a number"));
                return None;
            }
        },
        DeValue::Float(number) => {
            let float = number.as_str().parse::<f64>().ok().filter(|float| float.is_finite());
            let Some(float) = float else {
                reader.wrong(value.span().start, format!("`{what}` is no number of JSON"));
                return None;
            };
            out.push_str(&canonical(&float.to_string()));
        }
        DeValue::Array(list) => {
            let items: Option<Vec<String>> =
                list.iter().map(|item| json(reader, what, item)).collect();
            out = format!("[{}]", items?.join(","));
        }
        DeValue::Table(table) => {
            let mut members = Vec::new();
            for (key, item) in table {
                let mut member = String::new();
                string(key.get_ref(), &mut member);
                members.push(format!("{member}:{}", json(reader, what, item)?));
            }
            out = format!("{{{}}}", members.join(","));
        }
        DeValue::Datetime(_) => {
            reader.wrong(value.span().start, format!("`{what}` is a date, which JSON hasn't"));
            return None;
        }
    }
    Some(out)
}
