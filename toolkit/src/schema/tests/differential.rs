//! Mutated texts, read by us and by derived structs that refuse unknown fields: the same are taken,
//! with the same values. And what we refuse is either explained or mended into what we take.

use serde::de::DeserializeOwned;

use super::*;
use crate::param::{Args, Unfit, slot};

/// A generator of numbers that needs no crate and no seed but its own.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// The text with some characters changed, lost, doubled or moved.
    fn mutate(&mut self, text: &str, others: &[&str]) -> String {
        const PIECES: &[&str] = &[
            "\"",
            "\\",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\n",
            "\t",
            "0",
            "1",
            "-",
            ".",
            "e",
            "E5",
            "+",
            "null",
            "true",
            "false",
            "\\u0061",
            "\\ud83d",
            "\\ude00",
            "é",
            "😀",
            "\u{1}",
            "x",
            "\"a\":",
            "1.0",
            "2e0",
            "-0",
            "256",
            "4294967296",
            "9223372036854775808",
            "1e400",
            "\"\"",
            "{}",
            "[]",
            ",\"x\":1",
        ];
        let mut chars: Vec<String> = text.chars().map(String::from).collect();
        for _ in 0..=self.below(3) {
            let at = self.below(chars.len());
            let end = (at + 1 + self.below(4)).min(chars.len());
            match self.below(6) {
                0 => drop(chars.drain(at..end)),
                1 => chars.insert(at, PIECES[self.below(PIECES.len())].to_owned()),
                2 if at < chars.len() => chars[at] = PIECES[self.below(PIECES.len())].to_owned(),
                3 => {
                    let piece: String = chars[at..end].concat();
                    let to = self.below(chars.len());
                    chars.insert(to, piece);
                }
                4 => chars.truncate(at),
                _ => {
                    // A piece of another text, to meet another's keys.
                    let other: Vec<char> = others[self.below(others.len())].chars().collect();
                    let from = self.below(other.len());
                    let piece =
                        other[from..(from + self.below(24)).min(other.len())].iter().collect();
                    chars.insert(at, piece);
                }
            }
        }
        chars.concat()
    }
}

/// Compares the two over mutations of some texts.
fn compare<T: DeserializeOwned + PartialEq + std::fmt::Debug>(
    parameters: &[&dyn Parameter],
    texts: &[&str],
    rounds: usize,
    read: fn(&str, &dyn Check) -> Result<T, Unfit>,
) {
    let contract = contract(parameters);
    let check = || Ok::<_, ()>(&contract);
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ texts[0].len() as u64);
    let (mut taken, mut mended) = (0, 0);
    for round in 0..rounds {
        let text = match round.checked_sub(texts.len()) {
            None => texts[round].to_owned(),
            Some(_) => random.mutate(texts[round % texts.len()], texts),
        };
        let ours = read(&text, &check);
        let theirs = serde_json::from_str::<T>(&text);
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => {
                taken += 1;
                assert_eq!(ours, theirs, "{text}");
            }
            (Err(_), Err(_)) => {}
            // Nothing and `null` are arguments without a member.
            (Ok(ours), Err(_)) => {
                assert!(matches!(text.trim(), "" | "null"), "only we take {text} as {ours:?}");
            }
            (Err(_), Ok(theirs)) => {
                assert!(only_we_refuse(&text), "only we refuse {text}: {theirs:?}");
            }
        }
        let settled = settle(&contract, parameters, &text, true);
        match settled {
            Ok(settled) => {
                mended += usize::from(ours.is_err());
                assert!(
                    read(&settled.text, &check).is_ok(),
                    "{text} was settled as {}",
                    settled.text
                );
                if ours.is_ok() && !matches!(text.trim(), "" | "null") {
                    assert_eq!((&settled.text, settled.repairs.len()), (&text, 0));
                }
            }
            Err(Rejection::Invalid(problems)) => {
                assert!(ours.is_err() && !problems.is_empty(), "{text}: {problems:?}");
            }
            Err(Rejection::Malformed(_)) => assert!(ours.is_err(), "{text}"),
        }
    }
    // The test says something only if both happen.
    assert!(taken > rounds / 50 && mended > 0, "{taken} taken, {mended} mended of {rounds}");
}

/// A derived struct takes an array for its fields in their order, and objects in objects of any depth.
fn only_we_refuse(text: &str) -> bool {
    fn array_for_struct(value: &Value) -> bool {
        let filters = value.get("filters").and_then(Value::as_array);
        value.is_array() || filters.is_some_and(|filters| filters.iter().any(Value::is_array))
    }
    serde_json::from_str(text).is_ok_and(|value| array_for_struct(&value))
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    a: i64,
    b: i64,
}

#[test]
fn two_numbers() {
    const A: Param<i64> = param("a", "First.");
    const B: Param<i64> = param("b", "Second.");
    let texts =
        [r#"{"a": 40, "b": 2}"#, r#"{"b":-9223372036854775808,"a":0}"#, r#"{ "a":1 ,"b" : 2}"#];
    compare(&[&A, &B], &texts, 60_000, |text, check| {
        let (mut a, mut b) = (slot(&A), slot(&B));
        Args::new(text, check).read(&mut [&mut a, &mut b])?;
        Ok(Add { a: a.take(), b: b.take() })
    });
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    limit: Option<u32>,
    filters: Vec<StrictFilter>,
}

/// As [`Filter`], but a derived struct has to be told to refuse unknown fields.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictFilter {
    field: String,
    op: Op,
    value: String,
    #[serde(default)]
    negate: bool,
    note: Option<String>,
}

impl From<Filter> for StrictFilter {
    fn from(Filter { field, op, value, negate, note }: Filter) -> Self {
        Self { field, op, value, negate, note }
    }
}

#[test]
fn nested_arguments() {
    const QUERY: Param<String> = param("query", "Keywords.");
    const LIMIT: Param<Option<u32>> = param("limit", "How many.");
    const FILTERS: Param<Vec<Filter>> = param("filters", "All must hold.");
    let texts = [
        r#"{"query":"rust","limit":10,"filters":[{"field":"lang","op":"eq","value":"rust"},{"field":"stars","op":"gt","value":"100","negate":true}]}"#,
        r#"{"query":"a\"b\\","filters":[{"op":"contains","field":"topic","value":"llm","note":null}],"limit":null}"#,
        r#"{"filters":[],"query":"é"}"#,
    ];
    compare(&[&QUERY, &LIMIT, &FILTERS], &texts, 60_000, |text, check| {
        let (mut query, mut limit, mut filters) = (slot(&QUERY), slot(&LIMIT), slot(&FILTERS));
        Args::new(text, check).read(&mut [&mut query, &mut limit, &mut filters])?;
        let filters = filters.take().into_iter().map(StrictFilter::from).collect();
        Ok(Search { query: query.take(), limit: limit.take(), filters })
    });
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mixed {
    a: i64,
    b: u32,
    c: bool,
    d: f64,
    e: String,
    f: Option<String>,
    g: Vec<i64>,
    h: Option<u8>,
    i: char,
    #[serde(default = "seven")]
    j: u16,
    k: Option<Vec<bool>>,
    l: u64,
}

fn seven() -> u16 {
    7
}

#[test]
fn every_plain_kind() {
    const A: Param<i64> = param("a", ".");
    const B: Param<u32> = param("b", ".");
    const C: Param<bool> = param("c", ".");
    const D: Param<f64> = param("d", ".");
    const E: Param<String> = param("e", ".");
    const F: Param<Option<String>> = param("f", ".");
    const G: Param<Vec<i64>> = param("g", ".");
    const H: Param<Option<u8>> = param("h", ".");
    const I: Param<char> = param("i", ".");
    const J: Param<u16> = with_default(param("j", "."), seven);
    const K: Param<Option<Vec<bool>>> = param("k", ".");
    const L: Param<u64> = param("l", ".");
    let texts = [
        r#"{"a":123456,"b":77,"c":true,"d":3.25,"e":"some text","f":"more","g":[1,2,3],"h":12,"i":"é","j":9,"k":[true],"l":18446744073709551615}"#,
        r#"{"l":0,"k":null,"i":"\"","h":null,"g":[],"f":null,"e":"","d":-1e-7,"c":false,"b":0,"a":-1}"#,
        r#"{"a":1,"b":2,"c":true,"d":1,"e":"\u0041","g":[-9223372036854775808],"i":"a","l":5}"#,
    ];
    let all: &[&dyn Parameter] = &[&A, &B, &C, &D, &E, &F, &G, &H, &I, &J, &K, &L];
    compare(all, &texts, 60_000, |text, check| {
        let (mut a, mut b, mut c, mut d) = (slot(&A), slot(&B), slot(&C), slot(&D));
        let (mut e, mut f, mut g, mut h) = (slot(&E), slot(&F), slot(&G), slot(&H));
        let (mut i, mut j, mut k, mut l) = (slot(&I), slot(&J), slot(&K), slot(&L));
        Args::new(text, check).read(&mut [
            &mut a, &mut b, &mut c, &mut d, &mut e, &mut f, &mut g, &mut h, &mut i, &mut j, &mut k,
            &mut l,
        ])?;
        Ok(Mixed {
            a: a.take(),
            b: b.take(),
            c: c.take(),
            d: d.take(),
            e: e.take(),
            f: f.take(),
            g: g.take(),
            h: h.take(),
            i: i.take(),
            j: j.take(),
            k: k.take(),
            l: l.take(),
        })
    });
}

#[test]
fn a_whole_struct() {
    let contract = Contract::of_type::<Filter>().unwrap();
    let check = || Ok::<_, ()>(&contract);
    let texts = [
        r#"{"field":"lang","op":"eq","value":"rust","negate":false,"note":"n"}"#,
        r#"{"note":null,"value":"","op":"gt","field":"\u00e9"}"#,
    ];
    let mut random = Random(7);
    for round in 0..60_000 {
        let text = random.mutate(texts[round % 2], &texts);
        let ours = Args::new(&text, &check).typed::<Filter>().map(StrictFilter::from);
        let theirs = serde_json::from_str::<StrictFilter>(&text);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{text}"),
            (Err(_), Err(_)) => {}
            (ours, theirs) => {
                assert!(only_we_refuse(&text), "{text}: {ours:?} {theirs:?}");
            }
        }
        if let Ok(settled) = settle(&contract, &[], &text, true) {
            assert!(Args::new(&settled.text, &check).typed::<Filter>().is_ok(), "{text}");
        }
    }
}
