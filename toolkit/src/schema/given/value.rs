//! Reads arguments into a value that keeps every number as it was written.

use serde_json::{Map, Number, Value};

use super::super::Contract;
use super::amiss::Spot;
use crate::json::{Decimal, Failed, Scanner, locate};
use crate::problem::Problem;

/// Where numbers start that no value keeps.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lost(Vec<usize>);

/// The value of a text that is JSON.
///
/// # Errors
/// Numbers that neither 64 bits of an integer nor a float keep.
pub(super) fn read(text: &str) -> Result<Value, Lost> {
    let mut scan = Scanner::new(text);
    scan.space();
    let mut lost = Vec::new();
    match value(&mut scan, &mut lost) {
        Ok(value) if lost.is_empty() => Ok(value),
        _ => Err(Lost(lost)),
    }
}

/// What a model reads of them.
pub(super) fn problems(contract: &Contract, text: &str, lost: &Lost) -> Vec<Problem> {
    let problem = |at: &usize| {
        let (steps, number) = locate(text, at + 1);
        let mut spot = Spot::of(contract);
        steps.into_iter().for_each(|step| spot.push(step));
        let got = spot.echo(number);
        Problem::unfit(spot.text(), "number that 64 bits keep as it is written".to_owned(), got)
    };
    lost.0.iter().take(1000).map(problem).collect()
}

fn value(scan: &mut Scanner<'_>, lost: &mut Vec<usize>) -> Result<Value, Failed> {
    Ok(match scan.peek() {
        Some(b'"') => Value::String(scan.string()?.text().into_owned()),
        Some(b'{') => {
            let mut members = Map::new();
            let mut more = scan.open_object()?;
            while more {
                let key = scan.key()?.text().into_owned();
                members.insert(key, value(scan, lost)?);
                more = scan.next_member()?;
            }
            Value::Object(members)
        }
        Some(b'[') => {
            let mut elements = Vec::new();
            let mut more = scan.open_array()?;
            while more {
                elements.push(value(scan, lost)?);
                more = scan.next_element()?;
            }
            Value::Array(elements)
        }
        Some(b'-' | b'0'..=b'9') => {
            let start = scan.at;
            let text = scan.number()?;
            kept(text).map(Value::Number).unwrap_or_else(|| {
                lost.push(start);
                Value::Null
            })
        }
        _ => match scan.literal()? {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::Null,
        },
    })
}

/// The number, if it is the same number when it is written again.
fn kept(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    let float: f64 = text.parse().ok()?;
    let number = Number::from_f64(float)?;
    (Decimal::new(&format!("{float:?}")) == Decimal::new(text)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_kept_or_refused() {
        for text in
            ["0", "-0", "-9223372036854775808", "18446744073709551615", "0.1", "2.0", "-1e300"]
        {
            let number = kept(text).unwrap().to_string();
            assert_eq!(Decimal::new(&number), Decimal::new(text), "{text}: {number}");
        }
        for text in
            ["18446744073709551616", "1e400", "3.14159265358979323846", "9007199254740993.5"]
        {
            assert_eq!(kept(text), None, "{text}");
        }
    }
}
