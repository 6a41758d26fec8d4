//! A policy as a file: it says what the same in code says, and each mistake in it with its line.

use std::time::Duration;

use toolkit::policy::{
    deny, equals, glob, host, one_of, only, prefix, range, regex, under, waive_ask,
};
use toolkit::prelude::*;
use toolkit::{Detail, Rate, Risk, Widest};

use crate::rules::{call_with, find_alone};

#[test]
fn the_table_is_that_of_the_base_but_for_what_is_named() {
    let policy = Policy::from_toml(
        "p.toml",
        r#"
        base = "trusting"
        drafts = true
        [table.model]
        network = "ask"
        destructive = { verdict = "deny", approval_time = "2m", detail = "results" }
        [table.human]
        write = { approval_time = "1500ms", widest = "exact", grant_time = "1h" }
        read = { rate = ["10 a minute", "100 an hour, 5 at once"] }
        "#,
    );
    let mut expected = Policy::trusting()
        .drafts()
        .set(Origin::Model, Risk::Network, Verdict::Ask)
        .set(Origin::Model, Risk::Destructive, Verdict::Deny)
        .detail(Origin::Model, Risk::Destructive, Detail::Results)
        .approval_time(Origin::Model, Risk::Destructive, Duration::from_secs(120));
    expected = expected
        .approval_time(Origin::Human, Risk::Write, Duration::from_millis(1500))
        .grants(Origin::Human, Risk::Write, Widest::Exact, Duration::from_secs(3600))
        .rate(Origin::Human, Risk::Read, Rate::per_minute(10))
        .rate(Origin::Human, Risk::Read, Rate::per_hour(100).burst(5));
    assert_eq!(policy.unwrap(), expected);
    assert_eq!(Policy::from_toml("p.toml", "").unwrap(), Policy::default());
}

/// Each rule of a file beside the same in code: what they do to a few calls.
#[tokio::test]
async fn a_rule_in_a_file_is_the_rule_in_code() {
    let model = Origin::Model;
    let rules = [
        (r#"deny = "rule.find""#, deny("rule.find")),
        (r#"deny = ["rule.*", "x"], later = true"#, deny(["rule.*", "x"]).later()),
        (
            r#"deny = "*", risk = ["read"], origin = "model", principal = ["a", "b"], because = "so""#,
            deny("*").risk(Risk::Read).origin(model).principal("a").principal("b").because("so"),
        ),
        (r#"deny = "rule.find", origin = ["plan"]"#, deny("rule.find").origin(Origin::Plan)),
        (
            r#"only = "rule.find", when.query.equals = "a""#,
            only("rule.find").when("query", equals("a")),
        ),
        (
            r#"only = "rule.find", when = { query = { one_of = ["a", "b"] }, limit.range = "1..=20" }"#,
            only("rule.find").when("query", one_of(["a", "b"])).when("limit", range(1..=20)),
        ),
        (
            r#"deny = "rule.find", when.limit = [{ range = "..3" }, { range = "30.." }]"#,
            deny("rule.find").when("limit", range(..3).or(range(30..))),
        ),
        (
            r#"deny = "rule.find", when.query = { regex = ["a", "^b"] }"#,
            deny("rule.find").when("query", regex("a").or(regex("^b"))),
        ),
        (
            r#"only = "rule.find", when.query = { glob = "a*" }"#,
            only("rule.find").when("query", glob("a*")),
        ),
        (
            r#"only = "rule.find", when."paths[*]" = { under = "/usr", relative_to = "/usr" }"#,
            only("rule.find").when("paths[*]", under("/usr").relative_to("/usr")),
        ),
        (
            r#"only = "rule.find", when.argv = { prefix = ["a", "b"] }"#,
            only("rule.find").when("argv", prefix(["a", "b"])),
        ),
        (
            r#"only = "rule.find", when.page.host = ["a.test", "b.test:81"]"#,
            only("rule.find").when("page", host("a.test").or(host("b.test:81"))),
        ),
        (
            r#"deny = "rule.find", when.extra = { equals = { a = [1, 0x2, 1.5], b = true } }"#,
            deny("rule.find")
                .when("extra", equals(serde_json::json!({"a": [1, 2, 1.5], "b": true}))),
        ),
        (r#"waive_ask = "rule.change""#, waive_ask("rule.change")),
    ];
    let calls = [
        r#"{"query": "a"}"#,
        r#"{"query": "b", "limit": 2}"#,
        r#"{"query": "ab", "limit": 31}"#,
        r#"{"paths": ["/usr/a", "b"]}"#,
        r#"{"paths": ["/usr/a", "../etc"]}"#,
        r#"{"argv": ["a", "b", "c"]}"#,
        r#"{"page": "http://a.test"}"#,
        r#"{"page": "http://b.test"}"#,
        r#"{"extra": {"b": true, "a": [1, 2, 1.5]}}"#,
    ];
    for (text, rule) in rules {
        let text = format!("rules = [{{ {text} }}]");
        let file = Policy::from_toml("p.toml", &text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let code = Policy::default().rule(rule.clone());
        for arguments in calls {
            for cx in [CallContext::model(), CallContext::model().principal("b")] {
                let [file, code] =
                    [&file, &code].map(|p| call_with(p, &cx, "rule.find", arguments));
                assert_eq!(file.await, code.await, "{text} {arguments}");
            }
        }
        let to = r#"{"to": "x"}"#;
        let cx = CallContext::model();
        let [file, code] = [&file, &code].map(|p| call_with(p, &cx, "rule.change", to));
        assert_eq!(file.await, code.await, "{text}");
    }
}

#[tokio::test]
async fn a_verdict_names_the_file_and_the_line() {
    let text = "\n[[rules]]\n# One of them.\ndeny = \"rule.find\"\nwhen.query.equals = \"a\"\n";
    let policy = Policy::from_toml("etc/p.toml", text).unwrap();
    let toolkit = find_alone(policy);
    let call = ToolCall::new("rule.find", r#"{"query": "a"}"#);
    let explained = toolkit.explain(&CallContext::model(), call).await;
    assert_eq!(explained.deciding().unwrap().source, "rule etc/p.toml:4");
}

/// The lines of what is wrong.
fn wrong(text: &str) -> Vec<String> {
    let error = Policy::from_toml("p.toml", text).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    error.problems().map(str::to_owned).collect()
}

#[test]
fn every_mistake_is_told_at_once_with_its_line() {
    let text = r#"base = "trustin"
drafts = "yes"
tabel = {}
[table]
modle = {}
[table.model]
wirte = "ask"
write = "aks"
send = { verdict = "deny", aproval_time = "1m" }
network = { approval_time = "5 minutes" }
read = 3
[[rules]]
deny = "a"
ask = "b"
[[rules]]
because = "so"
[[rules]]
deny = []
origin = "robot"
risk = ["write", "raed"]
wehn = {}
later = 1
[[rules]]
only = "a"
[[rules]]
deny = "a"
when.a = { regexp = "x" }
when.b = { regex = "(" }
when.c = { equals = 1, range = "1.." }
when.d = { range = "1-20" }
when.e = { equals = 2020-01-01 }
when.f = { under = "etc" }
when.g = { host = "*.test" }
when.h = []
when.i = { one_of = "x" }
when.j = { prefix = [1] }
when."k[" = { equals = 1 }
when.l = { equals = 1, relative_to = "/" }
"#;
    let expected = [
        "1: `base` can't be \"trustin\"; did you mean `trusting`? known: default, trusting",
        "2: `drafts` must be true or false, not a text",
        "3: unknown key `tabel`; did you mean `table`? known: base, drafts, table, rules",
        "5: unknown key `table.modle`; did you mean `model`? known: human, plan, model",
        "7: unknown key `table.model.wirte`; did you mean `write`? known: read, write, network, send, \
         destructive",
        "8: `table.model.write` can't be \"aks\"; did you mean `ask`? known: allow, record, ask, deny, \
         hide",
        "9: unknown key `table.model.send.aproval_time`; did you mean `approval_time`? known: verdict, \
         detail, approval_time, widest, grant_time, rate",
        "10: `table.model.network.approval_time` can't be \"5 minutes\"; say a number of ms, s, m or h: \
         \"90s\"",
        "11: `table.model.read` must be a table, not a number",
        "12: a rule says `deny` or `ask`, not both; write two",
        "15: a rule says one of `deny`, `ask`, `only` and `waive_ask`",
        "18: `deny` is an empty list",
        "18: rule `deny of risk write` names no tool; say `*` for all",
        "19: `origin` can't be \"robot\"; known: human, plan, model",
        "20: `risk` can't be \"raed\"; did you mean `read`? known: read, write, network, send, \
         destructive",
        "21: unknown key `wehn`; did you mean `when`? known: deny, ask, only, waive_ask, risk, origin, \
         principal, when, because, later",
        "22: `later` must be true or false, not a number",
        "24: rule `only a` has no condition, so that it would refuse nothing; add one with `when`, or \
         say `deny`",
    ];
    let told = wrong(text);
    for (told, expected) in told.iter().zip(expected) {
        assert_eq!(*told, format!("p.toml:{expected}"));
    }
    let rest = told[expected.len()..].join("\n");
    let lines = [
        "27: unknown key `when.a.regexp`; did you mean `regex`?",
        "27: `when.a` holds one matcher",
        "29: `when.c` holds one matcher",
        "30: `when.d.range` can't be \"1-20\"; say \"1..=20\"",
        "31: `when.e.equals` is a date",
        "34: `when.h` is an empty list",
        "35: `when.i.one_of` must be a list, not a text",
        "36: `when.j.prefix` must be a text, not a number",
        "38: `when.l.relative_to` is for `under` alone",
    ];
    for line in lines {
        assert!(rest.contains(&format!("p.toml:{line}")), "{line}\n{rest}");
    }
    for part in [
        "has a pattern `(` that can't be used",
        "has a bad directory: `etc`",
        "has a bad host: `*.test`",
        "has a path that is none: `k[`",
    ] {
        let of =
            |line: &&str| line.starts_with("p.toml:26: rule `deny a when ") && line.contains(part);
        assert!(rest.lines().any(|line| of(&line)), "{part}\n{rest}");
    }
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    let told = wrong("base = \"default\"\nrules = [\n[table\n");
    assert!(told.iter().all(|line| line.starts_with("p.toml:")), "{told:?}");
    assert!(told[0].contains(": no TOML: "), "{told:?}");
    for text in ["ten a minute", "10 a day", "10 a minute, 2", "0 a second", "1 an hour, 0 at once"]
    {
        let told = wrong(&format!("[table.model]\nread = {{ rate = \"{text}\" }}"));
        assert!(told[0].starts_with("p.toml:2: `table.model.read.rate` can't be "), "{told:?}");
    }
    for text in ["rules = 1", "table = 1", "rules = [1]", "[table]\nmodel = 1"] {
        assert!(wrong(text)[0].contains(" must be "), "{text}");
    }
}

#[test]
fn a_file_is_called_by_its_path() {
    let path = std::env::temp_dir().join(format!("policy-{}.toml", std::process::id()));
    let shown = path.display();
    let error = Policy::load(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{shown}: can't be read: ")), "{error}");
    std::fs::write(&path, "base = \"trusting\"").unwrap();
    assert_eq!(Policy::load(&path).unwrap(), Policy::trusting());
    std::fs::write(&path, "bass = 1").unwrap();
    let error = Policy::load(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.starts_with(&format!("{shown}:1: unknown key `bass`")), "{error}");
}
