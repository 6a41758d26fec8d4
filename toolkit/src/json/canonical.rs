//! One text for one value, so that fingerprints compare what was said and not how.

use super::number::Decimal;
use super::plain::plain;
use super::scan::{Failed, Scanner};
use crate::order;

/// The value as compact JSON with the keys of every object sorted and each character written one
/// way. Numbers that are equal are written alike: `1`, `1.0` and `1e0` are one number, and none of
/// them is `true` or `"1"`. A text that isn't JSON (or is nested too deep, or gives a key twice)
/// stays as it is.
pub(crate) fn canonical(text: &str) -> String {
    let mut scanner = Scanner::new(text);
    scanner.space();
    let mut out = String::with_capacity(text.len());
    match value(&mut scanner, &mut out).and_then(|()| scanner.end()) {
        Ok(()) => out,
        Err(_) => text.to_owned(),
    }
}

fn value(scanner: &mut Scanner<'_>, out: &mut String) -> Result<(), Failed> {
    match scanner.peek() {
        Some(b'"') => string(&scanner.string()?.text(), out),
        Some(b'-' | b'0'..=b'9') => out.push_str(&Decimal::new(scanner.number()?).canonical()),
        Some(b'[') => {
            out.push('[');
            let mut more = scanner.open_array()?;
            while more {
                value(scanner, out)?;
                more = scanner.next_element()?;
                if more {
                    out.push(',');
                }
            }
            out.push(']');
        }
        Some(b'{') => {
            let mut members = Vec::new();
            let mut more = scanner.open_object()?;
            while more {
                let key = scanner.key()?.text();
                let mut member = String::new();
                value(scanner, &mut member)?;
                members.push((key, member));
                more = scanner.next_member()?;
            }
            order::sort_by(&mut members, |(a, _), (b, _)| a.cmp(b));
            if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(Failed);
            }
            out.push('{');
            for (i, (key, member)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                string(key, out);
                out.push(':');
                out.push_str(member);
            }
            out.push('}');
        }
        _ => out.push_str(scanner.literal()?),
    }
    Ok(())
}

/// Appends a JSON string.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let (fine, from) = rest.split_at(plain(rest.as_bytes()));
        out.push_str(fine);
        let Some(byte) = from.bytes().next() else { break };
        // Every byte that isn't plain is a character.
        rest = &from[1..];
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'\x08' => out.push_str("\\b"),
            b'\x0c' => out.push_str("\\f"),
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_for_one_value() {
        assert_eq!(
            canonical(
                " {\"b\" : [1.0, 1e0, -0, \"\\u0041\\/\"], \"a\":{\"\\u0063\":null}, \"\":true} "
            ),
            r#"{"":true,"a":{"c":null},"b":[1,1,0,"A/"]}"#
        );
    }

    #[test]
    fn different_values_have_different_texts() {
        let texts = [
            "1", "\"1\"", "true", "1.5", "15", "[1]", "{}", "[]", "null", "\"null\"", "1e40",
            "1e41",
        ];
        for (i, a) in texts.iter().enumerate() {
            for b in &texts[i + 1..] {
                assert_ne!(canonical(a), canonical(b));
            }
        }
    }

    #[test]
    fn what_is_not_json_stays() {
        for text in ["", "{", "{\"a\":1,\"a\":2}", "1 2"] {
            assert_eq!(canonical(text), text);
        }
    }

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        let all: String = (0..0x300).filter_map(char::from_u32).chain(['\u{2028}', '😀']).collect();
        let mut out = String::new();
        string(&all, &mut out);
        assert_eq!(out, serde_json::to_string(&all).unwrap());
    }
}
