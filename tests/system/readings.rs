//! What a decoder makes of a text that fits: values that are rounded, forms that look alike, and
//! refusals of its own.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::TypedTool;
use toolkit::prelude::*;

/// Take shares of a whole.
#[tool(name = "readings.share")]
fn share(
    /// Less than all of it.
    #[arg(range = 0.0..1.0, default = 0.5)]
    wide: f64,
    /// Less than all of it, roughly.
    #[arg(range = 0.0..1.0)]
    narrow: Option<f32>,
    /// Less than many.
    #[arg(range = ..16_777_217, default = 0.0)]
    many: f32,
) -> String {
    format!("{wide} {narrow:?} {many}")
}

async fn ask(toolkit: &Toolkit, name: &str, arguments: &str) -> (Code, String) {
    let reply = toolkit.call(&CallContext::model(), ToolCall::new(name, arguments)).await;
    (reply.code(), reply.into_text())
}

#[tokio::test]
async fn what_a_float_is_read_as_lies_within_its_range_too() {
    let toolkit = Toolkit::builder().only([id(share)]).build().unwrap();
    let ask = async |arguments: &str| ask(&toolkit, "readings.share", arguments).await;
    for (arguments, text) in [
        (r#"{"wide": 0.99999999}"#, "0.99999999 None 0"),
        (r#"{"narrow": 0.999}"#, "0.5 Some(0.999) 0"),
        (r#"{"many": 16777215}"#, "0.5 None 16777215"),
        (r#"{"wide": 0, "many": -5e30}"#, "0 None -5000000000000000000000000000000"),
    ] {
        assert_eq!(ask(arguments).await, (Code::Ok, text.to_owned()), "{arguments}");
    }
    for (arguments, line) in [
        (
            r#"{"wide": 0.99999999999999999999}"#,
            "wide: expected number from 0 to below 1, got 0.99999999999999999999",
        ),
        (r#"{"narrow": 0.99999999}"#, "narrow: expected number from 0 to below 1, got 0.99999999"),
        (r#"{"narrow": 1}"#, "narrow: expected number from 0 to below 1, got 1"),
    ] {
        let (code, text) = ask(arguments).await;
        assert_eq!(code, Code::InvalidArguments, "{arguments}: {text}");
        assert!(text.contains(line), "{text}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Shares {
    /// At most nearly all.
    #[schemars(range(max = 0.9))]
    narrow: f32,
}

#[tokio::test]
async fn the_range_of_a_field_holds_for_what_is_read() {
    let tool = TypedTool::new(
        "readings.shares",
        "Take a share of the whole.",
        Risk::Read,
        |shares: Shares, _| async move { Ok::<_, ToolError>(shares.narrow.to_string()) },
    );
    let toolkit = Toolkit::builder().only([]).tool(tool).build().unwrap();
    let ask = async |arguments: &str| ask(&toolkit, "readings.shares", arguments).await;
    assert_eq!(ask(r#"{"narrow": 0.9}"#).await, (Code::Ok, "0.9".to_owned()));
    assert_eq!(ask(r#"{"narrow": 0.900001}"#).await.0, Code::InvalidArguments);
}

/// A tree whose forms differ only in what they lack.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    Leaf(f64),
    A { c: Vec<Tree>, x: u8 },
    B { c: Vec<Tree>, y: u8 },
    C { c: Vec<Tree>, z: u8 },
}

/// Look at a tree of numbers.
#[tool(name = "readings.tree")]
fn tree(
    /// The tree.
    tree: Tree,
) -> Tree {
    tree
}

#[derive(Deserialize, JsonSchema)]
struct Wood {
    /// The tree.
    tree: Tree,
}

#[tokio::test]
async fn forms_within_forms_are_read_in_good_time_or_not_at_all() {
    let wood = TypedTool::new(
        "readings.wood",
        "Look at a tree of numbers.",
        Risk::Read,
        |wood: Wood, _| async move { Ok::<_, ToolError>(wood.tree) },
    );
    let toolkit = Toolkit::builder().only([id(tree)]).tool(wood).build().unwrap();
    let grown = |leaf: &str, depth: usize| {
        let tree = (0..depth).fold(leaf.to_owned(), |tree, _| format!(r#"{{"c":[{tree}],"z":1}}"#));
        (format!(r#"{{"tree":{tree}}}"#), tree)
    };
    for name in ["readings.tree", "readings.wood"] {
        let (arguments, tree) = grown("1.0", 6);
        assert_eq!(ask(&toolkit, name, &arguments).await, (Code::Ok, tree));
        // Would take minutes if each form were explained within each form.
        assert_eq!(ask(&toolkit, name, &grown("true", 8).0).await.0, Code::InvalidArguments);
        // A decoder that tries each form within each form would take years over these.
        for leaf in ["1.0", "true"] {
            let (code, text) = ask(&toolkit, name, &grown(leaf, 30).0).await;
            assert_eq!(code, Code::InvalidArguments, "{text}");
            assert!(
                leaf == "true" || text.contains("too intricate to be checked; nest it less"),
                "{text}"
            );
        }
        // Many that are each as deep as can be read are read.
        let (_, tree) = grown("1.0", 5);
        let trees = vec![tree; 20].join(",");
        let arguments = format!(r#"{{"tree":{{"c":[{trees}],"x":1}}}}"#);
        assert_eq!(ask(&toolkit, name, &arguments).await.0, Code::Ok);
    }
}

/// A word without the letter `x`.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
struct Word(String);

impl TryFrom<String> for Word {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('x') { Err("a word has no x".to_owned()) } else { Ok(Self(text)) }
    }
}

/// Two words, the first of which is the lesser.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "Two")]
#[schemars(with = "Two")]
struct Ordered(u8);

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The lesser.
    low: u8,
    /// The greater.
    high: u8,
}

impl TryFrom<Two> for Ordered {
    type Error = String;
    fn try_from(two: Two) -> Result<Self, String> {
        if two.low < two.high {
            Ok(Self(two.high - two.low))
        } else {
            Err("out of order".to_owned())
        }
    }
}

/// Say words that have no letter too many.
#[tool(name = "readings.say")]
fn say(
    /// The words.
    words: Vec<Word>,
    /// Words by their names.
    #[arg(default)]
    named: BTreeMap<String, Vec<Word>>,
    /// Words in order.
    #[arg(default = Vec::new())]
    pairs: Vec<Pair>,
) -> usize {
    words.len() + named.len() + pairs.len()
}

/// A pair that can be shown.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Pair {
    /// The words.
    words: (Word, Word),
}

/// Say how far apart numbers are.
#[tool(name = "readings.apart")]
fn apart(
    /// Which numbers.
    all: Vec<Ordered>,
) -> u8 {
    all.iter().map(|one| one.0).sum()
}

#[tokio::test]
async fn what_a_type_refuses_is_told_at_the_place_of_the_value() {
    let toolkit = Toolkit::builder().only([id(say), id(apart)]).build().unwrap();
    for (tool, arguments, line) in [
        ("say", r#"{"words": ["a", "xb", "c"]}"#, r#"words[1]: a word has no x, got "xb""#),
        ("say", r#"{"words": ["xa"]}"#, r#"words[0]: a word has no x, got "xa""#),
        ("say", r#"{"words": ["a" , "b", "xc" ]}"#, r#"words[2]: a word has no x, got "xc""#),
        (
            "say",
            r#"{"words": [], "named": {"p": ["a"], "q": ["b", "xc"]}}"#,
            r#"named.q[1]: a word has no x, got "xc""#,
        ),
        (
            "say",
            r#"{"words": [], "pairs": [{"words": ["a", "b"]}, {"words": ["c", "x"]}]}"#,
            r#"pairs[1].words"#,
        ),
        (
            "apart",
            r#"{"all": [{"low": 1, "high": 2}, {"low": 4, "high": 3}, {"low": 1, "high": 2}]}"#,
            r#"all[1]: out of order, got {"low":4,"high":3}"#,
        ),
    ] {
        let (code, text) = ask(&toolkit, &format!("readings.{tool}"), arguments).await;
        assert_eq!(code, Code::InvalidArguments, "{text}");
        assert!(text.contains(line), "{arguments}: {text}");
    }
}

/// Nothing to fill in, and nothing else either.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {}

/// Nothing to fill in, as far as is said.
#[derive(Deserialize, JsonSchema)]
struct Unsaid {}

/// Take nothing, twice.
#[tool(name = "readings.nothing")]
fn nothing(
    /// Nothing at all.
    closed: Closed,
    /// Nothing that is known.
    unsaid: Unsaid,
) {
    let (Closed {}, Unsaid {}) = (closed, unsaid);
}

/// schemars says of a struct without fields what it says of any object, so that its author must say
/// that it takes no key.
#[tokio::test]
async fn a_nested_struct_without_fields_takes_no_key_where_its_author_says_so() {
    let toolkit = Toolkit::builder().only([id(nothing)]).build().unwrap();
    let ask = async |arguments: &str| ask(&toolkit, "readings.nothing", arguments).await;
    let (code, text) = ask(r#"{"closed": {"a": 1}, "unsaid": {}}"#).await;
    assert_eq!(code, Code::InvalidArguments);
    assert!(text.contains("closed.a: unknown argument"), "{text}");
    assert_eq!(ask(r#"{"closed": {}, "unsaid": {"a": 1}}"#).await.0, Code::Ok);
}
