//! Reading arguments as an expansion does.

use std::fmt::Debug;

use proptest::prelude::*;

use super::*;

/// A checker that says yes.
struct Lenient;

impl Check for Lenient {
    fn argument(&self, _: usize, _: &str) -> bool {
        true
    }
    fn whole(&self, _: &str) -> bool {
        true
    }
}

fn search(text: &str) -> Result<(String, u8, Option<Vec<String>>), Unfit> {
    const P0: Param<String> = with_alias(param("query", "Keywords."), &["q"]);
    const P1: Param<u8> = with_range(
        with_default(param("limit", "How many."), || 5),
        &Range(Some(1), Some(20), true),
    );
    const P2: Param<Option<Vec<String>>> =
        with_length(param("tags", "Tags, all of which must be there."), None, Some(2));
    let (mut p0, mut p1, mut p2) = (slot(&P0), slot(&P1), slot(&P2));
    Args::new(text, &Lenient).read(&mut [&mut p0, &mut p1, &mut p2])?;
    Ok((p0.take(), p1.take(), p2.take()))
}

#[test]
fn reads_what_fits() {
    let found = |q: &str, n, tags: Option<&[&str]>| {
        Ok((q.to_owned(), n, tags.map(|t| t.iter().map(|&t| t.to_owned()).collect())))
    };
    assert_eq!(search(r#"{"query": "a"}"#), found("a", 5, None));
    assert_eq!(search(r#" { "limit" :20 , "query":"a\n" } "#), found("a\n", 20, None));
    assert_eq!(search(r#"{"q":"a","tags":null}"#), found("a", 5, None));
    assert_eq!(search(r#"{"\u0071":"é","tags":["x", "y"]}"#), found("é", 5, Some(&["x", "y"])));
}

#[test]
fn refuses_the_rest() {
    for text in [
        "",
        "null",
        "{}",
        "[]",
        "{",
        r#"{"query"}"#,
        r#"{"query":}"#,
        r#"{"query":"a""#,
        r#"{"query":"a"}}"#,
        r#"{"query":"a",}"#,
        r#"{,"query":"a"}"#,
        r#"{"query":"a" "limit":1}"#,
        r#"{"query":1}"#,
        r#"{"query":"a","query":"b"}"#,
        r#"{"query":"a","q":"b"}"#,
        r#"{"query":"a","qu\u0065ry":"b"}"#,
        r#"{"query":"a","limit":0}"#,
        r#"{"query":"a","limit":21}"#,
        r#"{"query":"a","limit":1.0}"#,
        r#"{"query":"a","limit":01}"#,
        r#"{"query":"a","limit":null}"#,
        r#"{"query":"a","x":1}"#,
        r#"{"query":"a","tags":["1","2","3"]}"#,
        r#"{"query":"a","tags":[1]}"#,
    ] {
        assert_eq!(search(text), Err(Unfit), "{text}");
    }
}

#[test]
fn lends_in_the_form_the_function_asks_for() {
    fn takes(a: &str, b: &[u8], c: Option<&str>, d: Option<&[String]>) -> usize {
        a.len() + b.len() + c.map_or(0, str::len) + d.map_or(0, <[String]>::len)
    }
    let (a, b, c, d) =
        ("ab".to_owned(), vec![1_u8], Some("xyz".to_owned()), Some(vec![String::new()]));
    assert_eq!(takes(lend(&a), lend(&b), lend(&c), lend(&d)), 7);
}

/// What one argument of this type is read as.
fn one<T: ToolParameter + 'static>(text: &str) -> Option<T> {
    let param: Param<T> = param("x", "Anything of this type.");
    let mut place = slot(&param);
    let text = format!(r#"{{"x":{text}}}"#);
    Args::new(&text, &Lenient).read(&mut [&mut place]).ok()?;
    Some(place.take())
}

/// By hand nothing is read that serde doesn't read, and nothing otherwise.
fn same<T>(text: &str)
where
    T: ToolParameter + PartialEq + Debug + 'static,
{
    assert_eq!(one::<T>(text), serde_json::from_str(text).ok(), "{text}");
}

proptest! {
    #[test]
    fn by_hand_it_is_read_as_by_serde(
        words in prop::collection::vec(prop::sample::select(vec![
            "[", "[", "]", "]", ",", ",", " ", "\n", "0", "1", "7", "255", "256", "-1", "-0", "007",
            "999999999999999999", "9999999999999999999", "1.0", "1e2", "-", "\"", "\"a\"", "\"\"",
            "\"\\n\"", "\"\u{e9}\u{1f600}\"", "\"\u{1}\"", "true", "false", "truex", "null",
            "{", "}", ":", "\u{e9}",
        ]), 0..9),
    ) {
        for text in [words.concat(), format!("[{}]", words.concat()), format!("[{}]", words.join(","))] {
            same::<i64>(&text);
            same::<Option<u8>>(&text);
            same::<String>(&text);
            same::<Vec<i32>>(&text);
            same::<Vec<u64>>(&text);
            same::<Vec<String>>(&text);
            same::<Vec<bool>>(&text);
            same::<Option<Vec<u8>>>(&text);
            same::<Option<Vec<String>>>(&text);
            same::<Vec<f64>>(&text);
        }
    }
}
