//! What is wrong with a rule keeps the toolkit from starting, and says where.

use toolkit::Risk;
use toolkit::policy::{Rule, deny, equals, glob, host, one_of, only, prefix, range, regex, under};

use crate::rules::builder;

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
