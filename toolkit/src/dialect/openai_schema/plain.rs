//! The schema of a tool without strict mode: as declared, but for the few things that the API
//! refuses in any mode and for which it would refuse the whole request.

use std::borrow::Cow;

use super::defs::Defs;
use super::notes::{Notes, fixed_strings};
use super::ordered::{Fields, Node, texts};
use super::strict::property_rank;

/// Keywords that only name the schema.
const DROPPED: [&str; 5] = ["$schema", "$id", "title", "$comment", "propertyNames"];

/// The keywords that the API refuses at the root.
const COMPOSING: [&str; 5] = ["oneOf", "anyOf", "enum", "const", "not"];

pub(super) fn lower<'t>(root: &Node<'t>, order: Option<&Fields<'t>>) -> Fields<'t> {
    let whole = whole_root(root.as_object().cloned().unwrap_or_default(), Defs::new(root));
    let mut fields = schema(Node::Object(whole), order);
    if fields.get("type").and_then(Node::as_text).is_none_or(|kind| kind != "object") {
        fields.set("type", "object");
    }
    if !fields.contains("properties") {
        fields.set("properties", Fields::default());
    }
    fields.arrange();
    fields
}

/// A root without composition: the properties of all branches, of which only those that every
/// branch requires are required. The schema says less than before; the check of the arguments
/// doesn't.
fn whole_root<'t>(mut own: Fields<'t>, defs: Defs<'_, 't>) -> Fields<'t> {
    let held = ["$defs", "definitions"].map(|place| (place, own.take(place)));
    let mut whole = match defs.flatten(&own, &mut Vec::new()) {
        Ok(flat) => flat.into_owned(),
        Err(_) => {
            own.retain(|key| !matches!(key, "allOf" | "$ref"));
            own
        }
    };
    for key in COMPOSING {
        let Some(part) = whole.take(key) else { continue };
        if let (Node::List(branches), "anyOf" | "oneOf") = (&part, key) {
            widen(&mut whole, branches.iter().map(|branch| defs.view(branch)).collect());
        }
    }
    for (place, definitions) in held {
        if let Some(definitions) = definitions {
            whole.set(place, definitions);
        }
    }
    whole
}

fn widen<'t>(whole: &mut Fields<'t>, branches: Vec<Cow<'_, Fields<'t>>>) {
    let requires = |branch: &Fields<'t>, key: &str| texts(branch.get("required")).any(|k| k == key);
    let shared: Vec<Node<'t>> = branches.first().map_or_else(Vec::new, |first| {
        let keys = texts(first.get("required")).cloned();
        keys.filter(|key| branches.iter().all(|one| requires(one, key))).map(Node::Text).collect()
    });
    let mut properties = match whole.take("properties") {
        Some(Node::Object(held)) => held,
        _ => Fields::default(),
    };
    for branch in branches {
        let Some(Node::Object(more)) = branch.into_owned().take("properties") else { continue };
        for (key, schema) in more {
            let Some(held) = properties.get_mut(&key) else {
                properties.push(key, schema);
                continue;
            };
            let either = match held.as_object().and_then(|held| held.get("anyOf")) {
                Some(Node::List(either)) => either.as_slice(),
                _ => std::slice::from_ref(held),
            };
            let mut either = either.to_vec();
            if !either.contains(&schema) {
                either.push(schema);
            }
            if either.len() > 1 {
                *held = Fields::one("anyOf", either).into();
            }
        }
    }
    whole.set("properties", properties);
    let mut all = match whole.take("required") {
        Some(Node::List(held)) => held,
        _ => Vec::new(),
    };
    for key in shared {
        if !all.contains(&key) {
            all.push(key);
        }
    }
    whole.set("required", all);
}

fn schema<'t>(value: Node<'t>, order: Option<&Fields<'t>>) -> Fields<'t> {
    let mut own = match value {
        Node::Object(own) => own,
        value if value.is("false") => return Fields::one("not", Fields::default()),
        _ => return Fields::default(),
    };
    own.retain(|key| !DROPPED.contains(&key));
    let mut notes = Notes::default();
    let mut fields = Fields::with_capacity(own.len());
    alternatives(&mut own, &mut fields, &mut notes);
    tuple(&mut own, &mut notes);
    let is = |own: &Fields<'t>, kind| own.get("type").is_some_and(|types| types.names(kind));
    if is(&own, "array") && !own.contains("items") {
        own.push("items", true);
    }
    if is(&own, "object") && !own.contains("properties") {
        own.push("properties", Fields::default());
    }
    let description = match own.take("description") {
        Some(Node::Text(text)) => Some(text),
        _ => None,
    };
    if let Some(text) = notes.describe(description) {
        fields.set("description", text);
    }
    if let Some(Node::List(required)) = own.get("required").cloned() {
        own.take("required");
        let declared = own.get("properties").and_then(Node::as_object);
        let is_known = |name: &Node<'t>| {
            let known = |declared: &Fields<'t>| {
                name.as_text().is_some_and(|name| declared.named(name).is_some())
            };
            declared.is_none_or(known)
        };
        let known = required.iter().filter(|name| is_known(name)).cloned().map(Node::data);
        fields.set("required", known.collect::<Vec<_>>());
        if let Some(Node::Object(properties)) = own.take("properties") {
            fields.set("properties", members(properties, Some(&Node::List(required)), order));
        }
    }
    for (key, value) in own {
        let lowered = match (key.as_ref(), value) {
            ("properties", Node::Object(held)) => members(held, None, order).into(),
            (
                "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Node::Object(held),
            ) => members(held, None, None).into(),
            ("anyOf" | "allOf", Node::List(held)) => {
                let branches = held.into_iter().map(|branch| schema(branch, None).into());
                branches.collect::<Vec<Node<'t>>>().into()
            }
            ("additionalProperties" | "unevaluatedProperties", value @ Node::Word(_)) => value,
            (
                "items"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                value,
            ) if is_schema(&value) => schema(value, None).into(),
            (_, value) => value.data(),
        };
        fields.set(key, lowered);
    }
    fields.arrange();
    fields
}

fn is_schema(value: &Node<'_>) -> bool {
    matches!(value, Node::Object(_)) || value.is("true") || value.is("false")
}

/// Schemas under names, in the order in which a model reads them.
fn members<'t>(
    mut held: Fields<'t>,
    required: Option<&Node<'t>>,
    order: Option<&Fields<'t>>,
) -> Fields<'t> {
    held.sort_by_key(|key, node| property_rank(key, node, required, order));
    held.into_iter().map(|(key, node)| (key, schema(node, None).into())).collect()
}

/// `oneOf` becomes an enum where all of it is fixed strings, else `anyOf`.
fn alternatives<'t>(own: &mut Fields<'t>, fields: &mut Fields<'t>, notes: &mut Notes) {
    let Some(one_of) = own.take("oneOf") else { return };
    match one_of.as_list().and_then(fixed_strings) {
        Some((values, lines)) if !own.contains("enum") && !own.contains("anyOf") => {
            lines.into_iter().for_each(|line| notes.line(line));
            own.set("type", "string");
            fields.set("enum", values);
        }
        _ if own.contains("anyOf") => {
            let branch = Node::Object(Fields::one("anyOf", one_of));
            match own.get_mut("allOf") {
                Some(Node::List(all)) => all.push(branch),
                _ => own.set("allOf", vec![branch]),
            }
        }
        _ => own.set("anyOf", one_of),
    }
}

/// `prefixItems` without `items` counts as an array without items; the order is told instead.
fn tuple(own: &mut Fields<'_>, notes: &mut Notes) {
    let Some(Node::List(prefix)) = own.take("prefixItems") else { return };
    let kinds: Vec<String> = prefix
        .iter()
        .map(|schema| {
            let types = schema.as_object().and_then(|schema| schema.get("type"));
            let kind = texts(types).map(Cow::as_ref).collect::<Vec<_>>().join(" or ");
            if kind.is_empty() { "other".to_owned() } else { kind }
        })
        .collect();
    let rest = own.take("items");
    if rest.as_ref().is_some_and(|rest| rest.is("false")) && !own.contains("maxItems") {
        own.set("maxItems", Node::Word(prefix.len().to_string().into()));
    }
    let max = own.get("maxItems").and_then(Node::as_count);
    let bounded = max.is_some_and(|max| max <= prefix.len() as u64);
    let rest = if bounded { None } else { Some(rest.unwrap_or_else(|| true.into())) };
    let mut branches = Vec::new();
    for schema in prefix.into_iter().chain(rest) {
        if !branches.contains(&schema) {
            branches.push(schema);
        }
    }
    if branches.len() > 1 {
        notes.add(format!("in this order: {}", kinds.join(", ")));
    }
    let items = match branches.len() {
        _ if branches.iter().any(|branch| branch.is("true")) => true.into(),
        0 => true.into(),
        1 => branches.remove(0),
        _ => Fields::one("anyOf", branches).into(),
    };
    own.set("items", items);
}
