//! Arguments as models write them: in odd shapes, at random, wrapped, unwrapped, said twice.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::store::Memory;
use toolkit::testing::Probe;
use toolkit::{Executed, TypedTool};

/// What to look for.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// Its name.
    name: String,
    /// Marks that it must have.
    #[serde(default)]
    marks: BTreeMap<String, bool>,
}

/// Look for something that is described.
#[tool(name = "quirk.find")]
fn find(
    /// What to look for.
    wanted: Wanted,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{} {:?}", wanted.name, wanted.marks)
}

/// Take values of every plain kind.
#[tool(name = "quirk.plain")]
fn plain(
    /// A whole number, e.g. `5`.
    #[arg(default)]
    whole: i64,
    /// Yes or no, e.g. `true`.
    #[arg(default)]
    yes: bool,
    /// A text, e.g. `abc`.
    #[arg(default)]
    text: String,
    /// Some numbers, e.g. `[1.5]`.
    #[arg(default)]
    some: Vec<f64>,
    /// Perhaps a pair, e.g. `[1, "a"]`.
    pair: Option<(u8, String)>,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    format!("{whole} {yes} {text:?} {some:?} {pair:?}")
}

/// Keep a text as it is.
#[tool(name = "quirk.keep", risk = "write")]
fn keep(
    /// The text, e.g. `abc`.
    text: String,
) -> String {
    text
}

fn build() -> (Toolkit, Probe) {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(find), id(plain)]).state(probe.clone());
    (builder.build().unwrap(), probe)
}

async fn run(toolkit: &Toolkit, tool: &str, arguments: &str) -> (Code, String) {
    let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, arguments)).await;
    (reply.code(), reply.into_text())
}

#[tokio::test]
async fn a_single_struct_is_wrapped_in_its_parameter_and_nothing_is_lost() {
    let (toolkit, probe) = build();
    let wrapped = r#"{"wanted": {"name": "x", "marks": {"old": true}}}"#;
    assert_eq!(
        run(&toolkit, "quirk.find", wrapped).await,
        (Code::Ok, r#"x {"old": true}"#.to_owned())
    );
    // Unwrapped it is a clear error, not half a guess.
    let (code, text) = run(&toolkit, "quirk.find", r#"{"name": "x"}"#).await;
    assert_eq!(code, Code::InvalidArguments);
    assert_eq!(
        text,
        "invalid arguments for `quirk.find`:\n\
         - name: unknown argument\n\
         - wanted: required, missing"
    );
    // Nor does anything beside it pass.
    for beside in [
        r#"{"wanted": {"name": "x"}, "nmae": "y"}"#,
        r#"{"wanted": {"name": "x", "mark": {}}}"#,
        r#"{"wanted": {"name": "x"}, "": 1}"#,
    ] {
        let (code, text) = run(&toolkit, "quirk.find", beside).await;
        assert_eq!(code, Code::InvalidArguments);
        assert!(text.contains("unknown argument"), "{text}");
    }
    assert_eq!(probe.entered(), 1);
}

#[tokio::test]
async fn what_a_text_says_is_read_where_nothing_is_lost() {
    let (toolkit, _) = build();
    for (arguments, text) in [
        (r#"{"whole": "5"}"#, r#"5 false "" [] None"#),
        (r#"{"whole": "-5"}"#, r#"-5 false "" [] None"#),
        (r#"{"whole": "20.0"}"#, r#"20 false "" [] None"#),
        (r#"{"yes": "true"}"#, r#"0 true "" [] None"#),
        (r#"{"text": "true"}"#, r#"0 false "true" [] None"#),
        (r#"{"text": "123"}"#, r#"0 false "123" [] None"#),
        (r#"{"text": "{\"a\":1}"}"#, r#"0 false "{\"a\":1}" [] None"#),
        (r#"{"some": "[1.5, 2]"}"#, r#"0 false "" [1.5, 2.0] None"#),
        (r#"{"some": ["1.5"]}"#, r#"0 false "" [1.5] None"#),
        (r#"{"pair": "[1, \"a\"]"}"#, r#"0 false "" [] Some((1, "a"))"#),
        (r#"{"pair": null, "some": null}"#, r#"0 false "" [] None"#),
    ] {
        assert_eq!(run(&toolkit, "quirk.plain", arguments).await, (Code::Ok, text.to_owned()));
    }
    for bad in [
        r#"{"whole": "5x"}"#,
        r#"{"whole": "1e3"}"#,
        r#"{"whole": "5.5"}"#,
        r#"{"whole": true}"#,
        r#"{"whole": "9223372036854775808"}"#,
        r#"{"yes": "yes"}"#,
        r#"{"yes": 1}"#,
        r#"{"yes": "True"}"#,
        r#"{"text": 123}"#,
        r#"{"text": true}"#,
        r#"{"text": {"a": 1}}"#,
        r#"{"some": "1.5, 2"}"#,
        r#"{"some": "[1.5"}"#,
        r#"{"some": 1.5}"#,
        r#"{"pair": [1]}"#,
        r#"{"pair": [1, "a", 2]}"#,
        r#"{"pair": {"0": 1}}"#,
    ] {
        assert_eq!(run(&toolkit, "quirk.plain", bad).await.0, Code::InvalidArguments, "{bad}");
    }
}

#[tokio::test]
async fn what_is_kept_is_what_came() {
    let store = Memory::default();
    let builder = Toolkit::builder().only([id(keep)]).store(store.clone());
    let toolkit = builder.policy(Policy::trusting()).build().unwrap();
    for text in [
        "plain",
        r#"{"a": "b"}"#,
        r#""quoted""#,
        r"\u0041 \n \\",
        "null",
        " 1 ",
        "[1,]",
        "line\nfeed\u{2028}😀",
        "",
    ] {
        let call = ToolCall::json("quirk.keep", &json!({"text": text})).unwrap();
        let reply = toolkit.call(&CallContext::model(), call).await;
        assert_eq!((reply.text(), reply.value()), (text, Some(json!(text))));
        assert!(reply.repairs().is_empty());
        let kept = store.records().last().unwrap().intent.arguments.clone().unwrap();
        // Encoded once, neither twice nor not at all.
        assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), json!({"text": text}));
    }
}

/// Nothing, as a struct without fields.
#[derive(Deserialize, JsonSchema)]
struct Unit;

/// Nothing, as a struct with braces.
#[derive(Deserialize, JsonSchema)]
struct Braces {}

/// All of it may be left out.
#[derive(Deserialize, JsonSchema)]
struct Lenient {
    a: Option<u8>,
    #[serde(default)]
    b: Vec<u8>,
}

/// Some of it must be there.
#[derive(Deserialize, JsonSchema)]
struct Needy {
    a: u8,
}

fn typed() -> Toolkit {
    fn answer(text: String) -> Result<String, ToolError> {
        Ok(text)
    }
    let description = "Take arguments of some type.";
    let none = TypedTool::new("take.none", description, Risk::Read, |(): (), _| async {
        answer("()".into())
    });
    let unit = TypedTool::new("take.unit", description, Risk::Read, |_: Unit, _| async {
        answer("unit".into())
    });
    let braces = TypedTool::new("take.braces", description, Risk::Read, |_: Braces, _| async {
        answer("braces".into())
    });
    let lenient =
        TypedTool::new("take.lenient", description, Risk::Read, |l: Lenient, _| async move {
            answer(format!("{:?} {:?}", l.a, l.b))
        });
    let needy = TypedTool::new("take.needy", description, Risk::Read, |n: Needy, _| async move {
        answer(n.a.to_string())
    });
    let builder = Toolkit::builder().only([]).tool(none).tool(unit).tool(braces);
    builder.tool(lenient).tool(needy).build().unwrap()
}

#[tokio::test]
async fn nothing_is_no_arguments_whatever_the_type() {
    let toolkit = typed();
    for nothing in ["", " \n", "null", "{}", " { } "] {
        for (tool, text) in [
            ("take.none", "()"),
            ("take.unit", "unit"),
            ("take.braces", "braces"),
            ("take.lenient", "None []"),
        ] {
            let got = run(&toolkit, tool, nothing).await;
            assert_eq!(got, (Code::Ok, text.to_owned()), "{tool} {nothing:?}");
        }
        let (code, text) = run(&toolkit, "take.needy", nothing).await;
        assert_eq!(code, Code::InvalidArguments);
        assert_eq!(text, "invalid arguments for `take.needy`:\n- a: required, missing");
    }
    for tool in ["take.none", "take.unit", "take.braces"] {
        for something in [r#"{"a": 1}"#, r#"{"": null}"#] {
            assert_eq!(run(&toolkit, tool, something).await.0, Code::InvalidArguments, "{tool}");
        }
        for odd in ["[]", "0", "false", r#""""#, r#""null""#] {
            assert_eq!(run(&toolkit, tool, odd).await.0, Code::MalformedArguments, "{tool} {odd}");
        }
    }
}

/// A small generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        // Xorshift: enough for shapes.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn key(&mut self) -> &'static str {
        const KEYS: [&str; 12] = [
            "whole",
            "yes",
            "text",
            "some",
            "pair",
            "wanted",
            "name",
            "marks",
            "",
            "__proto__",
            "wohle",
            "é\u{301}",
        ];
        KEYS[self.below(12) as usize]
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth > 5 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(300)),
            3 => json!(i64::MIN + self.below(9) as i64),
            4 => json!(f64::from_bits(self.below(u64::MAX))),
            5 => json!(
                ["5", "true", "{}", "[1]", "", "x", "null", "\u{202e}"][self.below(8) as usize]
            ),
            6 => json!(self.key().repeat(self.below(40) as usize)),
            7 => (0..self.below(4)).map(|_| self.value(depth + 1)).collect(),
            _ => {
                let members =
                    (0..self.below(5)).map(|_| (self.key().to_owned(), self.value(depth + 1)));
                Value::Object(members.collect())
            }
        }
    }
}

#[tokio::test]
async fn arbitrary_json_is_a_reply_and_runs_nothing_that_does_not_fit() {
    let (toolkit, probe) = build();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let mut text = random.value(0).to_string();
        if random.below(4) == 0 {
            // Not even JSON any more, or another one.
            let mut at = random.below(text.len() as u64 + 1) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let noise =
                ["", "\"", "}", "{", ",", "\\", "\u{0}", "1", "é"][random.below(9) as usize];
            text.replace_range(at.., noise);
        }
        let tool = if random.below(2) == 0 { "quirk.plain" } else { "quirk.find" };
        let before = probe.entered();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new(tool, text.as_str())).await;
        match reply.code() {
            Code::Ok => {
                assert_eq!((reply.executed(), probe.entered()), (Executed::Yes, before + 1));
                ran += 1;
            }
            Code::MalformedArguments | Code::InvalidArguments => {
                assert_eq!((reply.executed(), probe.entered()), (Executed::No, before), "{text}");
                assert!(reply.text().len() <= 1024, "{text}");
                refused += 1;
            }
            code => panic!("{code} for {text}: {}", reply.text()),
        }
    }
    assert!(ran > 100 && refused > 1_000, "{ran} {refused}");
}
