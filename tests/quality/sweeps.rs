//! Every tool called with what its schema allows, and with what it doesn't.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::testing::{Probe, Sweep, Swept};
use toolkit::{RiskSet, SchemaTool, ToolParameter};

/// What a shop sorts by.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    /// The cheapest first.
    Price,
    /// The newest first.
    Date,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only read")]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Filter {
    Between {
        #[schemars(range(min = 0, max = 100))]
        from: u8,
        #[schemars(range(min = 0, max = 100))]
        to: u8,
    },
    Named {
        #[schemars(length(min = 2, max = 10))]
        name: String,
    },
    Anything,
}

/// A tree of categories.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only read")]
#[serde(deny_unknown_fields)]
struct Category {
    #[schemars(regex(pattern = r"^[a-z]+(-[a-z0-9]+)*$"))]
    slug: String,
    #[serde(default)]
    #[schemars(length(max = 3))]
    children: Vec<Category>,
    parent: Option<Box<Category>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Place {
    #[schemars(range(min = -90.0, max = 90.0))]
    latitude: f64,
    longitude: f32,
    unit: char,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read")]
struct Shop {
    filters: Option<Vec<Filter>>,
    category: Category,
    order: Order,
    place: Option<Place>,
    #[schemars(length(min = 1, max = 4))]
    tags: std::collections::BTreeSet<String>,
    prices: BTreeMap<String, u32>,
    pair: (i64, bool),
    count: u64,
    ratio: Option<f64>,
    extra: Value,
    #[schemars(extend("examples" = ["2026-01-01"], "format" = "date"))]
    day: Option<String>,
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only read")]
struct Page {
    /// Which page, from 1.
    page: std::num::NonZeroU8,
    size: Option<i16>,
}

fn tool<A: ToolParameter>(name: &str, risk: Risk) -> TypedTool {
    let run = |_: A, _: CallContext| async { Ok::<_, ToolError>("done") };
    TypedTool::new(name, "Do what this test wants to see done.", risk, run)
}

fn set(tools: impl IntoIterator<Item = TypedTool>) -> Toolkit {
    let builder = tools.into_iter().fold(Toolkit::builder().only([]), |all, tool| all.tool(tool));
    builder.build().unwrap()
}

async fn swept(toolkit: &Toolkit) -> Swept {
    Sweep::new().seed(5).most(1_000).run(toolkit, &CallContext::human()).await
}

/// Look for something in ways of every kind.
#[tool(name = "sweep.look", risk = "read")]
async fn look(
    /// Number of the session, e.g. `s-42`.
    #[arg(pattern = "^s-[0-9]{1,9}$", length = 3..=8)]
    session: &str,
    /// How many at most.
    #[arg(default = 5, range = 1..=20)]
    limit: u8,
    /// How sure one must be.
    #[arg(range = 0.0..=1.0, example = Some(0.25))]
    sure: Option<f64>,
    /// From which day on.
    #[arg(example = Some("2026-03-02".to_owned()))]
    day: Option<String>,
    /// How to sort.
    order: Option<Order>,
    /// Words, each once.
    #[arg(length = 1..=3)]
    words: Vec<String>,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    drop((sure, day, order, words));
    format!("{session} {limit}")
}

#[tokio::test]
async fn tools_of_every_kind_take_what_they_allow_and_nothing_else() {
    let probe = Probe::new();
    let builder = Toolkit::builder().only([id(look)]).state(probe.clone());
    let toolkit = builder.tool(tool::<Shop>("sweep.shop", Risk::Read)).build().unwrap();
    let all = swept(&toolkit).await;
    all.assert_ok();
    for (name, valid, mistaken) in [("sweep.look", 30, 25), ("sweep.shop", 70, 60)] {
        let tool = all.tool(name).unwrap();
        assert_eq!(tool.skipped, [""; 0], "{all}");
        assert!(tool.valid["ok"] >= valid && tool.valid.len() == 1, "{all}");
        assert!(
            tool.mistaken["invalid_arguments"] >= mistaken && tool.mistaken.len() == 1,
            "{all}"
        );
    }
    assert_eq!(probe.entered(), all.tool("sweep.look").unwrap().valid["ok"]);
    let again = swept(&toolkit).await;
    assert_eq!(again.to_string(), all.to_string());
    let other = Sweep::new().seed(6).most(10).run(&toolkit, &CallContext::human()).await;
    let shop = other.tool("sweep.shop").unwrap();
    assert_eq!((shop.valid["ok"], shop.mistaken["invalid_arguments"]), (10, 10));
    assert!(shop.skipped.iter().any(|skipped| skipped.ends_with("more cases than 10")), "{other}");
}

/// A day, which the schema leaves open and the decoder doesn't.
#[derive(JsonSchema)]
struct Day {
    #[expect(dead_code, reason = "only for the schema")]
    day: String,
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Held {
            day: String,
        }
        let day = Held::deserialize(deserializer)?.day;
        match day.len() {
            10 => Ok(Self { day }),
            _ => Err(serde::de::Error::custom("a day has ten characters")),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[tokio::test]
async fn a_schema_that_promises_too_much_is_found() {
    let run = |_: Nothing, _: CallContext| async {
        match std::hint::black_box(true) {
            true => panic!("what the operator reads"),
            false => Ok::<_, ToolError>("done"),
        }
    };
    let broken = TypedTool::new("sweep.broken", "Break as soon as it is called.", Risk::Read, run);
    let all = swept(&set([tool::<Day>("sweep.day", Risk::Read), broken])).await;
    assert!(!all.is_ok());
    let (day, broken) = (all.tool("sweep.day").unwrap(), all.tool("sweep.broken").unwrap());
    assert!(day.faults.iter().all(|fault| fault.valid && fault.came_to == "invalid_arguments"));
    assert!(day.faults.iter().any(|fault| fault.what == "with everything"), "{all}");
    assert_eq!(broken.faults[0].came_to, "defect");
    let text = all.to_string();
    for part in [
        "  FAULT: with everything: the schema allows it, and it came to invalid_arguments\n    {\"day\":",
        "\n    > invalid arguments for `sweep.day`:\n",
        "a day has ten characters",
        "and it came to defect\n    {}\n",
    ] {
        assert!(text.contains(part), "{part} isn't in\n{text}");
    }
    assert!(!text.contains("what the operator reads"));
}

#[tokio::test]
async fn what_changes_anything_is_called_only_by_permission() {
    let probe = Probe::new();
    let counting = |name: &str, risk: RiskSet| {
        let probe = probe.clone();
        let run = move |_: Nothing, _: CallContext| {
            drop(probe.enter());
            async { Ok::<_, ToolError>("done") }
        };
        TypedTool::new(name, "Count how often it is called.", risk, run)
    };
    let both = RiskSet::of(&[Risk::Write, Risk::Destructive]);
    let set = set([
        counting("count.write", Risk::Write.into()),
        counting("count.both", both),
        tool::<Nothing>("count.read", Risk::Read),
    ]);
    let all = swept(&set).await;
    all.assert_ok();
    assert_eq!(probe.entered(), 0);
    let called: Vec<bool> = all.tools().iter().map(|tool| tool.called).collect();
    assert_eq!(called, [false, true, false], "in order of names: {all}");
    assert!(all.tool("count.write").unwrap().valid.contains_key("run"), "{all}");
    assert!(
        all.to_string().contains("count.write explained: valid 1 (1 run), mistaken 1"),
        "{all}"
    );

    let all = Sweep::new().calling(Risk::Write).run(&set, &CallContext::human()).await;
    all.assert_ok();
    assert_eq!(probe.entered(), 1, "and not the one of two levels: {all}");
    // One whose body is entered with a mistake would be a fault in either way.
    assert_eq!(all.tool("count.write").unwrap().mistaken["invalid_arguments"], 1);
}

fn given(schema: Value) -> Toolkit {
    let run = |_: Value, _: CallContext| async { Ok::<_, ToolError>("done") };
    let given = SchemaTool::new("given.one", "Take what it is given.", Risk::Read, schema, run);
    Toolkit::builder().only([]).tool(given).build().unwrap()
}

#[tokio::test]
async fn schemas_of_others_are_swept_as_far_as_they_are_known() {
    let all = swept(&given(json!({
        "type": "object",
        "properties": {
            "code": {"type": "string", "pattern": r"^\w{2}-\d{3}$"},
            "size": {"type": "integer", "multipleOf": 5, "exclusiveMinimum": 5, "maximum": 50},
            "either": {"oneOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "null"}}]},
            "odd": {"not": {"type": "string"}, "type": ["string", "integer"]},
            "tree": {"$ref": "#/$defs/tree"},
            "list": {"type": "array", "uniqueItems": true, "minItems": 2, "maxItems": 3,
                "items": {"enum": ["a", "b", "c"]}}
        },
        "required": ["code", "tree", "list"],
        "additionalProperties": false,
        "$defs": {"tree": {"type": "object", "properties": {
            "left": {"$ref": "#/$defs/tree"}, "leaf": {"const": 7}}, "minProperties": 1}}
    })))
    .await;
    all.assert_ok();
    let one = &all.tools()[0];
    assert!(one.valid["ok"] > 20 && one.mistaken["invalid_arguments"] > 15, "{all}");

    let all = swept(&given(json!({
        "type": "object",
        "properties": {
            "known": {"type": "integer"},
            "unknown": {"type": "array", "contains": {"type": "integer"}},
            "formatted": {"type": "string", "format": "isbn"}
        },
        "required": ["known"]
    })))
    .await;
    all.assert_ok();
    let skipped = &all.tools()[0].skipped;
    assert!(
        skipped.contains(&"`unknown`: the keyword `contains` isn't known here".to_owned()),
        "{all}"
    );
    assert!(
        skipped.contains(&"`formatted`: the format `isbn` isn't known here".to_owned()),
        "{all}"
    );

    let required = json!({"type": "object", "required": ["x"],
        "properties": {"x": {"type": "array", "contains": {"type": "integer"}}}});
    let all = swept(&given(required)).await;
    assert!(all.is_ok() && all.tools()[0].valid.is_empty());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        all.assert_ok();
    }));
    let text = *panicked.unwrap_err().downcast::<String>().unwrap();
    assert!(text.starts_with("no call was made of `given.one`"), "{text}");
    assert!(text.contains("not tried: `x`: the keyword `contains` isn't known here"), "{text}");
}

/// What a generator misses most easily: few values within narrow bounds, and many that must differ.
#[tokio::test]
async fn nothing_that_can_be_made_is_left_out() {
    let all = swept(&given(json!({
        "type": "object",
        "properties": {
            "tight": {"type": "integer", "minimum": 5.0, "maximum": 6.0},
            "both": {"type": "integer", "minimum": 0, "exclusiveMinimum": 5, "maximum": 100, "exclusiveMaximum": 7},
            "low": {"type": "number", "maximum": -5e6},
            "open": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9},
            "cents": {"type": "number", "multipleOf": 0.01, "minimum": 0.995, "maximum": 1.004},
            "words": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 9},
            "codes": {"type": "array", "items": {"type": "string", "pattern": "^[A-Z]{2}[0-9]$"},
                "uniqueItems": true, "minItems": 6},
            "pairs": {"type": "array", "minItems": 4, "uniqueItems": true, "items": {"type": "object",
                "properties": {"a": {"type": "integer", "minimum": 1, "maximum": 3}, "b": {"enum": ["x", "y"]}},
                "required": ["a", "b"]}},
            "mail": {"type": "string", "format": "email", "maxLength": 40},
            "link": {"type": "string", "format": "uri-template"},
            "either": {"oneOf": [{"type": "integer", "minimum": 3}, {"type": "integer", "maximum": 9}]},
            "named": {"type": "object", "minProperties": 3,
                "patternProperties": {"^x-[a-z]+$": {"type": "integer"}}, "additionalProperties": false},
            "grid": {"type": "array", "minItems": 2, "items": {"type": "array", "minItems": 2, "maxItems": 2,
                "items": {"type": "number", "minimum": 0, "maximum": 1}}},
        },
        "required": ["tight", "both", "low", "open", "cents", "words", "codes", "pairs", "mail", "link",
            "either", "named", "grid"],
        "additionalProperties": false
    })))
    .await;
    all.assert_ok();
    let one = &all.tools()[0];
    assert!(one.skipped.is_empty(), "{all}");
    assert!(one.valid["ok"] > 25 && one.mistaken["invalid_arguments"] > 40, "{all}");
}

/// Lists of lists of which none can differ: what can't be made is given up soon.
#[tokio::test]
async fn what_cannot_differ_is_given_up() {
    let list = |items: Value| json!({"type": "array", "uniqueItems": true, "minItems": 1, "maxItems": 2, "items": items});
    let deep = (0..5).fold(json!({"enum": ["a", "b"]}), |inner, _| list(list(inner)));
    let nothing = (0..5).fold(json!({"type": "null"}), |inner, _| list(inner));
    let started = std::time::Instant::now();
    let all = Sweep::new()
        .run(
            &given(
                json!({"properties": {"deep": deep, "nothing": nothing}, "required": ["nothing"]}),
            ),
            &CallContext::human(),
        )
        .await;
    all.assert_ok();
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}
