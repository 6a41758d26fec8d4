//! What holds whatever is sent.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::json::{Failed, Scanner, Why, canonical};
use crate::param::{Args, Unfit, slot};
use crate::problem::{MAX_TEXT, invalid_text, malformed_text};

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Shape {
    Round { radius: u8 },
    Box { sides: [u8; 3], name: Option<String> },
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Order {
    #[schemars(range(min = 1, max = 9))]
    count: i32,
    #[schemars(length(max = 3))]
    code: String,
    #[serde(default)]
    shapes: Vec<Shape>,
    op: Option<Op>,
    #[serde(default)]
    labels: BTreeMap<String, i16>,
    #[serde(default)]
    note: u8,
}

const N: Param<u8> =
    with_range(with_default(param("n", "A number."), || 5), &Range(Some(1), Some(20), true));
const S: Param<Option<String>> = with_length(param("s", "A string."), Some(1), Some(4));
const R: Param<Option<f64>> =
    with_range(param("r", "A real."), &Range(Some(-1.5), Some(2.5), false));
const P: Param<Option<String>> = with_pattern(param("p", "A pattern."), "^[a-z]+$");
const O: Param<Option<Order>> = param("o", "An order.");
const A: Param<Option<Vec<Shape>>> = with_length(param("a", "Shapes."), None, Some(2));
const V: Param<Option<Value>> = param("v", "Anything.");
const ALL: &[&dyn Parameter] = &[&N, &S, &R, &P, &O, &A, &V];

fn read(text: &str, check: &dyn Check) -> Result<(), Unfit> {
    let (mut n, mut s, mut r, mut p) = (slot(&N), slot(&S), slot(&R), slot(&P));
    let (mut o, mut a, mut v) = (slot(&O), slot(&A), slot(&V));
    Args::new(text, check).read(&mut [&mut n, &mut s, &mut r, &mut p, &mut o, &mut a, &mut v])
}

/// JSON that is often nearly right.
fn json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..30_i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-30..30_i32).prop_map(|n| Value::from(f64::from(n) / 10.0)),
        "[a-z]{0,5}".prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
        prop::sample::select(vec![
            "round", "box", "eq", "gt", "1", "2.0", "true", "{}", "[1,2,3]", "null"
        ])
        .prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 32, 6, |inner| {
        let key = prop_oneof![
            prop::sample::select(vec![
                "n", "s", "r", "p", "o", "a", "v", "count", "code", "shapes", "op", "labels",
                "note", "kind", "radius", "sides", "name",
            ])
            .prop_map(str::to_owned),
            "[a-z]{1,4}",
            "\\PC{0,4}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Arguments whose keys are mostly known, each with a value of some use.
fn arguments() -> impl Strategy<Value = String> {
    let shape = prop_oneof![
        any::<u8>().prop_map(|radius| serde_json::json!({"kind": "round", "radius": radius})),
        any::<[u8; 3]>().prop_map(|sides| serde_json::json!({"kind": "box", "sides": sides})),
        json(),
    ];
    let order = (0..12_i32, "[a-z]{0,4}", prop::collection::vec(shape.clone(), 0..3), json())
        .prop_map(|(count, code, shapes, extra)| {
            let mut order = serde_json::json!({"count": count, "code": code, "shapes": shapes});
            if let (Value::Object(order), Value::Object(extra)) = (&mut order, extra) {
                order.extend(extra);
            }
            order
        });
    let member = prop_oneof![
        (Just("n"), (0..25_u8).prop_map(Value::from)),
        (Just("s"), "[a-z]{0,5}".prop_map(Value::from)),
        (Just("r"), (-20..30_i32).prop_map(|n| Value::from(f64::from(n) / 10.0))),
        (Just("p"), "[a-zA]{0,3}".prop_map(Value::from)),
        (Just("o"), order),
        (Just("a"), prop::collection::vec(shape, 0..4).prop_map(Value::from)),
        (prop::sample::select(vec!["n", "s", "r", "p", "o", "a", "v", "x"]), json()),
    ];
    prop::collection::vec(member, 0..5).prop_map(|members| {
        let members: BTreeMap<_, _> = members.into_iter().collect();
        serde_json::to_string(&members).unwrap()
    })
}

/// A value that the arguments hold, and that may not stand there as far as rules are told.
fn astray(contract: &Contract, path: &mut Vec<Stride>, value: &Value) -> Option<Vec<Stride>> {
    let stands = path.is_empty()
        || contract.reach(path).is_ok_and(|reach| reach.has_value(&value.to_string()));
    if !stands {
        return Some(path.clone());
    }
    let within: Vec<(Stride, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(key, value)| (Stride::Key(key.as_str().into()), value)).collect()
        }
        Value::Array(list) => list.iter().map(|value| (Stride::Each, value)).collect(),
        _ => Vec::new(),
    };
    within.into_iter().find_map(|(stride, value)| {
        path.push(stride);
        let found = astray(contract, path, value);
        path.pop();
        found
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Decoding and checking agree; what is told or mended agrees with both.
    #[test]
    fn what_the_schema_refuses_is_not_read_and_what_it_takes_is(text in arguments(), repair: bool) {
        let contract = contract(ALL);
        let check = || Ok::<_, ()>(&contract);
        let reads = read(&text, &check).is_ok();
        let fits = check::fits(&contract.root, true, &contract.definitions, &text, 0);
        if reads {
            prop_assert!(fits, "read, though the schema refuses it: {text}");
            let astray = astray(&contract, &mut Vec::new(), &serde_json::from_str(&text).unwrap());
            prop_assert!(astray.is_none(), "no rule could ask for {astray:?} of {text}");
        }
        if quick::plainly_fits(&contract.root, &contract.definitions, &text, 0) {
            prop_assert!(fits, "the first look takes what the checker refuses: {text}");
        }
        match settle(&contract, ALL, &text, repair) {
            Ok(settled) => {
                prop_assert!(read(&settled.text, &check).is_ok(), "{text} settled as {}", settled.text);
                if reads {
                    prop_assert_eq!(&settled.text, &text);
                    prop_assert!(settled.repairs.is_empty());
                }
                prop_assert!(repair || settled.repairs.is_empty());
            }
            Err(Rejection::Invalid(problems)) => {
                prop_assert!(!reads && !problems.is_empty(), "{text}: {problems:?}");
                prop_assert!(!fits, "the schema takes it, and yet: {text}: {problems:?}");
                prop_assert!(invalid_text("kb.search", &problems).len() <= MAX_TEXT);
            }
            Err(Rejection::Malformed(malformed)) => {
                prop_assert!(!reads, "{text}: {malformed}");
            }
        }
    }

    #[test]
    fn any_json_is_judged_without_a_panic(value in json(), whole: bool) {
        let contract = if whole { Contract::of_type::<Order>().unwrap() } else { contract(ALL) };
        let parameters = if whole { &[] } else { ALL };
        let text = value.to_string();
        let settled = settle(&contract, parameters, &text, true);
        if let Err(Rejection::Malformed(malformed)) = &settled {
            prop_assert!(malformed_text("kb.search", malformed).len() <= MAX_TEXT);
        }
        if let Ok(settled) = settled {
            serde_json::from_str::<Value>(&settled.text).unwrap();
        }
    }

    #[test]
    fn any_text_is_judged_without_a_panic(text in "[\\[\\]{}\",:\\\\a-f0-9\\-.eEu \\PC]{0,40}") {
        let contract = contract(ALL);
        let _ = settle(&contract, ALL, &text, true);
        let mut scanner = Scanner::new(&text);
        scanner.space();
        let scanned = scanner.skip().and_then(|()| scanner.end());
        let theirs = match serde_json::from_str::<Value>(&text) {
            Ok(_) => true,
            Err(e) => e.to_string().starts_with("number out of range"),
        };
        match scanned {
            Ok(()) => prop_assert!(theirs, "{text}"),
            Err(Failed) => prop_assert!(!theirs || scanner.fault().why != Why::Expected("a value")
                && matches!(scanner.fault().why, Why::Twice | Why::Deep), "{text}"),
        }
    }

    #[test]
    fn canonical_text_doesnt_depend_on_the_spelling(value in json()) {
        let text = canonical(&value.to_string());
        prop_assert_eq!(&canonical(&serde_json::to_string_pretty(&value).unwrap()), &text);
        prop_assert_eq!(&canonical(&text), &text);
        serde_json::from_str::<Value>(&text).unwrap();
    }

    #[test]
    fn writing_is_serde_jsons(
        value in json(),
        float: f64,
        map in prop::collection::btree_map(any::<i8>(), any::<Option<char>>(), 0..3),
    ) {
        let all = (value, float, map);
        let mut out = Vec::new();
        let written = crate::json::write(&all, &mut out);
        if float.is_finite() {
            written.unwrap();
            prop_assert_eq!(out, serde_json::to_vec(&all).unwrap());
        } else {
            prop_assert!(written.is_err());
        }
    }
}

proptest! {
    // Each case is tried at every byte.
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A call that was cut off in the middle never runs, whatever is repaired.
    #[test]
    fn cut_off_arguments_are_refused(text in arguments()) {
        let contract = contract(ALL);
        let check = || Ok::<_, ()>(&contract);
        for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
            prop_assert!(read(&text[..end], &check).is_err());
            prop_assert!(settle(&contract, ALL, &text[..end], true).is_err());
        }
    }
}
