//! Reads a schema's text into a tree that borrows from it.

use std::borrow::Cow;

use super::ordered::{Fields, Node};
use crate::json::{Failed, Scanner};

/// How deep the arrays and objects of a schema may nest.
const MAX_DEPTH: usize = 128;

/// Reads a JSON text.
///
/// # Errors
/// The text isn't JSON, or nests over 128 levels.
pub(super) fn read(text: &str) -> Result<Node<'_>, Failed> {
    let mut scan = Scanner::new(text);
    scan.space();
    let node = value(&mut scan, MAX_DEPTH)?;
    scan.end()?;
    Ok(node)
}

fn value<'t>(scan: &mut Scanner<'t>, depth: usize) -> Result<Node<'t>, Failed> {
    match scan.peek() {
        Some(b'"') => Ok(Node::Text(scan.string()?.text())),
        Some(b'-' | b'0'..=b'9') => Ok(Node::Word(Cow::Borrowed(scan.number()?))),
        Some(b'{') => {
            let depth = depth.checked_sub(1).ok_or(Failed)?;
            let mut members = Fields::default();
            let mut more = opens(scan, b'}');
            while more {
                let key = scan.string()?.text();
                scan.space();
                passes(scan, b':')?;
                members.push(key, value(scan, depth)?);
                more = goes_on(scan, b'}')?;
            }
            Ok(Node::Object(members))
        }
        Some(b'[') => {
            let depth = depth.checked_sub(1).ok_or(Failed)?;
            let mut items = Vec::new();
            let mut more = opens(scan, b']');
            while more {
                items.push(value(scan, depth)?);
                more = goes_on(scan, b']')?;
            }
            Ok(Node::List(items))
        }
        _ => Ok(Node::Word(Cow::Borrowed(scan.literal()?))),
    }
}

/// Passes an opening bracket; whether something follows it. If nothing does, the end is passed.
fn opens(scan: &mut Scanner<'_>, end: u8) -> bool {
    scan.at += 1;
    scan.space();
    let empty = scan.peek() == Some(end);
    scan.at += usize::from(empty);
    !empty
}

/// Passes a comma, or the end; whether it was a comma.
fn goes_on(scan: &mut Scanner<'_>, end: u8) -> Result<bool, Failed> {
    scan.space();
    if scan.peek() == Some(end) {
        scan.at += 1;
        return Ok(false);
    }
    passes(scan, b',').map(|()| true)
}

fn passes(scan: &mut Scanner<'_>, byte: u8) -> Result<(), Failed> {
    if scan.peek() != Some(byte) {
        return Err(Failed);
    }
    scan.at += 1;
    scan.space();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_in_its_order() {
        let text = r#"{"z":[],"a":{},"k\"":["\u0001é",-1.50e+3,true,null,{"z":0,"a":""}]}"#;
        assert_eq!(read(text).unwrap().text(), text);
        let spaced = "\n { \"z\" : [ 1 , 2 ] , \"a\" : { } } ";
        assert_eq!(read(spaced).unwrap().text(), r#"{"z":[1,2],"a":{}}"#);
    }

    #[test]
    fn only_json_is_read() {
        for bad in
            ["", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{,}", "[1 2]", "{\"a\":1,}", "1 2", "tru"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert!(read(&nested(MAX_DEPTH + 1)).is_err());
    }
}
