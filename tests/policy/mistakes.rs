//! What is wrong with a rule keeps the toolkit from starting, and says where.

use toolkit::Risk;
use toolkit::policy::{
    Rule, ask, deny, equals, glob, host, one_of, only, prefix, range, regex, under, waive_ask,
};
use toolkit::prelude::*;
use toolkit::testing::Probe;

use crate::rules::{builder, change};

/// The problems of a start with this rule.
fn mistakes(rule: Rule) -> Vec<String> {
    let error = builder([rule]).0.build().err();
    let problems = error.iter().flat_map(|error| error.problems());
    let here = format!("{}:", file!());
    problems
        .map(|problem| {
            let text = problem.to_string();
            let (_, text) = text.strip_prefix(&here).unwrap().split_once(": ").unwrap();
            text.to_owned()
        })
        .collect()
}

/// A matcher is exact, a glob or a list, and one that names nothing keeps the toolkit from starting.
#[test]
fn a_rule_on_what_is_not_there_fails_the_start_with_the_nearest_name() {
    let x = || equals("x");
    for (rule, mistake) in [
        (
            deny("rule.fnd"),
            "rule `deny rule.fnd` names a tool `rule.fnd` that isn't there; did you mean `rule.find`?",
        ),
        (
            deny(["rule.find", "nobody"]),
            "rule `deny rule.find, nobody` names a tool `nobody` that isn't there",
        ),
        (deny("rule"), "rule `deny rule` names a tool `rule` that isn't there"),
        (deny("ruel.*"), "rule `deny ruel.*` selects no tool by `ruel.*`"),
        (
            deny("rule.*").risk(Risk::Destructive),
            "rule `deny rule.* of risk destructive` selects no tool of risk `destructive`",
        ),
        (
            deny("rule.find").when("qury", x()),
            "rule `deny rule.find when qury = \"x\"` asks for an argument `qury` that isn't there; did \
             you mean `query`? in `rule.find`",
        ),
        (
            only("rule.*").when("filters[*].opp", x()),
            "rule `only rule.* when filters[*].opp = \"x\"` asks for an argument `filters[*].opp` that \
             isn't there; did you mean `op`?",
        ),
        (
            deny("rule.find").when("query[*]", x()),
            "rule `deny rule.find when query[*] = \"x\"` asks for an argument `query[*]` that isn't \
             there in `rule.find`",
        ),
        (
            only("rule.find"),
            "rule `only rule.find` has no condition, so that it would refuse nothing; \
             add one with `when`, or say `deny`",
        ),
        (deny([""; 0]), "rule `deny` names no tool; say `*` for all"),
    ] {
        assert_eq!(mistakes(rule), [mistake]);
    }
    for matcher in [
        regex("("),
        glob("a{"),
        one_of([""; 0]),
        prefix([""; 0]),
        range::<i32>(..),
        range(f64::NAN..),
        host("http://a.test"),
        under("srv"),
        equals("x").relative_to("/"),
    ] {
        assert_eq!(
            mistakes(deny("rule.find").when("query", matcher.clone())).len(),
            1,
            "{matcher}"
        );
    }
    assert_eq!(mistakes(only("rule.find").when("query", under("/no such place"))).len(), 1);
    assert!(mistakes(deny("rule.find").when("extra.any[3].thing", x())).is_empty());
    assert!(mistakes(deny("*").when("to", x())).is_empty(), "one of the tools has it");
    assert!(mistakes(deny("soon.*").later()).is_empty());
}

/// What is paid in.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Currency {
    Eur,
    Usd,
}

/// Move money from one account to another.
#[tool(name = "rule.pay", risk = "write")]
fn pay(
    /// How much, from 1 to 100.
    #[arg(range = 1..=100)]
    amount: u32,
    /// What it is counted in.
    currency: Currency,
    /// Currencies that will do as well.
    others: Option<Vec<Currency>>,
    /// Whether it is urgent.
    urgent: Option<bool>,
    /// Numbers in rows.
    rows: Option<Vec<Vec<f64>>>,
    /// Notes by their keys.
    notes: std::collections::BTreeMap<String, String>,
) {
    let _ = (amount, currency, others, urgent, rows, notes);
}

/// The problems of a start with a rule on `rule.pay`.
fn mistakes_of_pay(rule: Rule) -> Vec<String> {
    let policy = Policy::default().rule(rule);
    let error = Toolkit::builder().only([id(pay)]).policy(policy).build().err();
    let problems = error.iter().flat_map(|error| error.problems());
    problems.map(|problem| problem.to_string()).collect()
}

/// A `deny` that waits for what an argument never is would never speak, and nobody would know.
#[test]
fn a_rule_that_waits_for_what_never_comes_fails_the_start() {
    for (path, matcher, what) in [
        ("currency", equals("EUR"), r#""EUR" in `currency`, which takes one of `eur`, `usd`"#),
        (
            "currency",
            one_of(["eur", "yen"]),
            r#""yen" in `currency`, which takes one of `eur`, `usd`"#,
        ),
        ("currency", range(1..), "a number in `currency`, which takes one of `eur`, `usd`"),
        ("amount", equals("5"), r#""5" in `amount`, which takes integer from 1 to 100"#),
        ("amount", equals(5.5), "5.5 in `amount`, which takes integer from 1 to 100"),
        ("amount", equals(101), "101 in `amount`, which takes integer from 1 to 100"),
        ("amount", regex("5"), "a text in `amount`, which takes integer from 1 to 100"),
        ("amount", host("a.test"), "a text in `amount`, which takes integer from 1 to 100"),
        ("amount", under("/srv"), "a text in `amount`, which takes integer from 1 to 100"),
        ("amount", glob("*"), "a text in `amount`, which takes integer from 1 to 100"),
        (
            "amount",
            equals(5).or(equals("5")),
            r#""5" in `amount`, which takes integer from 1 to 100"#,
        ),
        ("amount", prefix(["5"]), "a list in `amount`, which takes integer from 1 to 100"),
        ("urgent", equals("yes"), r#""yes" in `urgent`, which takes boolean"#),
        (
            "others",
            equals("EUR"),
            r#""EUR" in `others`, which takes array, each one of `eur`, `usd`"#,
        ),
        ("rows", regex("x"), "a text in `rows`, which takes array, each array, each number"),
        ("notes.a", range(1..), "a number in `notes.a`, which takes string"),
        ("notes.*", equals(1), "1 in `notes.*`, which takes string"),
    ] {
        for rule in [deny("rule.pay"), only("rule.pay"), ask("rule.*"), waive_ask("rule.pay")] {
            let found = mistakes_of_pay(rule.when(path, matcher.clone()));
            let [found] = found.as_slice() else { panic!("{path} {matcher}: {found:?}") };
            let (_, found) = found.split_once("` asks for ").unwrap();
            assert_eq!(found.strip_suffix(" in `rule.pay`").unwrap_or(found), what);
        }
    }
    for (path, matcher) in [
        ("currency", one_of(["eur", "usd"])),
        ("currency", regex("EUR")),
        ("amount", one_of([5.0, 100.0])),
        ("amount", range(200..)),
        ("amount", equals(())),
        ("urgent", equals(true)),
        ("others", equals("eur")),
        ("others", equals(["eur"])),
        ("others[0]", equals("usd")),
        ("others", prefix(["eur"])),
        ("rows", equals(1.5)),
        ("rows", range(..0)),
        ("notes.*", equals("x")),
    ] {
        let found = mistakes_of_pay(deny("rule.pay").when(path, matcher.clone()));
        assert!(found.is_empty(), "{path} {matcher}: {found:?}");
    }
}

/// A glob selects tools of many kinds: one whose argument can be what it waits for is enough.
#[test]
fn of_the_tools_of_a_glob_one_that_fits_is_enough() {
    let start = |matcher| {
        let policy = Policy::default().rule(deny("rule.*").when("to", matcher));
        Toolkit::builder().only([id(change), id(count)]).state(Probe::new()).policy(policy).build()
    };
    assert!(start(equals("x")).is_ok());
    assert!(start(equals(3)).is_ok());
    let error = start(equals(true)).unwrap_err().to_string();
    assert!(error.contains("asks for true in `to`, which takes "), "{error}");
}

/// Count from one up to another.
#[tool(name = "rule.count")]
fn count(
    /// The last number.
    to: u32,
) {
    let _ = to;
}
