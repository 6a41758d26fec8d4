//! Enums of every kind, flattened structs, and types whose decoder is stricter than their schema.

use std::collections::{BTreeMap, HashSet};

use super::*;

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Shape {
    Round { radius: u8 },
    Square { side: u8, name: Option<String> },
    Named(Name),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code)]
enum Target {
    /// By number.
    Number(u32),
    /// By name and domain.
    Full {
        name: String,
        domain: String,
    },
    All,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Loose {
    Count(u8),
    Many(Vec<u8>),
    Name(Name),
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Flat {
    own: u8,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Rest {
    own: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

const SHAPE: Param<Shape> = param("shape", "A shape.");
const TARGET: Param<Target> = param("target", "A target.");
const LOOSE: Param<Option<Loose>> = param("loose", "A loose one.");
const FLAT: Param<Flat> = param("flat", "A flat one.");
const REST: Param<Rest> = param("rest", "One with more.");

#[track_caller]
fn tells(parameter: &'static dyn Parameter, value: &str, expected: &str) {
    let name = parameter.facts().spec.name;
    let text = format!("{{\"{name}\":{value}}}");
    let expected = if expected == "fits" { text.as_str() } else { expected };
    assert_eq!(told(&[parameter], &text, true), expected, "{value}");
}

#[test]
fn tagged() {
    tells(&SHAPE, r#"{"kind":"round","radius":1}"#, "fits");
    tells(&SHAPE, r#"{"kind":"square","side":1,"name":null}"#, "fits");
    tells(&SHAPE, r#"{"kind":"named","name":"a"}"#, "fits");
    tells(
        &SHAPE,
        r#"{"radius":300,"kind":"round"}"#,
        "shape.radius: expected integer from 0 to 255, got 300",
    );
    tells(
        &SHAPE,
        r#"{"kind":"oval"}"#,
        "shape.kind: expected one of `round`, `square`, `named`, got \"oval\"",
    );
    tells(&SHAPE, r#"{"radius":1}"#, "shape.kind: required, missing");
    tells(&SHAPE, r#"{"kind":"round","radius":1,"side":2}"#, "shape.side: unknown argument");
    tells(&SHAPE, r#"{"kind":"named","name":"a","nam":1}"#, "shape.nam: unknown argument");
    tells(&SHAPE, "7", "shape: expected object, got 7");
    // Read out of a string, and only whole numbers made whole below.
    tells(
        &SHAPE,
        r#""{\"kind\":\"round\",\"radius\":1.0}""#,
        "{\"shape\":{\"kind\":\"round\",\"radius\":1}}\n~ shape: \"{\\\"kind\\\":\\\"round\\\",\\\"radius\\\":1.0}\" was read as {\"kind\":\"round\",\"radius\":1}",
    );
    tells(&SHAPE, r#"{"kind":"round","radius":2e0}"#, r#"{"shape":{"kind":"round","radius":2}}"#);
    tells(
        &SHAPE,
        r#"{"kind":"round","radius":"2"}"#,
        "{\"shape\":{\"kind\":\"round\",\"radius\":2}}\n~ shape.radius: \"2\" was read as 2",
    );
}

#[test]
fn keyed() {
    tells(&TARGET, r#""all""#, "fits");
    tells(&TARGET, r#"{"number":7}"#, "fits");
    tells(&TARGET, r#"{"full":{"name":"a","domain":"b"}}"#, "fits");
    tells(
        &TARGET,
        r#"{"number":-7}"#,
        "target.number: expected integer from 0 to 4294967295, got -7",
    );
    tells(
        &TARGET,
        r#"{"full":{"name":"a","domian":"b"}}"#,
        "target.full.domian: unknown argument; did you mean `domain`?\ntarget.full.domain: required, missing",
    );
    tells(
        &TARGET,
        r#"{"number":7,"full":1}"#,
        "target: expected `all` or object with `number` or object with `full`, got {\"number\":7,\"full\":1}",
    );
    tells(
        &TARGET,
        r#""every""#,
        "target: expected `all` or object with `number` or object with `full`, got \"every\"",
    );
    tells(
        &TARGET,
        "7",
        "target: expected `all` or object with `number` or object with `full`, got 7",
    );
}

#[test]
fn untagged() {
    tells(&LOOSE, "7", "fits");
    tells(&LOOSE, "[1,2]", "fits");
    tells(&LOOSE, r#"{"name":"a"}"#, "fits");
    tells(&LOOSE, "null", "fits");
    tells(&LOOSE, r#"{"name":1}"#, "loose.name: expected string, got 1");
    tells(&LOOSE, "[1,300]", "loose[1]: expected integer from 0 to 255, got 300");
    tells(&LOOSE, r#"{"name":"a","more":1}"#, "loose.more: unknown argument");
    tells(
        &LOOSE,
        r#""a""#,
        "loose: expected integer from 0 to 255 or array or object with `name`, got \"a\"",
    );
    tells(&LOOSE, r#""12""#, "{\"loose\":12}\n~ loose: \"12\" was read as 12");
}

#[test]
fn joined() {
    tells(&FLAT, r#"{"own":1,"kind":"round","radius":1}"#, "fits");
    tells(&FLAT, r#"{"own":1,"kind":"named","name":"a"}"#, "fits");
    tells(&FLAT, r#"{"own":1,"kind":"round","radius":1,"side":1}"#, "flat.side: unknown argument");
    tells(&FLAT, r#"{"own":1,"kind":"round","radius":1,"owm":1}"#, "flat.owm: unknown argument");
    tells(&FLAT, r#"{"kind":"round","radius":1}"#, "flat.own: required, missing");
    tells(
        &FLAT,
        r#"{"own":1,"kind":"oval"}"#,
        "flat.kind: expected one of `round`, `square`, `named`, got \"oval\"",
    );
    tells(
        &FLAT,
        r#"{"own":1,"kind":"round","radius":"x"}"#,
        "flat.radius: expected integer from 0 to 255, got \"x\"",
    );
    tells(&REST, r#"{"own":1,"more":2}"#, "fits");
    tells(&REST, r#"{"own":1,"more":-2}"#, "rest.more: expected integer from 0 to 255, got -2");
}

#[test]
fn sets_tuples_and_keys() {
    const SET: Param<HashSet<u8>> = with_length(param("set", "A set."), Some(1), Some(2));
    const PAIR: Param<(u8, String)> = param("pair", "A pair.");
    const THREE: Param<[i8; 3]> = param("three", "Three.");
    const BY_OP: Param<BTreeMap<Op, u8>> = param("by_op", "By operator.");
    const BY_NUMBER: Param<BTreeMap<u32, u8>> = param("by_number", "By number.");
    tells(&SET, "[1,2]", "fits");
    tells(&SET, "[1,1]", "set: expected array of 1 to 2 items without repetition, got [1,1]");
    tells(&SET, "[]", "set: expected array of 1 to 2 items without repetition, got []");
    tells(&PAIR, r#"[1,"a"]"#, "fits");
    tells(
        &PAIR,
        r#"["a",1]"#,
        "pair[0]: expected integer from 0 to 255, got \"a\"\npair[1]: expected string, got 1",
    );
    tells(&PAIR, "[1]", "pair: expected array of 2 items, got [1]");
    tells(&THREE, "[1,2,3,4]", "three: expected array of 3 items, got [1,2,3,4]");
    tells(&BY_OP, r#"{"eq":1}"#, "fits");
    tells(&BY_OP, r#"{"qe":1}"#, "by_op.qe: expected one of `eq`, `gt`, `contains`, got \"qe\"");
    tells(&BY_NUMBER, r#"{"12":1}"#, "fits");
    tells(&BY_NUMBER, r#"{"x":1}"#, "by_number.x: unknown argument");
    tells(
        &BY_NUMBER,
        r#"{"99999999999":1}"#,
        "by_number.99999999999: expected u32, got \"99999999999\"",
    );
}

#[derive(Debug)]
struct Even(u8);

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = u8::deserialize(deserializer)?;
        if value % 2 == 0 { Ok(Self(value)) } else { Err(serde::de::Error::custom("must be even")) }
    }
}

impl JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u8::json_schema(generator)
    }
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Evens {
    all: Vec<Even>,
    address: std::net::Ipv4Addr,
}

#[test]
fn what_only_the_decoder_refuses_is_told_at_its_place() {
    const EVEN: Param<Even> = param("even", "An even number.");
    const EVENS: Param<Evens> = param("evens", "Even numbers.");
    const SECRET: Param<Even> = with_secret(param("pin", "A secret even number."));
    tells(&EVEN, "4", "fits");
    tells(&EVEN, "5", "even: must be even, got 5");
    tells(&SECRET, "5", "pin: can't be read as what it must be");
    tells(
        &EVENS,
        "{\"all\": [2,\n 3],\"address\":\"127.0.0.1\"}",
        "evens.all[1]: must be even, got 3",
    );
    tells(
        &EVENS,
        "{\"all\":[2],\"address\":\"here\"}",
        "evens.address: invalid IPv4 address syntax, got \"here\"",
    );
    assert_eq!(EVEN.default_text().is_none(), EVEN.example_text().is_none());
    let even: Even = serde_json::from_str("4").unwrap();
    assert_eq!(even.0, 4);
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Step {
    label: u8,
    #[serde(flatten)]
    next: Next,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Next {
    Inner { inner: Box<Step> },
    Inners { inners: Vec<Step> },
    End,
}

#[test]
fn deep_joined_values_need_no_more_stack_than_a_thread_has() {
    const STEP: Param<Step> = param("step", "A step.");
    let deep = |n: usize, end: &str| {
        let open = r#"{"label":1,"kind":"inner","inner":"#.repeat(n);
        format!("{open}{{\"label\":{end},\"kind\":\"end\"}}{}", "}".repeat(n))
    };
    let judge = move || {
        tells(&STEP, &deep(60, "2"), "fits");
        let path = "step".to_owned() + &".inner".repeat(60);
        tells(
            &STEP,
            &deep(60, "-2"),
            &format!("{path}.label: expected integer from 0 to 255, got -2"),
        );
        tells(&STEP, &deep(64, "2"), "at byte 2150: nested deeper than 64, which is the limit");
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(judge).unwrap().join().unwrap();
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Tree {
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Leaf(bool),
}

#[test]
fn alternatives_that_nest_end_in_time() {
    const TREE: Param<Tree> = param("tree", "A tree.");
    let deep = |leaf: &str| format!("{}{leaf}{}", "[".repeat(60), "]".repeat(60));
    let started = std::time::Instant::now();
    tells(&TREE, &deep("true"), "fits");
    let told = told(&[&TREE], &format!("{{\"tree\":{}}}", deep("1")), true);
    assert!(told.starts_with("tree: expected array or boolean, got [[["), "{told}");
    assert!(started.elapsed().as_secs() < 20);
}
