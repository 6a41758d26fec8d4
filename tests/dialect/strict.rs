//! What a model may write under a strict schema is what the pipeline takes.

use serde_json::{Map, Value, json};
use toolkit::testing::Probe;
use toolkit::{Code, ToolCall};

use crate::tools::{model, toolkit};

/// Writes values as strict mode lets a model write them: every key, null where it is allowed.
struct Writer<'a> {
    root: &'a Value,
    state: u64,
}

impl Writer<'_> {
    fn choose(&mut self, among: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) as usize % among
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.root.pointer(&reference[1..]).unwrap().clone();
            return self.value(&target, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        for key in ["enum", "anyOf"] {
            if let Some(all) = schema[key].as_array() {
                let one = all[self.choose(all.len())].clone();
                return if key == "enum" { one } else { self.value(&one, depth) };
            }
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[self.choose(kinds.len())].as_str().unwrap().to_owned(),
            one => one.as_str().unwrap().to_owned(),
        };
        match kind.as_str() {
            "null" => Value::Null,
            "boolean" => json!(self.choose(2) == 0),
            "string" => json!(["a", "refund", "Grüße"][self.choose(3)]),
            "integer" => {
                let bound = |key: &str, other: i64| schema[key].as_i64().unwrap_or(other);
                let (min, max) = (bound("minimum", 0), bound("maximum", 1_000));
                json!(min + self.choose((max - min + 1) as usize) as i64)
            }
            "array" => {
                let len = if depth > 3 { 0 } else { self.choose(3) };
                (0..len).map(|_| self.value(&schema["items"], depth + 1)).collect()
            }
            "object" => {
                let properties = schema["properties"].as_object().unwrap();
                let members = properties
                    .iter()
                    .map(|(key, schema)| (key.clone(), self.value(schema, depth + 1)));
                Value::Object(members.collect::<Map<_, _>>())
            }
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn whatever_a_strict_schema_allows_runs() {
    let probe = Probe::new();
    let toolkit = toolkit(&probe);
    let offers = toolkit.catalog(&model()).openai_chat().to_value();
    let mut nulls = 0;
    for wire_name in ["kb__search", "ticket__plan", "clock__now"] {
        let offer = offers
            .as_array()
            .unwrap()
            .iter()
            .find(|offer| offer["function"]["name"] == wire_name)
            .unwrap();
        assert_eq!(offer["function"]["strict"], true);
        let schema = &offer["function"]["parameters"];
        for seed in 0..200 {
            let arguments = Writer { root: schema, state: seed }.value(schema, 0).to_string();
            nulls += arguments.matches("null").count();
            let reply = toolkit.call(&model(), ToolCall::new(wire_name, arguments.as_str())).await;
            assert_eq!(reply.code(), Code::Ok, "{wire_name} {arguments}: {}", reply.text());
            assert!(reply.repairs().is_empty(), "null for what is left out is no repair");
        }
    }
    assert_eq!(probe.entered(), 600);
    assert!(nulls > 100, "{nulls}");
}
