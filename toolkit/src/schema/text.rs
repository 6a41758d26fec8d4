//! Writes a schema as JSON text. The order of keywords is fixed here, so that it depends on nothing
//! that a user's build may switch on in `serde_json`.

use super::node::{Arrays, Join, Node, Objects, Rest, Types, Union};
use crate::json::string;

/// The text of a root schema with its definitions.
pub(super) fn render(root: &Node, definitions: &[(String, Node)]) -> String {
    let mut out = String::with_capacity(1024);
    let mut writer = Writer::open(&mut out);
    writer.node(root);
    if !definitions.is_empty() {
        writer.key("$defs");
        let mut defs = Writer::open(writer.out);
        for (name, node) in definitions {
            defs.name(name);
            write(node, defs.out);
        }
        defs.close();
    }
    writer.close();
    out
}

fn write(node: &Node, out: &mut String) {
    if node.never {
        out.push_str("false");
        return;
    }
    let mut writer = Writer::open(out);
    writer.node(node);
    writer.close();
}

/// Writes the members of one object.
struct Writer<'o> {
    out: &'o mut String,
    first: bool,
}

impl<'o> Writer<'o> {
    fn open(out: &'o mut String) -> Self {
        out.push('{');
        Self { out, first: true }
    }

    fn close(self) {
        self.out.push('}');
    }

    fn comma(&mut self) {
        if !self.first {
            self.out.push(',');
        }
        self.first = false;
    }

    /// Writes a name of the author's.
    fn name(&mut self, name: &str) {
        self.comma();
        string(name, self.out);
        self.out.push(':');
    }

    /// Writes a keyword, which needs no escapes.
    fn key(&mut self, key: &'static str) {
        self.comma();
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    fn string(&mut self, key: &'static str, text: &str) {
        self.key(key);
        string(text, self.out);
    }

    fn raw(&mut self, key: &'static str, json: &str) {
        self.key(key);
        self.out.push_str(json);
    }

    fn count(&mut self, key: &'static str, count: Option<u64>) {
        if let Some(count) = count {
            self.raw(key, &count.to_string());
        }
    }

    fn list<T>(&mut self, key: &'static str, items: &[T], write: impl Fn(&T, &mut String)) {
        self.key(key);
        self.out.push('[');
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            write(item, self.out);
        }
        self.out.push(']');
    }

    fn node(&mut self, node: &Node) {
        if let Some(refers) = &node.refers {
            self.key("$ref");
            self.out.push_str("\"#/$defs/");
            pointer(&refers.name, self.out);
            self.out.push('"');
        }
        self.types(node.types);
        match (&node.description, &node.notes) {
            (None, None) => {}
            (Some(description), None) => self.string("description", description),
            (None, Some(notes)) => self.string("description", notes),
            (Some(description), Some(notes)) => {
                self.string("description", &format!("{description}\n\n{notes}"));
            }
        }
        match node.values.as_deref() {
            Some([value]) if node.constant => self.raw("const", value),
            Some(values) => self.list("enum", values, |value, out| out.push_str(value)),
            None => {}
        }
        self.scalars(node);
        if let Some(arrays) = &node.arrays {
            self.arrays(arrays);
        }
        if let Some(objects) = &node.objects {
            self.objects(objects);
        }
        self.unions(&node.unions);
        if let Some(default) = &node.default {
            self.raw("default", default);
        }
        if !node.examples.is_empty() {
            self.list("examples", &node.examples, |example, out| out.push_str(example));
        }
    }

    fn types(&mut self, types: Types) {
        let mut words = types.words();
        match (words.next(), words.next()) {
            (None, _) => {}
            (Some(word), None) => self.string("type", word),
            _ => {
                let words: Vec<_> = types.words().collect();
                self.list("type", &words, |word, out| string(word, out));
            }
        }
    }

    fn scalars(&mut self, node: &Node) {
        if let Some(strings) = &node.strings {
            if let Some(format) = &strings.format {
                self.string("format", format);
            }
            if let Some(pattern) = &strings.pattern {
                self.string("pattern", &pattern.source);
            }
            self.count("minLength", strings.min);
            self.count("maxLength", strings.max);
        }
        if let Some(numbers) = &node.numbers {
            for (end, inclusive, exclusive) in [
                (&numbers.lower, "minimum", "exclusiveMinimum"),
                (&numbers.upper, "maximum", "exclusiveMaximum"),
            ] {
                if let Some(end) = end.as_ref().filter(|end| end.shown) {
                    self.raw(if end.exclusive { exclusive } else { inclusive }, &end.text);
                }
            }
        }
    }

    fn arrays(&mut self, arrays: &Arrays) {
        if !arrays.first.is_empty() {
            self.list("prefixItems", &arrays.first, write);
        }
        if let Some(rest) = &arrays.rest {
            self.key("items");
            write(rest, self.out);
        }
        self.count("minItems", arrays.min);
        self.count("maxItems", arrays.max);
        if arrays.unique {
            self.raw("uniqueItems", "true");
        }
    }

    fn objects(&mut self, objects: &Objects) {
        if !objects.properties.is_empty() || matches!(objects.rest, Rest::Implied | Rest::Closed) {
            self.key("properties");
            let mut properties = Writer::open(self.out);
            for property in &objects.properties {
                properties.name(&property.name);
                write(&property.node, properties.out);
            }
            properties.close();
        }
        if !objects.patterns.is_empty() {
            self.key("patternProperties");
            let mut patterns = Writer::open(self.out);
            for (pattern, node) in &objects.patterns {
                patterns.name(&pattern.source);
                write(node, patterns.out);
            }
            patterns.close();
        }
        if !objects.required.is_empty() {
            self.list("required", &objects.required, |name, out| string(name, out));
        }
        let implied = if objects.shown_closed { &Rest::Closed } else { &Rest::Unsaid };
        let rest = if objects.rest == Rest::Implied { implied } else { &objects.rest };
        self.rest("additionalProperties", rest);
        if let Some(rest) = &objects.unevaluated {
            self.rest("unevaluatedProperties", rest);
        }
        self.count("minProperties", objects.min);
        self.count("maxProperties", objects.max);
    }

    fn rest(&mut self, key: &'static str, rest: &Rest) {
        match rest {
            Rest::Unsaid | Rest::Implied => {}
            Rest::Open => self.raw(key, "true"),
            Rest::Closed => self.raw(key, "false"),
            Rest::Fitting(node) => {
                self.key(key);
                write(node, self.out);
            }
        }
    }

    fn unions(&mut self, unions: &[Union]) {
        for union in unions {
            let word = match union.join {
                Join::All => "allOf",
                Join::Any => "anyOf",
                Join::One => "oneOf",
                Join::Not => {
                    self.key("not");
                    union.branches.iter().for_each(|node| write(node, self.out));
                    continue;
                }
            };
            self.list(word, &union.branches, write);
        }
    }
}

/// Appends a name as the last step of a JSON pointer in a URI's fragment.
pub(super) fn pointer(name: &str, out: &mut String) {
    for byte in name.bytes() {
        match byte {
            b'~' => out.push_str("~0"),
            b'/' => out.push_str("~1"),
            b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}
