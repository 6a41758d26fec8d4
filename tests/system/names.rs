//! Names that trip others up: on the wire, as tools, as keys of arguments.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolkit::dialect::openai_chat;
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{BuildProblem, HookCall, Ruling, TypedTool, guard};

/// The rules as the attribute has them, which can't name the library.
#[path = "../../toolkit-macros/src/name.rs"]
#[allow(dead_code)]
mod of_the_attribute;

/// Make a new value out of its parts.
#[tool]
fn constructor(
    /// What to make, e.g. `list`.
    #[arg(rename = "__proto__")]
    proto: String,
    /// Anything beside it.
    #[arg(rename = "hasOwnProperty", default)]
    has_own_property: BTreeMap<String, String>,
) -> String {
    format!("{proto} {has_own_property:?}")
}

/// Give the text of a value.
#[tool]
fn to_string() -> &'static str {
    "[object Object]"
}

/// Give the plain value behind a value.
#[tool(name = "value_of.nothing")]
fn value_of() -> &'static str {
    "nothing"
}

fn odd() -> toolkit::Builder {
    Toolkit::builder().only([id(constructor), id(to_string), id(value_of)])
}

async fn run(toolkit: &Toolkit, tool: &str, arguments: &str) -> (Code, String) {
    let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
    (reply.code(), reply.into_text())
}

#[tokio::test]
async fn names_that_other_languages_know_are_names_like_others() {
    let toolkit = odd().build().unwrap();
    let catalog = toolkit.catalog(&CallContext::model());
    let names: Vec<_> = catalog.tools().map(|tool| tool.spec().name().to_owned()).collect();
    assert_eq!(names, ["constructor", "to_string", "value_of.nothing"]);
    assert!(catalog.find("constructor").unwrap().parameters_text().unwrap().contains("__proto__"));

    let (code, text) = run(&toolkit, "constructor", r#"{"__proto__": "list"}"#).await;
    assert_eq!((code, text.as_str()), (Code::Ok, "list {}"));
    let arguments =
        r#"{"hasOwnProperty": {"__proto__": "a", "constructor": "b", "": "c"}, "__proto__": "x"}"#;
    let (code, text) = run(&toolkit, "constructor", arguments).await;
    assert_eq!(code, Code::Ok);
    assert_eq!(text, r#"x {"": "c", "__proto__": "a", "constructor": "b"}"#);
    assert_eq!(run(&toolkit, "value_of__nothing", "").await.1, "nothing");

    for unknown in ["__proto__", "toString", "hasOwnProperty", "value_of", "", "constructor "] {
        assert_eq!(run(&toolkit, unknown, "").await.0, Code::UnknownTool, "{unknown:?}");
    }
    for key in ["constructor", "proto", "toString", "__defineGetter__", ""] {
        let arguments = json!({"__proto__": "x", key: 1}).to_string();
        let (code, text) = run(&toolkit, "constructor", &arguments).await;
        assert_eq!(code, Code::InvalidArguments, "{key:?}");
        assert!(text.contains("unknown argument"), "{text}");
    }
    let twice = r#"{"__proto__": "x", "\u005f_proto__": "y"}"#;
    assert_eq!(run(&toolkit, "constructor", twice).await.0, Code::MalformedArguments);
}

#[tokio::test]
async fn a_guard_reads_what_the_body_reads_whatever_the_keys() {
    // Our JSON library gives these keys a meaning of their own, so one reader could take the text in
    // the value for the value itself, and another not.
    for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        for spelled in [key.to_owned(), key.replace('$', "\\u0024")] {
            let seen = Arc::new(Mutex::new(None));
            let kept = Arc::clone(&seen);
            let watch = guard("watch", move |call: HookCall<'_>| {
                *kept.lock().unwrap() = Some(call.value()?["hasOwnProperty"].clone());
                Ok(Ruling::Pass)
            });
            let toolkit = odd().guard(watch).build().unwrap();
            let arguments =
                format!(r#"{{"__proto__": "x", "hasOwnProperty": {{"{spelled}": "12"}}}}"#);
            let (code, text) = run(&toolkit, "constructor", &arguments).await;
            let seen = seen.lock().unwrap().take();
            match code {
                Code::Ok => {
                    assert_eq!(seen, Some(json!({key: "12"})));
                    assert_eq!(text, format!("x {{{key:?}: \"12\"}}"));
                }
                code => {
                    assert_eq!((code, seen), (Code::MalformedArguments, None), "{text}");
                }
            }
        }
    }
}

/// One of two whose names differ in the middle.
#[tool(name = "long_name_of_a_tool_that.creates.and_goes_on_for_a_good_while")]
fn creates() -> &'static str {
    "created"
}

/// One of two whose names differ in the middle.
#[tool(name = "long_name_of_a_tool_that.deletes.and_goes_on_for_a_good_while")]
fn deletes() -> &'static str {
    "deleted"
}

#[tokio::test]
async fn long_names_stay_apart_and_every_provider_takes_them() {
    let ids = [id(creates), id(deletes), id(constructor), id(to_string), id(value_of)];
    let toolkit = Toolkit::builder().only(ids).build().unwrap();
    let offers = toolkit.catalog(&CallContext::model()).openai_chat().to_value();
    let wires: Vec<_> = offers
        .as_array()
        .unwrap()
        .iter()
        .map(|offer| offer["function"]["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(wires.len(), 5);
    for wire in &wires {
        assert!((1..=64).contains(&wire.len()), "{wire}");
        assert!(wire.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{wire}");
    }
    let wire = |part: &str| wires.iter().find(|wire| wire.contains(part)).unwrap();
    assert_eq!(run(&toolkit, wire("creates"), "").await.1, "created");
    assert_eq!(run(&toolkit, wire("deletes"), "").await.1, "deleted");
    // Nothing is guessed from a part, and no name is taken apart.
    for near in [
        "long_name_of_a_tool_that.creates__and_goes_on_for_a_good_while",
        "creates",
        "long_name_of_a_tool_that",
        "value_of._nothing",
        "value_of_.nothing",
        "VALUE_OF.NOTHING",
        " value_of.nothing",
    ] {
        assert_eq!(run(&toolkit, near, "").await.0, Code::UnknownTool, "{near}");
    }
}

#[test]
fn a_name_that_is_taken_is_an_error_whichever_way_it_is_written() {
    #[track_caller]
    fn closure(name: &str) -> TypedTool {
        TypedTool::new(name, "Take a name that is taken.", Risk::Read, |(): (), _| async {
            Ok::<_, ToolError>(())
        })
    }
    let error = Toolkit::builder()
        .only([id(constructor), id(value_of)])
        .tool(closure("constructor"))
        .tool(closure("value_of.nothing"))
        .tool(closure("value_of__nothing"))
        .build()
        .unwrap_err();
    let mut taken: Vec<_> = error
        .problems()
        .iter()
        .filter_map(|problem| match problem {
            BuildProblem::Duplicate { name, first, second } => {
                assert_ne!(first.line, second.line);
                assert!(first.file.ends_with("names.rs") && second.file.ends_with("names.rs"));
                Some(name.as_str())
            }
            _ => None,
        })
        .collect();
    taken.sort_unstable();
    assert_eq!(taken, ["constructor", "value_of.nothing", "value_of.nothing"]);
    // The last is no name at all: two names would share one wire name.
    assert!(error.to_string().contains("has a bad name"), "{error}");
}

mod outer {
    mod inner {
        use toolkit::prelude::*;

        /// Say where this was written.
        #[tool(name = "deep.private")]
        fn private() -> &'static str {
            module_path!()
        }

        pub(super) fn private_id() -> toolkit::ToolId {
            id(private)
        }
    }

    pub(super) fn private_id() -> toolkit::ToolId {
        inner::private_id()
    }
}

#[tokio::test]
async fn a_tool_is_collected_wherever_it_is_written() {
    // `only` restricts what was collected, so a function that wasn't would be no tool.
    let toolkit = Toolkit::builder().only([outer::private_id()]).build().unwrap();
    let tool = toolkit.tools().next().unwrap();
    assert!(tool.source().module.ends_with("outer::inner"), "{}", tool.source().module);
    let (code, text) = run(&toolkit, "deep.private", "").await;
    assert_eq!((code, text.as_str()), (Code::Ok, tool.source().module));
}

#[tokio::test]
async fn the_providers_ids_and_names_come_back_as_they_went() {
    let probe = Probe::new();
    let toolkit = odd().state(probe).build().unwrap();
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    let response = json!({"choices": [{"finish_reason": "tool_calls", "message": {"content": null,
        "tool_calls": [call("call_abc123", "value_of__nothing"), call("call_abc123", "to_string"),
            call("", "to_string"), call("7", "no_such")]}}]})
    .to_string();
    let message = openai_chat::assistant(&response).unwrap();
    let turn = toolkit.turn(&CallContext::model(), openai_chat::calls(&response).unwrap()).await;
    let results = openai_chat::results(&turn);
    let asked = message["tool_calls"].as_array().unwrap();
    assert_eq!((asked.len(), results.len()), (4, 4));
    let mut seen = Vec::new();
    for (asked, result) in asked.iter().zip(&results) {
        assert_eq!(asked["id"], result["tool_call_id"]);
        seen.push(asked["id"].as_str().unwrap().to_owned());
    }
    assert_eq!((seen[0].as_str(), seen[3].as_str()), ("call_abc123", "7"));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 4, "each call has an id of its own: {seen:?}");
    let texts: Vec<_> = results.iter().map(|r| r["content"].as_str().unwrap()).collect();
    assert_eq!(texts[..3], ["nothing", "[object Object]", "[object Object]"]);
    assert!(texts[3].starts_with("unknown tool `no_such`"), "{}", texts[3]);
}

#[test]
fn wire_names_are_legal_and_no_two_are_the_same() {
    use toolkit::name::{check, wire_name};
    // Names that are near to each other, and letters that look alike.
    let letters: Vec<char> = "abz09__..".chars().collect();
    let odd: Vec<char> = "-A é ａ\u{0}/".chars().collect();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let (mut legal, mut wires) = (std::collections::BTreeSet::new(), BTreeMap::new());
    for round in 0..200_000 {
        let most = if round % 100 == 0 { 70 } else { 9 };
        let length = next(most);
        let letter = |_| match next(40) {
            0 => odd[next(odd.len())],
            _ => letters[next(letters.len())],
        };
        let name: String = (0..length).map(letter).collect();
        if check(&name).is_err() || !legal.insert(name.clone()) {
            continue;
        }
        let wire = wire_name(&name);
        assert!((1..=64).contains(&wire.len()), "{wire}");
        assert!(wire.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{wire}");
        assert!(wire.as_bytes()[0].is_ascii_lowercase(), "{wire}");
        if let Some(other) = wires.insert(wire, name.clone()) {
            panic!("{name} and {other} share a wire name");
        }
    }
    assert!(legal.len() > 1_000 && legal.iter().any(|name| name.contains('.')));
}

#[test]
fn the_attribute_and_the_library_have_the_same_rules() {
    use of_the_attribute as attribute;
    use toolkit::name;

    let agree = |text: &str| {
        let ours = name::check(text);
        let same = match (attribute::check(text), &ours) {
            (Ok(()), Ok(())) => true,
            (Err(attribute::NameError::Shape), Err(name::NameError::Shape)) => true,
            (Err(attribute::NameError::TooLong(a)), Err(name::NameError::TooLong(b))) => a == *b,
            _ => false,
        };
        assert!(same, "{text}: {ours:?}");
        assert_eq!(attribute::wire(text), name::wire_name(text));
    };
    // Every text of up to six of these, and names of every length about the longest.
    let mut texts = vec![String::new()];
    for _ in 0..6 {
        texts.iter().for_each(|text| agree(text));
        let longer =
            texts.iter().flat_map(|text| "b0_.Aé".chars().map(move |c| format!("{text}{c}")));
        texts = longer.collect();
    }
    texts.iter().for_each(|text| agree(text));
    for dots in 0..5 {
        (50..70).for_each(|length| agree(&format!("{}{}", "a.".repeat(dots), "b".repeat(length))));
    }
}
