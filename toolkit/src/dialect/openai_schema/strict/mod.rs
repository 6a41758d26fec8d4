//! Lowering of a schema to the subset that strict mode takes, or the reasons why that can't be.
//!
//! Strict mode wants a root object, every object closed, every key required (what may be left out
//! may be null instead), a type at every node, and a short list of keywords. What merely narrows a
//! value goes into the description; what would change the set of keys or values beyond what strict
//! mode can express makes the whole tool non-strict.

mod check;
mod kinds;
mod place;
mod union;
mod word;

use std::borrow::Cow;
use std::collections::BTreeSet;

pub(super) use kinds::property_rank;

use super::defs::Defs;
use super::keyword::Keyword;
use super::notes::Notes;
use super::ordered::{Fields, Node, texts};
use crate::dialect::loss::{Loss, LossKind};
use place::Place;
use word::{REFUSED, Word};

/// How many nodes a lowered schema may have. Well above what the budgets allow; it stops a schema
/// that grows exponentially while shared definitions are opened.
const MAX_NODES: usize = 20_000;

/// How deep schemas may nest, unions and opened references included.
const MAX_DEPTH: usize = 128;

struct Strict<'r, 't> {
    defs: Defs<'r, 't>,
    /// References whose target must be among the definitions sent.
    used: BTreeSet<Cow<'t, str>>,
    /// References that are being opened at this moment; a second opening would never end.
    opening: Vec<Cow<'t, str>>,
    nodes: usize,
    depth: usize,
    deepest: usize,
    /// Whether the result may hold more than the text that it was made from, or a union.
    grown: bool,
    reasons: Vec<Loss>,
    described: Vec<Loss>,
}

/// The strict schema with what it only describes, or why there is none.
///
/// `length` is that of the text that `root` was read from.
pub(super) fn lower<'t>(
    root: &Node<'t>,
    order: Option<&Fields<'t>>,
    length: usize,
) -> Result<(Fields<'t>, Vec<Loss>), Vec<Loss>> {
    let mut strict = Strict {
        defs: Defs::new(root),
        used: BTreeSet::new(),
        opening: Vec::new(),
        nodes: 0,
        depth: 0,
        deepest: 0,
        grown: false,
        reasons: Vec::new(),
        described: Vec::new(),
    };
    let mut schema = strict.root(root, order);
    strict.definitions(&mut schema);
    // Nothing of what a short and shallow text says can be over a budget.
    let levels = (strict.deepest + 1) * (strict.used.len() + 1);
    let small = length < check::SMALL && levels <= check::MAX_LEVELS && !strict.grown;
    if strict.reasons.is_empty() && !small {
        check::judge(&mut schema, &mut strict.reasons);
    }
    if strict.reasons.is_empty() { Ok((schema, strict.described)) } else { Err(strict.reasons) }
}

impl<'t> Strict<'_, 't> {
    #[cold]
    fn reject(&mut self, place: &Place<'_>, reason: impl Into<Box<str>>) -> Fields<'t> {
        let loss = Loss::new(LossKind::NotStrict, &place.to_string(), reason);
        if !self.reasons.contains(&loss) {
            self.reasons.push(loss);
        }
        Fields::default()
    }

    fn described(&mut self, place: &Place<'_>, what: impl Into<Box<str>>) {
        self.described.push(Loss::new(LossKind::Described, &place.to_string(), what));
    }

    fn root(&mut self, root: &Node<'t>, order: Option<&Fields<'t>>) -> Fields<'t> {
        const PLACE: Place<'_> = Place::ROOT;
        let Node::Object(declared) = root else {
            return self.reject(&PLACE, "the root is no object");
        };
        let mut own = Cow::Borrowed(declared);
        if declared.contains("$ref") || declared.contains("allOf") {
            own.to_mut().retain(|key| !matches!(key, "$defs" | "definitions"));
        }
        let flat = match self.defs.flatten(&own, &mut self.opening) {
            Ok(flat) => flat,
            Err(reason) => return self.reject(&PLACE, reason),
        };
        for key in ["anyOf", "oneOf", "enum", "const", "not"] {
            if flat.contains(key) {
                return self.reject(&PLACE, format!("`{key}` at the root"));
            }
        }
        if flat.get("type").and_then(Node::as_text).is_none_or(|kind| kind != "object") {
            return self.reject(&PLACE, "the root is no object");
        }
        self.grown |= matches!(flat, Cow::Owned(_));
        let fields = self.flat(&flat, &PLACE, order);
        self.opening.clear();
        fields
    }

    /// Lowers every definition that is still referred to, and those that these refer to.
    fn definitions(&mut self, schema: &mut Fields<'t>) {
        let mut done = BTreeSet::new();
        while let Some(reference) = self.used.iter().find(|held| !done.contains(*held)).cloned() {
            done.insert(reference.clone());
            let Some((place, name)) = reference.trim_start_matches("#/").split_once('/') else {
                continue; // `#`: the root itself
            };
            // The two places in which `Defs` finds something.
            let place = if place == "$defs" { "$defs" } else { "definitions" };
            let name = name.replace("~1", "/").replace("~0", "~");
            let Some(target) = self.defs.get(&reference) else { continue };
            let lowered = self.schema(target, &Place::definition(place, &name));
            if !schema.contains(place) {
                schema.set(place, Fields::default());
            }
            if let Some(Node::Object(definitions)) = schema.get_mut(place) {
                definitions.set(name, lowered);
            }
        }
    }

    fn schema(&mut self, value: &Node<'t>, place: &Place<'_>) -> Fields<'t> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return self.reject(&Place::ROOT, format!("over {MAX_NODES} nodes"));
        }
        if self.depth >= MAX_DEPTH {
            return self.reject(&Place::ROOT, format!("over {MAX_DEPTH} schemas deep"));
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let fields = match value {
            Node::Object(schema) => self.keywords(schema, place),
            value if value.is("false") => self.reject(place, "no value fits"),
            _ => self.reject(place, "any value fits"),
        };
        self.depth -= 1;
        fields
    }

    fn keywords(&mut self, schema: &Fields<'t>, place: &Place<'_>) -> Fields<'t> {
        if let Some(Node::Text(reference)) = schema.get("$ref") {
            let silent = |(word, key): (Keyword, &str)| {
                word == Keyword::Ref || Word::of(word, key) == Word::Silent
            };
            if schema.words().all(silent) {
                return self.reference(reference, place);
            }
            if self.opening.contains(reference) {
                let annotated = schema.words().all(|(word, key)| {
                    matches!(word, Keyword::Description | Keyword::Default | Keyword::Examples)
                        || silent((word, key))
                });
                if !annotated {
                    return self.reject(place, "constraints beside a recursive reference");
                }
                self.described(place, "the description beside a recursive reference is left out");
                return self.reference(reference, place);
            }
        }
        let depth = self.opening.len();
        let fields = match self.defs.flatten(schema, &mut self.opening) {
            Ok(flat) => {
                self.grown |= matches!(flat, Cow::Owned(_));
                self.flat(&flat, place, None)
            }
            Err(reason) => self.reject(place, reason),
        };
        self.opening.truncate(depth);
        fields
    }

    fn reference(&mut self, reference: &Cow<'t, str>, place: &Place<'_>) -> Fields<'t> {
        if self.defs.get(reference).is_none() {
            return self.reject(place, format!("the reference `{reference}` isn't local"));
        }
        self.used.insert(reference.clone());
        Fields::one("$ref", reference.clone())
    }

    /// Lowers a schema without `$ref` and `allOf`. `order` gives the order of its properties.
    fn flat(
        &mut self,
        schema: &Fields<'t>,
        place: &Place<'_>,
        order: Option<&Fields<'t>>,
    ) -> Fields<'t> {
        let (mut union, mut fixed, mut refused, mut unknown) = (false, false, false, None);
        let mut notes = Notes::default();
        for (word, key) in schema.words() {
            match Word::of(word, key) {
                Word::Union => union = true,
                Word::Fixed => fixed = true,
                Word::Refused => refused = true,
                Word::Unknown
                    if place.is_root() && matches!(word, Keyword::Defs | Keyword::Definitions) => {}
                // Of several the first by name, in whatever order they came.
                Word::Unknown => unknown = unknown.filter(|held| *held <= key).or(Some(key)),
                Word::Typed | Word::Told | Word::Silent => {}
            }
        }
        if refused {
            for key in REFUSED {
                if schema.contains(key) {
                    self.reject(place, format!("`{key}`"));
                }
            }
        }
        if let Some(value) = schema.get("default") {
            notes.default_of(value);
        }
        if let Some(value) = schema.get("examples") {
            notes.examples(value);
        }
        if schema.get("deprecated").is_some_and(|value| value.is("true")) {
            notes.add("deprecated");
        }
        if let Some(not) = schema.get("not") {
            self.not(not, place, &mut notes);
        }
        let mut fields = if union {
            self.grown = true;
            self.union(schema, place, &mut notes)
        } else if fixed {
            self.fixed(schema, place)
        } else if let Some(key) = unknown {
            self.reject(place, format!("`{key}`"))
        } else {
            self.typed(schema, place, order, &mut notes)
        };
        let description = schema.get("description").and_then(Node::as_text).cloned();
        if let Some(text) = notes.describe(description) {
            fields.set("description", text);
        }
        fields.arrange();
        fields
    }

    /// `not` of fixed values can be told in words; any other can't.
    fn not(&mut self, not: &Node<'t>, place: &Place<'_>, notes: &mut Notes) {
        let excluded: &[Node<'t>] = match not {
            Node::Object(of) if of.len() == 1 => match (of.get("const"), of.get("enum")) {
                (Some(one), _) => std::slice::from_ref(one),
                (_, Some(Node::List(many))) => many,
                _ => &[],
            },
            _ => &[],
        };
        if excluded.is_empty() {
            self.reject(place, "`not`");
            return;
        }
        excluded.iter().for_each(|value| notes.other_than(value));
        self.described(place, "`not`");
    }

    /// `const` and `enum`.
    fn fixed(&mut self, schema: &Fields<'t>, place: &Place<'_>) -> Fields<'t> {
        let mut values: Vec<&Node<'t>> = Vec::new();
        match (schema.get("const"), schema.get("enum")) {
            // Two schemas that both hold may each have one.
            (Some(one), Some(Node::List(many))) if !many.contains(one) => {}
            (Some(one), _) => values.push(one),
            (None, Some(Node::List(many))) => {
                for value in many {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
            _ => {}
        }
        if values.iter().any(|value| matches!(value, Node::List(_) | Node::Object(_))) {
            return self.reject(place, "a fixed value that is an array or an object");
        }
        // The types of the values, by the names that were declared; a value of another type is none.
        let declared: Vec<&Cow<'t, str>> = texts(schema.get("type")).collect();
        let mut types: Vec<Cow<'t, str>> = Vec::new();
        values.retain(|value| {
            let own = kinds::type_of(value);
            let wide = if own == "integer" { "number" } else { own };
            let name = if declared.is_empty() {
                Some(Cow::Borrowed(own))
            } else {
                let fitting = declared.iter().find(|name| ***name == own || ***name == wide);
                fitting.map(|name| Cow::clone(name))
            };
            let fits = name.is_some();
            types.extend(name.filter(|name| !types.contains(name)));
            fits
        });
        if values.is_empty() {
            return self.reject(place, "no value fits");
        }
        if types.iter().any(|name| name == "number") {
            types.retain(|name| name != "integer");
        }
        let mut fields = Fields::with_capacity(3);
        fields.push("type", kinds::type_node(types.into_iter()));
        if schema.contains("const") {
            fields.push("const", values[0].clone());
        } else {
            fields.push("enum", values.into_iter().cloned().collect::<Vec<_>>());
        }
        fields
    }
}

/// The same schema, with null allowed too.
fn nullable(mut fields: Fields<'_>) -> Fields<'_> {
    if fields.get("type").is_some_and(|types| types.names("null")) {
        return fields;
    }
    let has_null = |node: &Node<'_>| {
        let types = node.as_object().and_then(|one| one.get("type"));
        types.is_some_and(|types| types.names("null"))
    };
    if let Some(Node::List(branches)) = fields.get_mut("anyOf") {
        if !branches.iter().any(has_null) {
            branches.push(null().into());
        }
        return fields;
    }
    let fixed = fields.contains("const") || fields.contains("enum");
    match fields.get_mut("type") {
        Some(Node::List(types)) if !fixed => types.push(Node::from("null")),
        Some(one) if !fixed => {
            let held = std::mem::replace(one, Node::List(Vec::new()));
            *one = Node::List(vec![held, Node::from("null")]);
        }
        _ => {
            let mut union = Fields::with_capacity(2);
            if let Some(description) = fields.take("description") {
                union.push("description", description);
            }
            union.push("anyOf", vec![Node::Object(fields), null().into()]);
            return union;
        }
    }
    fields
}

fn null() -> Fields<'static> {
    Fields::one("type", "null")
}
