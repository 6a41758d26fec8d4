//! The tools for a start: right, bounded, and described as tools should be.

use serde_json::{Value, json};
use toolkit::lint::{Lint, Lints};
use toolkit::prelude::*;
use toolkit::starter::{Calc, Dates, Json, Text};
use toolkit::testing::{Lexical, Sweep, Task, select};

fn toolkit() -> Toolkit {
    let builder = Toolkit::builder().only([]).output_pages(false);
    builder.toolset(Calc).toolset(Dates).toolset(Json).toolset(Text).build().unwrap()
}

async fn call(toolkit: &Toolkit, name: &str, arguments: Value) -> (Code, String) {
    let call = ToolCall::json(name.to_owned(), &arguments).unwrap();
    let reply = toolkit.call(&CallContext::model(), call).await;
    (reply.code(), reply.into_text())
}

#[test]
fn nothing_is_to_be_said_of_their_descriptions() {
    // Those that run in place are quick: their texts are short.
    let report = Lints::new().allow_all(Lint::RunsInPlace).check(&toolkit());
    assert!(report.is_clean(), "{report}");
    // None is there unless it is loaded.
    assert_eq!(Toolkit::builder().only([]).build().unwrap().tools().count(), 0);
    assert!(toolkit().tools().all(|tool| tool.risk().is_read() && tool.title().is_some()));
}

#[tokio::test]
async fn each_takes_what_its_schema_allows_and_nothing_else() {
    let swept = Sweep::new().seed(7).run(&toolkit(), &CallContext::model()).await;
    swept.assert_ok();
    assert_eq!(swept.tools().len(), toolkit().tools().count(), "{swept}");
    assert!(swept.tools().iter().all(|tool| tool.called && tool.skipped.is_empty()), "{swept}");
}

#[tokio::test]
async fn tasks_lead_to_them() {
    let task = |text: &str, tool: &str| Task::new(text).expect(tool);
    let tasks = vec![
        task("What is 19.99 times 3 plus 19 percent?", "calc.eval").never("dates.add"),
        task("What date is 90 days after the 31st of January 2026?", "dates.add")
            .never("calc.eval"),
        task("How many days lie between the two dates?", "dates.between"),
        task("Pick the prices out of this JSON", "json.query").never("text.find"),
        task("How many words and characters has this text?", "text.count"),
        task("Find all invoice numbers that match a pattern in this text", "text.find"),
        task("Replace the name in this letter by another", "text.replace"),
    ];
    let catalog = toolkit().catalog(&CallContext::model());
    let selection = select(&Lexical::new(), &catalog, tasks).await;
    assert!(selection.is_ok(), "{selection}");
}

#[tokio::test]
async fn sums_are_exact_and_mistakes_are_told_at_their_place() {
    let toolkit = toolkit();
    for (expression, expected) in [
        ("0.1 + 0.2", "0.3"),
        ("1 - 0.9 - 0.1", "0"),
        ("2 + 3 * 4 ^ 2", "50"),
        ("(2 + 3) * -4", "-20"),
        ("-2 ^ 2", "-4"),
        ("2 ^ 3 ^ 2", "512"),
        ("2 ^ -2", "0.25"),
        ("10 % 4 / 2", "1"),
        ("round(19.99 * 3 * 1.19, 2)", "71.36"),
        ("round(2.5) + round(-2.5)", "0"),
        ("max(1, 7, 3) + min(4; 2) + sum(1, 2, 3) + avg(2, 4)", "18"),
        ("floor(-1.5) + ceil(1.2) + abs(-3)", "3"),
        ("sqrt(2) ^ 2 - 2 < 1", "expected an operator or the end at character 17, got `<`"),
        ("1e3 + 1.5E-1", "1000.15"),
        ("6 × 7 ÷ 2 − 1", "20"),
        ("1 / 0", "division by zero"),
        ("0 ^ -1", "division by zero"),
        ("9 ^ 9 ^ 9 ^ 9", "exponent must be a whole number from -100 to 100"),
        ("9 ^ 99", "too large"),
        ("79228162514264337593543950335 + 1", "too large"),
        ("2 ^ 0.5", "exponent must be a whole number"),
        ("sqrt(-1)", "0 or more"),
        ("1 +", "expected a number, `(` or a function at character 4, got the end"),
        ("(1", "expected `)` at character 3, got the end"),
        ("1,5", "expected an operator or the end at character 2, got `,`"),
        ("pi * 2", "there is no function or constant `pi`"),
        ("abs(1, 2)", "`abs` takes one number, got 2"),
        ("round(1, 29)", "takes 0 to 28 places"),
        ("1.2.3", "`1.2.3` is no number"),
    ] {
        let (_, text) = call(&toolkit, "calc.eval", json!({"expression": expression})).await;
        assert!(
            text == expected || text.contains(expected) && expected.len() > 6,
            "{expression}: {text}"
        );
    }
    let deep = format!("{}1{}", "(".repeat(400), ")".repeat(400));
    let (code, text) = call(&toolkit, "calc.eval", json!({"expression": deep})).await;
    assert!(code == Code::Failed && text.contains("nested deeper than 64"), "{text}");
    let deep = format!("{}1", "2^-".repeat(300));
    assert_eq!(call(&toolkit, "calc.eval", json!({"expression": deep})).await.0, Code::Failed);
}

#[tokio::test]
async fn json_is_queried_within_bounds() {
    let toolkit = toolkit();
    let query = async |json: &str, path: &str| {
        call(&toolkit, "json.query", json!({"json": json, "path": path, "limit": 3})).await.1
    };
    let text =
        r#"{"items": [{"n": "a", "price": 5}, {"n": "b", "price": 3}, {"n": "c", "price": 9}]}"#;
    assert_eq!(query(text, "$.items[?@.price > 4].n").await, r#"["a","c"]"#);
    assert_eq!(query(text, "$..price").await, "[5,3,9]");
    assert_eq!(query("[1,2,3,4,5]", "$[*]").await, "[1,2,3]");
    assert_eq!(query("{}", "$.none").await, "[]");
    assert!(query("{", "$").await.contains("`json` is no JSON: EOF"));
    assert!(query("{}", "items").await.contains("`path` is no JSONPath, at character 1"));
    assert!(query("{}", "$..a..b").await.contains("one `..`"));
    // The widest question to the widest and the deepest text.
    let wide = format!("[{}1]", "1,".repeat(40_000));
    query(&wide, "$[?@ == 1]").await;
    query(&wide, "$..*").await;
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    query(&deep, "$..[*]").await;
}

#[tokio::test]
async fn texts_are_counted_searched_and_changed() {
    let toolkit = toolkit();
    let (_, text) = call(&toolkit, "text.count", json!({"text": "Zwölf Wörter,\nfast."})).await;
    assert_eq!(text, r#"{"characters":19,"words":3,"lines":2,"bytes":21}"#);
    let find =
        json!({"text": "Invoice 2026-117 and 2026-118", "pattern": "[0-9]{4}-[0-9]+", "limit": 1});
    assert_eq!(call(&toolkit, "text.find", find).await.1, r#"["2026-117"]"#);
    let find = json!({"text": "Ab aB", "pattern": "ab", "ignore_case": true});
    assert_eq!(call(&toolkit, "text.find", find).await.1, r#"["Ab","aB"]"#);
    let (code, text) = call(&toolkit, "text.find", json!({"text": "", "pattern": "("})).await;
    assert!(code == Code::Failed && text.contains("`pattern` is no regular expression"), "{text}");
    // Patterns that would cost too much are refused, those that only look so are run in good time.
    let huge = json!({"text": "a", "pattern": "(a{1000}){1000}"});
    assert_eq!(call(&toolkit, "text.find", huge).await.0, Code::Failed);
    let slow = json!({"text": "a".repeat(20_000), "pattern": "(a*)*b"});
    assert_eq!(call(&toolkit, "text.find", slow).await.0, Code::Ok);
    let replace = |from: &str, to: &str| json!({"text": "Dear Anne, Anne", "from": from, "to": to});
    assert_eq!(call(&toolkit, "text.replace", replace("Anne", "Ann")).await.1, "Dear Ann, Ann");
    assert_eq!(call(&toolkit, "text.replace", replace(", Anne", "")).await.1, "Dear Anne");
    assert_eq!(call(&toolkit, "text.replace", replace("anne", "Ann")).await.0, Code::Failed);
    let huge = json!({"text": "a".repeat(100_000), "from": "a", "to": "b".repeat(1000)});
    assert!(call(&toolkit, "text.replace", huge).await.1.contains("at most 1048576 are made"));
}

#[tokio::test]
async fn dates_know_their_months_and_leap_years() {
    let toolkit = toolkit();
    for (date, span, expected) in [
        ("2026-01-31", "1 month", "2026-02-28 (Saturday)"),
        ("2024-02-29", "1 year", "2025-02-28 (Friday)"),
        ("2026-12-01", "90 days", "2027-03-01 (Monday)"),
        ("2026-03-01", "-1 day", "2026-02-28 (Saturday)"),
        ("2026-01-31T23:30", "P1DT45M", "2026-02-02T00:15:00 (Monday)"),
        ("2026-01-31", "90 minutes", "2026-01-31T01:30:00 (Saturday)"),
        ("31.1.2026", "1 day", "`date` is no date"),
        ("2026-02-30", "1 day", "`date` is no date"),
        ("2026-01-31", "soon", "`span` is no span of time"),
        ("2026-01-31", "9000 years", "outside of the years"),
        ("2026-01-31T09:00Z", "1 day", "without a time zone"),
    ] {
        let (_, text) = call(&toolkit, "dates.add", json!({"date": date, "span": span})).await;
        assert!(text == expected || text.contains(expected), "{date} {span}: {text}");
    }
    for (from, to, unit, expected) in [
        ("2026-01-31", "2026-12-24", "days", "327d"),
        ("2000-02-29", "2026-02-28", "years", "25y 11mo 30d"),
        ("2026-12-24", "2026-12-01", "weeks", "3w 2d ago"),
        ("2026-01-31T09:00", "2026-01-31T10:30", "minutes", "90m"),
        ("2026-01-31", "2026-01-31", "days", "no time"),
    ] {
        let arguments = json!({"from": from, "to": to, "unit": unit});
        assert_eq!(call(&toolkit, "dates.between", arguments).await.1, expected, "{from} {to}");
    }
    let arguments = json!({"from": "2026-01-31", "to": "2026-02-01", "unit": "fortnights"});
    assert_eq!(call(&toolkit, "dates.between", arguments).await.0, Code::InvalidArguments);
}

/// Texts from a small alphabet, by a number.
fn text(alphabet: &str, mut seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut text = String::new();
    while seed > 0 {
        text.push(letters[usize::try_from(seed % letters.len() as u64).unwrap()]);
        seed /= letters.len() as u64;
    }
    text
}

#[tokio::test]
async fn any_text_is_answered_and_nothing_panics() {
    let toolkit = toolkit();
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..2_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        for (name, arguments) in [
            (
                "calc.eval",
                json!({"expression": text("0123456789.+-*/%^(),; aeinmrsoundqt", state)}),
            ),
            (
                "json.query",
                json!({"json": "[[1],{\"a\":2}]", "path": text("$.[]*?@'a0:,()<=&|!\"-~é", state)}),
            ),
            ("text.find", json!({"text": "aé0 b", "pattern": text("a0é[](){}*+?.^$\\|,-", state)})),
            (
                "dates.add",
                json!({"date": text("0123456789-T:", state), "span": text("0123456789PYMWDTHS dayweks-", state)}),
            ),
            (
                "dates.add",
                json!({"date": "2026-01-31", "span": text("0123456789PYMWDTHS dayweks-", state)}),
            ),
        ] {
            let (code, said) = call(&toolkit, name, arguments.clone()).await;
            let fine = matches!(code, Code::Ok | Code::Failed | Code::InvalidArguments);
            assert!(fine && said.len() < 2_000, "{name} {arguments}: {code} {said}");
        }
    }
}
