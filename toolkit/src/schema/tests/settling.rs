//! What is told of arguments that don't fit, and what is mended.

use super::*;

const QUERY: Param<String> = with_alias(param("query", "Keywords."), &["q"]);
const LIMIT: Param<u8> =
    with_range(with_default(param("limit", "How many."), || 5), &Range(Some(1), Some(20), true));
const FILTERS: Param<Option<Vec<Filter>>> = param("filters", "All must hold.");
const FLAG: Param<Option<bool>> = param("flag", "Whether.");
const SEARCH: &[&dyn Parameter] = &[&QUERY, &LIMIT, &FILTERS, &FLAG];

#[track_caller]
fn tells(text: &str, expected: &str) {
    assert_eq!(told(SEARCH, text, false), expected, "{text}");
}

#[track_caller]
fn repairs(text: &str, expected: &str) {
    assert_eq!(told(SEARCH, text, true), expected, "{text}");
}

#[test]
fn everything_at_once() {
    tells(
        r#"{"query": 17, "limit": "many", "fliters": 1, "filters": [{"field":"a","op":"eq","value":"b"}, {"field": "stars", "op": "gte", "vlaue": "100"}, 7]}"#,
        "query: expected string, got 17\n\
         limit: expected integer from 1 to 20, got \"many\"\n\
         filters[1].op: expected one of `contains`, `eq`, `gt`, got \"gte\"\n\
         filters[1].vlaue: unknown argument; did you mean `value`?\n\
         filters[1].value: required, missing\n\
         filters[2]: expected object, got 7\n\
         fliters: unknown argument",
    );
    tells(
        r#"{"limit":21}"#,
        "limit: expected integer from 1 to 20, got 21\nquery: required, missing",
    );
    tells("", "query: required, missing");
    tells(" null ", "query: required, missing");
    tells(
        r#"{"qurey":"a"}"#,
        "qurey: unknown argument; did you mean `query`?\nquery: required, missing",
    );
    tells(r#"{"query":"a","q":"b"}"#, "q: given twice; keep one");
    tells(
        r#"{"query":"a","filters":[{"field":"f","op":"eq","value":"v","x":{"x":[]}}]}"#,
        "filters[0].x: unknown argument",
    );
}

#[test]
fn malformed() {
    tells("{\"query\": \"a\"", "at byte 13: expected `,` or `}`, got the end of the text");
    tells("{\"query\": \"a\"} x", "at byte 15: expected nothing after the value, got `x`");
    tells("[1]", "at byte 0: expected an object, got an array");
    tells("\"{}\"", "at byte 0: expected an object, got a string");
    tells("\u{feff}{}", "at byte 0: expected a value, got a byte order mark");
    tells(
        "{\"query\":\"a\",\"qu\\u0065ry\":\"b\"}",
        "at byte 13: `query` is given twice; keep one",
    );
    tells(
        "{\"filters\":[{\"op\":1,\"op\":2}]}",
        "at byte 20: `filters[0].op` is given twice; keep one",
    );
    let deep = format!("{{\"query\":{}1{}}}", "[".repeat(64), "]".repeat(64));
    tells(&deep, "at byte 72: nested deeper than 64, which is the limit");
    let long = format!("{{\"query\":\"{}\"}}", "a".repeat((1 << 20) - 12));
    assert_eq!(long.len(), 1 << 20);
    assert_eq!(told(SEARCH, &long, false), long);
    tells(&format!("{long} "), "1048577 bytes, at most 1048576 are allowed");
}

#[test]
fn mended_without_being_asked() {
    tells(r#"{"query":"a","limit":null}"#, r#"{"query":"a"}"#);
    tells(r#"{"limit":2.0,"query":"a"}"#, r#"{"limit":2,"query":"a"}"#);
    tells(r#"{ "limit" : 1e1 , "query" : "a b" }"#, r#"{"limit":10,"query":"a b"}"#);
    tells(r#"{"query":"a","limit":2.5}"#, "limit: expected integer from 1 to 20, got 2.5");
    tells(r#"{"query":"a","limit":1e2}"#, "limit: expected integer from 1 to 20, got 1e2");
    tells(
        r#"{"query":"a","filters":[{"field":"f","op":"eq","value":"v","negate":null,"note":null}],"limit":null}"#,
        r#"{"query":"a","filters":[{"field":"f","op":"eq","value":"v"}]}"#,
    );
    // What a decoder takes stays as it was sent.
    tells(r#"{"query":"a","flag":null,"limit":null}"#, r#"{"query":"a","flag":null}"#);
    tells(r#"{"query":null}"#, "query: expected string, got null");
}

#[test]
fn repaired_only_when_asked() {
    repairs(
        r#"{"query":"a","limit":"7"}"#,
        "{\"query\":\"a\",\"limit\":7}\n~ limit: \"7\" was read as 7",
    );
    tells(r#"{"query":"a","limit":"7"}"#, "limit: expected integer from 1 to 20, got \"7\"");
    repairs(
        r#"{"query":"a","limit":"20.0"}"#,
        "{\"query\":\"a\",\"limit\":20}\n~ limit: \"20.0\" was read as 20",
    );
    for bad in ["5x", "1e1", "42", " 5", "5 ", "+5", "05", "0x5", "", "true", "null", "5.5"] {
        repairs(
            &format!(r#"{{"query":"a","limit":"{bad}"}}"#),
            &format!("limit: expected integer from 1 to 20, got \"{bad}\""),
        );
    }
    repairs(
        r#"{"query":"123","flag":"true"}"#,
        "{\"query\":\"123\",\"flag\":true}\n~ flag: \"true\" was read as true",
    );
    repairs(r#"{"query":"a","flag":"True"}"#, "flag: expected boolean, got \"True\"");
    repairs(r#"{"query":"{\"a\":1}"}"#, r#"{"query":"{\"a\":1}"}"#);
    repairs(
        r#"{"query":"a","filters":"[{\"field\":\"f\",\"op\":\"eq\",\"value\":\"v\",\"note\":null}]"}"#,
        "{\"query\":\"a\",\"filters\":[{\"field\":\"f\",\"op\":\"eq\",\"value\":\"v\"}]}\n~ filters: \"[{\\\"field\\\":\\\"f\\\",\\\"op\\\":\\\"eq\\\",\\\"value\\\":\\\"v\\\",\\\"note\\\"… was read as [{\"field\":\"f\",\"op\":\"eq\",\"value\":\"v\"}]",
    );
    // One level only, and only whole.
    repairs(r#"{"query":"a","filters":"\"[]\""}"#, "filters: expected array, got \"\\\"[]\\\"\"");
    repairs(
        r#"{"query":"a","filters":"[{\"field\":\"f\""}"#,
        "filters: expected array, got \"[{\\\"field\\\":\\\"f\\\"\"",
    );
    repairs("\"{\\\"query\\\":\\\"a\\\"}\"", "{\"query\":\"a\"}\n~ a string was read as an object");
    repairs("\"\\\"{}\\\"\"", "at byte 0: expected an object, got a string");
    repairs("\"{\\\"query\\\":\"", "at byte 0: expected an object, got a string");
}

#[test]
fn secrets_are_told_by_kind() {
    const TOKEN: Param<String> = with_secret(with_length(param("token", "Token."), Some(8), None));
    const KEYS: Param<std::collections::BTreeMap<String, u8>> = with_secret(param("keys", "Keys."));
    const PIN: Param<u16> = with_secret(param("pin", "Pin."));
    let all: &[&dyn Parameter] = &[&TOKEN, &KEYS, &PIN];
    assert_eq!(
        told(
            all,
            r#"{"token":"s3cret","keys":{"s3cret":-7,"x":{"s3cret":1}},"pin":"s3cret"}"#,
            true
        ),
        "token: expected string of at least 8 characters, got a string\n\
         keys[…]: expected integer from 0 to 255, got a number\n\
         keys[…]: expected integer from 0 to 255, got an object\n\
         pin: expected integer from 0 to 65535, got a string"
    );
    assert_eq!(
        told(all, r#"{"token":"12345678","keys":{},"pin":"1234"}"#, true),
        "{\"token\":\"12345678\",\"keys\":{},\"pin\":1234}\n~ pin: a string was read as a number"
    );
    assert_eq!(
        told(all, r#"{"keys":{"s3cret":1,"s3cret":2}}"#, true),
        "at byte 20: `keys` is given twice; keep one"
    );
}

#[test]
fn numbers_beyond_their_type() {
    const BIG: Param<u64> = param("big", "Big.");
    const SMALL: Param<i64> = param("small", "Small.");
    const HUGE: Param<u128> = param("huge", "Huge.");
    const REAL: Param<f64> =
        with_range(param("real", "Real."), &Range(Some(0.0), Some(0.1), false));
    let all: &[&dyn Parameter] = &[&BIG, &SMALL, &HUGE, &REAL];
    assert_eq!(
        told(
            all,
            r#"{"big":18446744073709551616,"small":-9.223372036854775809e18,"huge":-1,"real":0.1}"#,
            false
        ),
        "big: expected integer from 0 to 18446744073709551615, got 18446744073709551616\n\
         small: expected integer from -9223372036854775808 to 9223372036854775807, got -9.223372036854775809e18\n\
         huge: expected integer from 0 to 340282366920938463463374607431768211455, got -1\n\
         real: expected number from 0 to below 0.1, got 0.1"
    );
    assert_eq!(
        told(all, r#"{"big":1.8446744073709551615e19,"small":-0,"huge":34e37,"real":0.09}"#, false),
        r#"{"big":18446744073709551615,"small":0,"huge":340000000000000000000000000000000000000,"real":0.09}"#
    );
}
