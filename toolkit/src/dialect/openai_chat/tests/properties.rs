//! Whatever comes in: nothing panics, nothing of a text that was cut is seen, ids pair.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::{Stream, assistant, calls};
use super::{entry, read, response, with_calls};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        Just(json!("{\"a\":1}")),
    ];
    let key = prop::sample::select(vec![
        "choices",
        "message",
        "delta",
        "tool_calls",
        "function_call",
        "function",
        "custom",
        "name",
        "arguments",
        "id",
        "index",
        "type",
        "content",
        "finish_reason",
        "error",
        "x",
    ]);
    leaf.prop_recursive(6, 48, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|members| {
                Value::Object(
                    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
                )
            }),
        ]
    })
}

/// An object that has every member now and then, each of them odd now and then.
fn odd(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> impl Strategy<Value = Value> {
    let members: Vec<_> = members
        .into_iter()
        .map(|(key, usual)| {
            let member = prop_oneof![
                8 => usual.prop_map(Some),
                1 => Just(None),
                1 => value().prop_map(Some),
            ];
            member.prop_map(move |value| value.map(|value| (key.to_owned(), value)))
        })
        .collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect::<Map<_, _>>()))
}

fn nearly_a_response() -> impl Strategy<Value = Value> {
    let text =
        |all: &[&'static str]| prop::sample::select(all.to_vec()).prop_map(Value::from).boxed();
    let function = odd(vec![
        ("name", text(&["t", "a.b", "", "é"])),
        ("arguments", text(&["{}", "{\"a\":1}", "{\"a\"", "", "null", "[1]"])),
    ]);
    let call = odd(vec![
        ("id", text(&["call_1", "call_2", ""])),
        ("type", text(&["function"])),
        ("function", function.boxed()),
    ]);
    let message = odd(vec![
        ("role", text(&["assistant"])),
        ("content", text(&["", "Hello."])),
        ("tool_calls", prop::collection::vec(call, 0..4).prop_map(Value::from).boxed()),
    ]);
    let choice = odd(vec![
        ("message", message.boxed()),
        ("finish_reason", text(&["stop", "tool_calls", "length", "?"])),
    ]);
    odd(vec![("choices", prop::collection::vec(choice, 0..3).prop_map(Value::from).boxed())])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}", json in value()) {
        for text in [text, json.to_string()] {
            prop_assert_eq!(calls(&text).is_ok(), assistant(&text).is_ok());
            let mut stream = Stream::new();
            let taken = stream.push(&text).is_ok();
            let (calls, _) = read(&stream.finish());
            prop_assert!(taken || calls.iter().all(|call| call.cut.is_some()));
        }
    }

    /// `read` holds ids to each other.
    #[test]
    fn what_is_read_pairs_and_goes_back(response in nearly_a_response()) {
        let text = response.to_string();
        if calls(&text).is_ok() {
            let (_, message) = read(&text);
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                if let Some(function) = call.get("function") {
                    let arguments = function["arguments"].as_str().unwrap();
                    prop_assert!(serde_json::from_str::<Map<String, Value>>(arguments).is_ok(), "{}", arguments);
                    let name = function["name"].as_str().unwrap();
                    prop_assert!(!name.is_empty() && name.len() <= 64);
                    prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
                }
            }
            // The message that goes into the history is itself a message that can be read.
            let again = json!({"choices": [{"message": message}]}).to_string();
            prop_assert_eq!(assistant(&again).unwrap(), message);
        }
    }
}

#[test]
fn a_body_cut_at_any_byte_is_refused() {
    let whole = with_calls(json!([entry("c", "ticket__delete", json!("{\"ticket\":1}"))]));
    assert!(calls(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(calls(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
}

#[test]
fn arguments_cut_at_any_byte_never_become_others() {
    let whole = "{\"ids\":[1,2,3],\"all\":true}";
    for end in 0..whole.len() {
        let held = response(
            json!({"tool_calls": [entry("c", "t", json!(whole[..end]))]}),
            json!("tool_calls"),
        );
        let (calls, _) = read(&held);
        assert_eq!(calls[0].arguments(), &whole[..end]);
    }
}
