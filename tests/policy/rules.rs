//! Rules on tools and arguments: what each matcher lets through, and which way doubt falls.

use serde_json::{Value, json};
use toolkit::policy::{
    Matcher, Rule, ask, deny, equals, glob, host, one_of, only, prefix, range, regex, under,
};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{Builder, Risk};

use crate::support::Finished;

/// One condition.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Filter {
    /// Name of the field.
    field: String,
    /// How to compare.
    #[serde(default = "eq")]
    op: String,
}

fn eq() -> String {
    "eq".to_owned()
}

/// Look things up under many conditions.
#[tool(name = "rule.find")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn find(
    /// Keywords, e.g. `refund`.
    #[arg(alias = "q")]
    query: Option<String>,
    /// How many at most.
    #[arg(default = 5)]
    limit: i64,
    /// How near, from 0 to 1.
    score: Option<f64>,
    /// Conditions that all must hold.
    filters: Option<Vec<Filter>>,
    /// Files to look into.
    #[arg(default = vec!["/srv/all".to_owned()])]
    paths: Vec<String>,
    /// What to run.
    argv: Option<Vec<String>>,
    /// Where to ask.
    page: Option<String>,
    /// Anything else.
    extra: Option<Value>,
    #[state] probe: &Probe,
) -> i64 {
    let _running = probe.enter();
    let _ = (query, score, filters, paths, argv, page, extra);
    limit
}

/// Change a thing to another.
#[tool(name = "rule.change", risk = "write")]
pub(crate) fn change(
    /// What to change it to.
    to: String,
    #[state] probe: &Probe,
) -> String {
    let _running = probe.enter();
    to
}

pub(crate) fn builder(rules: impl IntoIterator<Item = Rule>) -> (Builder, Probe) {
    let probe = Probe::new();
    let policy = rules.into_iter().fold(Policy::default(), Policy::rule);
    let builder = Toolkit::builder().only([id(find), id(change)]).policy(policy);
    (builder.state(probe.clone()), probe)
}

/// The code of one call by a model, and whether the body was entered.
async fn call(rules: impl IntoIterator<Item = Rule>, tool: &str, arguments: &Value) -> Code {
    let (builder, probe) = builder(rules);
    let toolkit = builder.build().unwrap();
    let cx = CallContext::model();
    let reply = toolkit.call(&cx, ToolCall::new(tool, arguments.to_string())).await;
    assert_eq!(probe.entered() == 1, reply.code() == Code::Ok, "{}", reply.text());
    reply.code()
}

/// The code of one call under a policy, and the text of the reply.
pub(crate) async fn call_with(
    policy: &Policy,
    cx: &CallContext,
    tool: &str,
    arguments: &str,
) -> (Code, String) {
    let reply = find_alone(policy.clone()).call(cx, ToolCall::new(tool, arguments)).await;
    (reply.code(), reply.text().to_owned())
}

/// The tools of this file, under a policy.
pub(crate) fn find_alone(policy: Policy) -> Toolkit {
    builder([]).0.policy(policy).build().unwrap()
}

/// What a matcher says, seen from both sides.
#[derive(Debug, PartialEq, Eq)]
enum Says {
    Yes,
    No,
    Unclear,
}

async fn says(path: &str, matcher: &Matcher, arguments: &Value) -> Says {
    let denied = call([deny("rule.find").when(path, matcher.clone())], "rule.find", arguments);
    let only = call([only("rule.find").when(path, matcher.clone())], "rule.find", arguments);
    match (denied.await, only.await) {
        (Code::Denied, Code::Ok) => Says::Yes,
        (Code::Ok, Code::Denied) => Says::No,
        // To a rule that refuses it is a yes, to one that lets through a no.
        (Code::Denied, Code::Denied) => Says::Unclear,
        codes => panic!("{path} {matcher} {arguments}: {codes:?}"),
    }
}

#[tokio::test]
async fn each_matcher_says_yes_no_or_that_it_cannot_tell() {
    use Says::{No, Unclear, Yes};
    let cases = [
        ("query", equals("a"), json!({"query": "a"}), Yes),
        ("query", equals("a"), json!({"query": "A"}), No),
        ("query", equals("a"), json!({"query": "\u{61}"}), Yes),
        ("query", equals("a\"b\n"), json!({"query": "a\"b\n"}), Yes),
        ("limit", equals(7), json!({"limit": 7}), Yes),
        ("limit", equals(7), json!({"limit": 7.0}), Yes),
        ("limit", equals(7), json!({"limit": 8}), No),
        ("limit", equals(7.0), json!({"limit": 7}), Yes),
        ("extra", equals("7"), json!({"extra": 7}), No),
        ("score", equals(0.5), json!({"score": 0.5}), Yes),
        ("score", equals(0.5), json!({"score": 5e-1}), Yes),
        ("score", equals(0.5), json!({"score": 0.25}), No),
        ("extra", equals(json!({"a": [1, 2]})), json!({"extra": {"a": [1.0, 2]}}), Yes),
        ("extra", equals(json!({"a": [1, 2]})), json!({"extra": {"a": [2, 1]}}), No),
        ("extra", equals(json!([1, 2])), json!({"extra": [1, 2]}), Yes),
        ("extra", equals(true), json!({"extra": true}), Yes),
        ("extra", equals(true), json!({"extra": "true"}), No),
        ("query", one_of(["a", "b"]), json!({"query": "b"}), Yes),
        ("query", one_of(["a", "b"]), json!({"query": "c"}), No),
        ("limit", range(1..=20), json!({"limit": 20}), Yes),
        ("limit", range(1..20), json!({"limit": 20}), No),
        ("limit", range(1..), json!({"limit": 0}), No),
        ("limit", range(..=-3), json!({"limit": -3}), Yes),
        ("score", range(0.5..), json!({"score": 0.49}), No),
        ("score", range(0.5..), json!({"score": 1}), Yes),
        ("extra", range(1..), json!({"extra": "7"}), Unclear),
        ("extra", range(1..), json!({"extra": {"n": 7}}), Unclear),
        ("extra", regex("x"), json!({"extra": 7}), Unclear),
        ("extra", regex("x"), json!({"extra": true}), Unclear),
        ("argv", prefix(["cargo", "test"]), json!({"argv": ["cargo", "test", "-q"]}), Yes),
        ("argv", prefix(["cargo", "test"]), json!({"argv": ["cargo", "test"]}), Yes),
        ("argv", prefix(["cargo", "test"]), json!({"argv": ["cargo"]}), No),
        ("argv", prefix(["cargo", "test"]), json!({"argv": ["cargo", "test; rm"]}), No),
        ("argv", prefix(["cargo", "test"]), json!({"argv": []}), No),
        ("extra", prefix(["cargo"]), json!({"extra": "cargo"}), Unclear),
        ("extra", prefix(["1"]), json!({"extra": [1]}), Unclear),
        ("page", host("a.test"), json!({"page": "https://a.test/x"}), Yes),
        ("page", host("a.test"), json!({"page": "https://b.test/x"}), No),
        ("page", host("a.test"), json!({"page": "https://a.test@b.test/"}), Unclear),
        ("page", host("a.test"), json!({"page": "https://a.test./"}), Unclear),
        ("page", host("a.test"), json!({"page": "a.test"}), Unclear),
        ("page", host("a.test:81"), json!({"page": "http://a.test:81"}), Yes),
        ("page", host("a.test:81"), json!({"page": "http://a.test"}), No),
        ("query", under("/srv"), json!({"query": "/srv/a"}), Yes),
        ("query", under("/srv"), json!({"query": "/srv"}), Yes),
        ("query", under("/srv"), json!({"query": "/srvx/a"}), No),
        ("query", equals("a").or(equals("b")), json!({"query": "b"}), Yes),
        ("query", equals("a").or(equals("b")), json!({"query": "c"}), No),
        ("extra", equals("a").or(range(1..)), json!({"extra": "a"}), Yes),
        ("extra", equals("a").or(range(1..)), json!({"extra": "b"}), Unclear),
        ("argv", prefix(["a"]).or(prefix(["b"])), json!({"argv": ["b", "c"]}), Yes),
        ("argv", prefix(["a"]).or(prefix(["b"])), json!({"argv": ["c", "b"]}), No),
    ];
    for (path, matcher, arguments, expected) in cases {
        let said = says(path, &matcher, &arguments).await;
        assert_eq!(said, expected, "{path} {matcher} {arguments}");
    }
}

/// A pattern that can be read in two ways is read in the one that lets less through.
#[tokio::test]
async fn a_pattern_is_searched_for_where_it_refuses_and_the_whole_where_it_allows() {
    let rules = |matcher: Matcher| {
        [deny("rule.find").when("query", matcher.clone()), only("rule.find").when("query", matcher)]
    };
    for (matcher, text, denied, allowed) in [
        (regex("ab"), "xabx", true, false),
        (regex("ab"), "ab", true, true),
        (regex("a|b"), "bx", true, false),
        (regex("^a$"), "a\n", false, false),
        (glob("a*"), "a/b", true, false),
        (glob("a*"), "ab", true, true),
        (glob("a/**"), "a/b/c", true, true),
        (glob("a/**"), "a/../b", true, false),
        (glob("*.{md,txt}"), "x.md", true, true),
        (glob("*.{md,txt}"), "x.rs", false, false),
    ] {
        let [deny, only] = rules(matcher.clone());
        let arguments = json!({"query": text});
        let code = call([deny], "rule.find", &arguments).await;
        assert_eq!(code == Code::Denied, denied, "deny {matcher} {text:?}");
        let code = call([only], "rule.find", &arguments).await;
        assert_eq!(code == Code::Ok, allowed, "only {matcher} {text:?}");
    }
}

#[tokio::test]
async fn what_is_left_out_counts_as_its_default_or_as_nothing() {
    use Says::{No, Yes};
    let nothing = json!({});
    assert_eq!(says("limit", &equals(5), &nothing).await, Yes);
    assert_eq!(says("limit", &equals(6), &nothing).await, No);
    assert_eq!(says("paths", &under("/srv"), &nothing).await, Yes);
    assert_eq!(says("paths[0]", &equals("/srv/all"), &nothing).await, Yes);
    assert_eq!(says("paths[1]", &equals("/srv/all"), &nothing).await, No);
    assert_eq!(says("query", &regex(".*"), &nothing).await, No);
    assert_eq!(says("query", &regex(".*"), &json!({"query": null})).await, No);
    assert_eq!(
        says("filters[*].op", &equals("eq"), &json!({"filters": [{"field": "a"}]})).await,
        Yes
    );
    assert_eq!(says("filters[*].op", &equals("eq"), &json!({"filters": []})).await, No);
    let (builder, _) = builder([deny("rule.find").when("limit", equals(5))]);
    let toolkit = builder.build().unwrap();
    for text in ["", "null", " null ", "{}", " { } ", r#"{"limit": null}"#, r#"{"limit": 5.0}"#] {
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("rule.find", text)).await;
        assert_eq!(reply.code(), Code::Denied, "{text:?}");
    }
}

#[tokio::test]
async fn an_argument_is_found_under_each_of_its_names_however_they_are_spelled() {
    for path in ["query", "q"] {
        let (builder, probe) = builder([deny("rule.find").when(path, equals("x"))]);
        let toolkit = builder.build().unwrap();
        for text in [r#"{"query": "x"}"#, r#"{"q": "x"}"#, r#"{"\u0071": "\u0078"}"#] {
            let reply = toolkit.call(&CallContext::model(), ToolCall::new("rule.find", text)).await;
            assert_eq!(reply.code(), Code::Denied, "{path} {text}");
        }
        assert_eq!(probe.entered(), 0);
    }
}

/// One approved target must not cover a batch.
#[tokio::test]
async fn a_call_on_several_targets_must_have_each_allowed() {
    let rules = || [only("rule.find").when("paths[*]", under("/srv").or(under("/opt")))];
    for (paths, code) in [
        (json!(["/srv/a"]), Code::Ok),
        (json!(["/srv/a", "/opt/b"]), Code::Ok),
        (json!(["/srv/a", "/etc/b"]), Code::Denied),
        (json!(["/etc/b", "/srv/a"]), Code::Denied),
        (json!([]), Code::Denied),
    ] {
        let arguments = json!({"paths": paths});
        assert_eq!(call(rules(), "rule.find", &arguments).await, code, "{arguments}");
    }
    let waive = || [ask("rule.find").when("paths", under("/etc"))];
    let one = json!({"paths": ["/srv/a", "/etc/b"]});
    assert_eq!(call(waive(), "rule.find", &one).await, Code::NoApprover);
    let filters = json!({"filters": [{"field": "a", "op": "lt"}, {"field": "b"}]});
    let rule = |of| [only("rule.find").when("filters[*].op", of)];
    assert_eq!(call(rule(equals("eq")), "rule.find", &filters).await, Code::Denied);
    assert_eq!(call(rule(one_of(["eq", "lt"])), "rule.find", &filters).await, Code::Ok);
}

#[tokio::test]
async fn conditions_of_one_rule_must_all_match() {
    let rule = || deny("rule.find").when("query", equals("a")).when("limit", range(10..));
    for (arguments, code) in [
        (json!({"query": "a", "limit": 10}), Code::Denied),
        (json!({"query": "b", "limit": 10}), Code::Ok),
        (json!({"query": "a"}), Code::Ok),
    ] {
        assert_eq!(call([rule()], "rule.find", &arguments).await, code, "{arguments}");
    }
    let rule = || only("rule.find").when("query", equals("a")).when("limit", range(10..));
    assert_eq!(call([rule()], "rule.find", &json!({"query": "a"})).await, Code::Denied);
    assert_eq!(call([rule()], "rule.find", &json!({"query": "a", "limit": 10})).await, Code::Ok);
}

#[tokio::test]
async fn a_rule_is_about_the_callers_that_it_names() {
    let deny = || deny("rule.*").when("to", regex("")).risk(Risk::Write).origin(Origin::Plan);
    let (builder, _) = builder([deny().principal("guest").principal("bot")]);
    let toolkit =
        builder.policy(Policy::trusting().rule(deny().principal("guest"))).build().unwrap();
    let to = r#"{"to": "x"}"#;
    for (cx, code) in [
        (CallContext::plan().principal("guest"), Code::Denied),
        (CallContext::plan().principal("Guest"), Code::Ok),
        (CallContext::plan(), Code::Ok),
        (CallContext::model().principal("guest"), Code::Ok),
    ] {
        let reply = toolkit.call(&cx, ToolCall::new("rule.change", to)).await;
        assert_eq!(reply.code(), code, "{cx:?}");
        let reply = toolkit.call(&cx, ToolCall::new("rule.find", "")).await;
        assert_eq!(reply.code(), Code::Ok, "it has no such argument, and no such risk");
    }
}

#[tokio::test]
async fn what_is_denied_whatever_the_arguments_is_invisible_and_says_why() {
    let rule = deny("rule.change").origin(Origin::Model).principal("guest").because("guests read");
    let (builder, probe) = builder([rule]);
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let (guest, staff) = (CallContext::model().principal("guest"), CallContext::model());
    let visible = |cx| toolkit.catalog(cx).find("rule.change").is_some();
    assert!(!visible(&guest));
    assert!(visible(&staff));
    assert!(visible(&CallContext::human().principal("guest")));
    let reply = toolkit.call(&guest, ToolCall::new("rule.change", r#"{"to": "x"}"#)).await;
    assert_eq!(reply.code(), Code::Denied);
    assert_eq!(reply.text(), "`rule.change` was not run: guests read");
    assert_eq!(probe.entered(), 0);
    let records = finished.records();
    let deciding = records[0].decision.deciding().unwrap();
    assert_eq!((deciding.verdict, &*deciding.reason), (Some(Verdict::Deny), "guests read"));
    let place = format!("rule {}:", file!());
    assert!(deciding.source.starts_with(&place), "{} {place}", deciding.source);
}

#[tokio::test]
async fn a_rule_that_speaks_is_in_the_decision_with_its_line() {
    let deny = deny("rule.find").when("query", equals("a"));
    let line = line!() - 1;
    let ask = ask("rule.find").when("query", regex("a")).because("look first");
    let silent = ask.clone().when("limit", equals(9));
    let (builder, _) = builder([ask, silent, deny]);
    let finished = Finished::default();
    let toolkit = builder.observer(finished.observer()).build().unwrap();
    let reply =
        toolkit.call(&CallContext::model(), ToolCall::new("rule.find", r#"{"q": "a"}"#)).await;
    assert_eq!(reply.text(), "`rule.find` was not run: a rule doesn't allow this `query`");
    let records = finished.records();
    let findings = records[0].decision.findings();
    let told: Vec<_> = findings.iter().map(|f| (&*f.source, f.verdict, &*f.reason)).collect();
    let (file, asks) = (file!(), Some(Verdict::Ask));
    assert_eq!(
        told,
        [
            (&*format!("rule {file}:{}", line + 2), asks, "look first"),
            (
                &*format!("rule {file}:{line}"),
                Some(Verdict::Deny),
                "a rule doesn't allow this `query`"
            ),
            ("policy", Some(Verdict::Allow), "read for model"),
        ]
    );
}
