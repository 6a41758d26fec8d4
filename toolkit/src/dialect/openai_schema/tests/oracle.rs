//! What the API accepts, written down a second time and apart from the code under test.

use serde_json::{Map, Value};

type Verdict = Result<(), String>;

const STRICT: [&str; 21] = [
    "type",
    "description",
    "const",
    "enum",
    "anyOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "$ref",
    "$defs",
    "definitions",
];
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Whether strict mode takes the schema.
pub(super) fn strict(schema: &Value) -> Verdict {
    root(schema)?;
    let root = schema.as_object().ok_or("no object")?;
    strict_node(root, root, "")?;
    for place in ["$defs", "definitions"] {
        for (name, node) in root.get(place).and_then(Value::as_object).into_iter().flatten() {
            strict_child(node, root, &format!("{place}/{name}"))?;
        }
    }
    Ok(())
}

/// Whether the API takes the schema in any mode.
pub(super) fn any_mode(schema: &Value) -> Verdict {
    root(schema)?;
    any_node(schema, "")
}

fn root(schema: &Value) -> Verdict {
    let root = schema.as_object().ok_or("the root is no object")?;
    if root.get("type").and_then(Value::as_str) != Some("object") {
        return Err("the root's type isn't object".into());
    }
    if !root.get("properties").is_some_and(Value::is_object) {
        return Err("the root has no properties".into());
    }
    match ["oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"]
        .iter()
        .find(|key| root.contains_key(**key))
    {
        Some(key) => Err(format!("{key} at the root")),
        None => Ok(()),
    }
}

fn types(node: &Map<String, Value>) -> Vec<&str> {
    match node.get("type") {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

fn strict_child(node: &Value, root: &Map<String, Value>, at: &str) -> Verdict {
    strict_node(node.as_object().ok_or_else(|| format!("{at}: no object"))?, root, at)
}

fn strict_node(node: &Map<String, Value>, root: &Map<String, Value>, at: &str) -> Verdict {
    if let Some(key) = node.keys().find(|key| !STRICT.contains(&key.as_str())) {
        return Err(format!("{at}: '{key}' is not permitted"));
    }
    if let Some(reference) = node.get("$ref") {
        if node.len() > 1 {
            return Err(format!("{at}: $ref cannot have keywords"));
        }
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let found =
            pointer.and_then(|pointer| Value::Object(root.clone()).pointer(pointer).cloned());
        return found.map(drop).ok_or_else(|| format!("{at}: {reference} leads nowhere"));
    }
    let types = types(node);
    if types.is_empty() && !node.contains_key("anyOf") {
        return Err(format!("{at}: schema must have a 'type' key"));
    }
    if types.contains(&"object") {
        let Some(Value::Object(properties)) = node.get("properties") else {
            return Err(format!("{at}: object schema missing properties"));
        };
        if node.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Err(format!("{at}: 'additionalProperties' is required to be false"));
        }
        let required: Vec<&str> = node
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if let Some(missing) = properties.keys().find(|key| !required.contains(&key.as_str())) {
            return Err(format!("{at}: 'required' misses '{missing}'"));
        }
        if required.len() != properties.len() {
            return Err(format!("{at}: 'required' names more than there is"));
        }
        for (key, child) in properties {
            strict_child(child, root, &format!("{at}/{key}"))?;
        }
    }
    if types.contains(&"array") {
        let items = node.get("items").ok_or_else(|| format!("{at}: array schema missing items"))?;
        strict_child(items, root, &format!("{at}/items"))?;
    }
    if let Some(format) = node.get("format").and_then(Value::as_str)
        && !FORMATS.contains(&format)
    {
        return Err(format!("{at}: '{format}' is not a valid format"));
    }
    if let Some(branches) = node.get("anyOf") {
        let branches = branches.as_array().filter(|all| !all.is_empty()).ok_or("an empty anyOf")?;
        for (index, branch) in branches.iter().enumerate() {
            strict_child(branch, root, &format!("{at}/anyOf/{index}"))?;
        }
    }
    Ok(())
}

fn any_node(node: &Value, at: &str) -> Verdict {
    let Value::Object(node) = node else { return Err(format!("{at}: a schema that is no object")) };
    for refused in ["oneOf", "prefixItems", "propertyNames", "$schema", "title"] {
        if node.contains_key(refused) {
            return Err(format!("{at}: '{refused}'"));
        }
    }
    let types = types(node);
    if types.contains(&"array") && !node.contains_key("items") {
        return Err(format!("{at}: array schema missing items"));
    }
    if types.contains(&"object") && !node.contains_key("properties") {
        return Err(format!("{at}: object schema missing properties"));
    }
    for key in ["properties", "patternProperties", "$defs", "definitions"] {
        for (name, child) in node.get(key).and_then(Value::as_object).into_iter().flatten() {
            any_node(child, &format!("{at}/{key}/{name}"))?;
        }
    }
    for key in ["anyOf", "allOf"] {
        for child in node.get(key).and_then(Value::as_array).into_iter().flatten() {
            any_node(child, &format!("{at}/{key}"))?;
        }
    }
    for key in ["items", "not"] {
        if let Some(child) = node.get(key) {
            any_node(child, &format!("{at}/{key}"))?;
        }
    }
    match node.get("additionalProperties") {
        Some(child @ Value::Object(_)) => any_node(child, &format!("{at}/additionalProperties")),
        _ => Ok(()),
    }
}
