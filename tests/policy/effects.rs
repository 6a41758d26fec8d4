//! What rules do to calls: what a waiver lowers and what not, drafts, tools that come later, the final
//! arguments; and that one rule more never lets more through.

use serde_json::json;
use toolkit::policy::{Rule, ask, deny, equals, one_of, only, regex, waive_ask};
use toolkit::prelude::*;
use toolkit::testing::Probe;
use toolkit::{Builder, Risk};

use crate::rules::{builder, find, find_alone};
use crate::support::Finished;

/// The decision on a call of a tool that writes, by a model, and its code.
async fn changed(policy: Policy, build: impl FnOnce(Builder) -> Builder) -> (Code, Verdict) {
    let finished = Finished::default();
    let builder = build(builder([]).0.policy(policy)).observer(finished.observer());
    let toolkit = builder.build().unwrap();
    let call = ToolCall::new("rule.change", r#"{"to": "x"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    (reply.code(), finished.records()[0].decision.verdict())
}

#[tokio::test]
async fn an_ask_of_the_table_is_waived_and_nothing_else() {
    let waive = || waive_ask("rule.change").when("to", one_of(["x", "y"]));
    let policy = || Policy::default().rule(waive());
    let same = |builder| builder;
    assert_eq!(changed(Policy::default(), same).await, (Code::NoApprover, Verdict::Ask));
    // Under record, not merely allowed.
    assert_eq!(changed(policy(), same).await, (Code::Ok, Verdict::Record));
    let other = Policy::default().rule(waive_ask("rule.change").when("to", equals("y")));
    assert_eq!(changed(other, same).await, (Code::NoApprover, Verdict::Ask));
    let plan = Policy::default().rule(waive().origin(Origin::Plan));
    assert_eq!(changed(plan, same).await, (Code::NoApprover, Verdict::Ask));

    let asked = policy().rule(ask("rule.change"));
    assert_eq!(changed(asked, same).await, (Code::NoApprover, Verdict::Ask));
    let denied = policy().rule(deny("rule.change").when("to", regex("")));
    assert_eq!(changed(denied, same).await, (Code::Denied, Verdict::Deny));
    let cell = policy().set(Origin::Model, Risk::Write, Verdict::Deny);
    assert_eq!(changed(cell, same).await, (Code::Denied, Verdict::Deny));
    for (ruling, code, verdict) in [
        (Ruling::Ask("why".into()), Code::NoApprover, Verdict::Ask),
        (Ruling::Deny("no".into()), Code::Denied, Verdict::Deny),
    ] {
        let guarded = |builder: Builder| builder.guard(guard("guard", move |_| Ok(ruling.clone())));
        assert_eq!(changed(policy(), guarded).await, (code, verdict));
    }
    // What doesn't ask isn't raised to record by it, nor lowered.
    for verdict in [Verdict::Allow, Verdict::Record] {
        let cell = policy().set(Origin::Model, Risk::Write, verdict);
        assert_eq!(changed(cell, same).await, (Code::Ok, verdict));
    }
}

/// A letter.
#[derive(serde::Serialize, serde::Deserialize)]
struct Letter(String);

/// Write a letter to somebody, for a person to send.
#[tool(name = "rule.write", risk = "send")]
fn write(
    /// To whom, e.g. `ada`.
    to: String,
) -> Result<Draft<Letter>, ToolError> {
    Ok(Draft::new(Letter(to)))
}

/// Sends the letter.
#[commit]
async fn send(letter: Confirmed<Letter>) -> Result<String, ToolError> {
    Ok(letter.get().0.clone())
}

#[tokio::test]
async fn what_sends_is_never_waived() {
    let policy = |rule| Policy::default().set(Origin::Model, Risk::Send, Verdict::Ask).rule(rule);
    let build = |rule, tools: &[toolkit::ToolId]| {
        let only = tools.iter().copied();
        Toolkit::builder().only(only).state(Probe::new()).policy(policy(rule)).build()
    };
    let named =
        build(waive_ask(["rule.write", "rule.find"]), &[id(write), id(find)]).err().unwrap();
    assert!(named.to_string().contains("is about `rule.write`, which sends: no rule waives that"));
    let alone = build(waive_ask("rule.*"), &[id(write)]).err().unwrap();
    assert!(alone.to_string().contains("is about tools that send alone: no rule waives that"));
    let toolkit = build(waive_ask("rule.*"), &[id(write), id(find)]).unwrap();
    let call = ToolCall::new("rule.write", r#"{"to": "ada"}"#);
    let reply = toolkit.call(&CallContext::model(), call).await;
    assert_eq!(reply.code(), Code::NoApprover);
}

/// A draft is judged by what it was made from, when it is made and when it is confirmed.
#[tokio::test]
async fn a_draft_is_confirmed_under_the_same_rules() {
    let policy = Policy::default().drafts().rule(
        deny("rule.write").when("to", equals("eve")).origin(Origin::Human).because("not to eve"),
    );
    let toolkit = Toolkit::builder().only([id(write)]).policy(policy).build().unwrap();
    let (model, human) = (CallContext::model().session("s"), CallContext::human().session("s"));
    for (to, code) in [("ada", Code::Ok), ("eve", Code::Denied)] {
        let arguments = json!({"to": to}).to_string();
        let reply = toolkit.call(&model, ToolCall::new("rule.write", arguments)).await;
        assert_eq!(reply.code(), Code::NeedsConfirmation);
        let confirmed = toolkit.confirm(&human, reply.draft_id().unwrap()).await;
        assert_eq!(confirmed.code(), code, "{}", confirmed.text());
    }
}

fn late(name: &str) -> TypedTool {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Late {
        /// Any text.
        text: String,
    }
    let run = |x: Late, _: CallContext| async move { Ok::<_, ToolError>(x.text) };
    TypedTool::new(name, "Give a text back as it is.", Risk::Read, run)
}

#[tokio::test]
async fn tools_that_come_later_come_under_the_rules() {
    let policy = Policy::default()
        .rule(deny("late.*").when("text", equals("no")).later())
        .rule(deny("late.hidden").later())
        .rule(only("late.odd").when("txet", equals("x")).later());
    let toolkit = find_alone(policy);
    let cx = CallContext::model();
    let echo = toolkit.register_typed(late("late.echo")).unwrap();
    let hidden = toolkit.register_typed(late("late.hidden")).unwrap();
    for (tool, text, code) in [
        ("late.echo", "yes", Code::Ok),
        ("late.echo", "no", Code::Denied),
        ("late.hidden", "yes", Code::Denied),
    ] {
        let arguments = json!({"text": text}).to_string();
        let reply = toolkit.call(&cx, ToolCall::new(tool, arguments)).await;
        assert_eq!(reply.code(), code, "{tool} {text}");
    }
    assert!(toolkit.catalog(&cx).find("late.echo").is_some());
    assert!(toolkit.catalog(&cx).find("late.hidden").is_none());
    let odd = toolkit.register_typed(late("late.odd")).unwrap_err().to_string();
    assert!(odd.contains("isn't there; did you mean `text`? in `late.odd`"), "{odd}");
    drop((echo, hidden));
    // It comes under them again.
    let _echo = toolkit.register_typed(late("late.echo")).unwrap();
    let reply = toolkit.call(&cx, ToolCall::new("late.echo", r#"{"text": "no"}"#)).await;
    assert_eq!(reply.code(), Code::Denied);
}

/// What hooks and persons write instead is what the rules judge.
#[tokio::test]
async fn the_final_arguments_are_judged() {
    let policy = || Policy::trusting().rule(deny("rule.change").when("to", equals("bad")));
    let to = |text: &'static str| {
        let change =
            move |_: toolkit::HookCall<'_>| Ok(Change::Replace(json!({"to": text}).to_string()));
        rewrite("writer", change)
    };
    for (given, written, code) in [("good", "bad", Code::Denied), ("bad", "good", Code::Ok)] {
        let toolkit = builder([]).0.policy(policy()).rewrite(to(written)).build().unwrap();
        let arguments = json!({"to": given}).to_string();
        let reply =
            toolkit.call(&CallContext::model(), ToolCall::new("rule.change", arguments)).await;
        assert_eq!(reply.code(), code, "{given} {written}");
    }
}

/// Milder is lower.
async fn verdict(rules: Vec<Rule>, tool: &str, arguments: &str) -> Verdict {
    let policy = rules.into_iter().fold(Policy::default(), Policy::rule);
    let explained =
        find_alone(policy).explain(&CallContext::model(), ToolCall::new(tool, arguments)).await;
    explained.decision.verdict()
}

/// Over random sets of rules: one rule more never makes a verdict milder unless it waives, and their
/// order is of no matter.
#[tokio::test]
async fn rules_only_tighten_in_whatever_order() {
    let mut seed = 7_u64;
    let mut below = move |end: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % end
    };
    let rule = |below: &mut dyn FnMut(u64) -> u64| {
        let of = [deny, ask, only, waive_ask];
        let effect = below(4) as usize;
        let (tool, argument) = [("rule.find", "query"), ("rule.change", "to")][below(2) as usize];
        let mut rule = of[effect](if below(3) == 0 { "rule.*" } else { tool });
        let matcher = [equals("a"), regex("b"), one_of(["a", "ab"])][below(3) as usize].clone();
        if below(4) > 0 || effect == 2 {
            rule = rule.when(argument, matcher);
        }
        if below(5) == 0 {
            rule = rule.origin([Origin::Plan, Origin::Model][below(2) as usize]);
        }
        (effect == 3, rule)
    };
    let calls = [
        ("rule.find", r#"{"query": "a"}"#),
        ("rule.find", "{}"),
        ("rule.change", r#"{"to": "ab"}"#),
        ("rule.change", r#"{"to": "c"}"#),
    ];
    let mut seen = std::collections::HashSet::new();
    for _ in 0..150 {
        let count = below(4);
        let (_, rules): (Vec<bool>, Vec<Rule>) = (0..count).map(|_| rule(&mut below)).unzip();
        let (waives, more) = rule(&mut below);
        let (tool, arguments) = calls[below(4) as usize];
        let before = verdict(rules.clone(), tool, arguments).await;
        let mut all = rules;
        all.push(more);
        let after = verdict(all.clone(), tool, arguments).await;
        assert!(
            after >= before || (waives && before == Verdict::Ask),
            "{all:?} {tool} {arguments}"
        );
        if waives && after < before {
            assert_eq!((before, after), (Verdict::Ask, Verdict::Record));
        }
        seen.insert(after);
        all.rotate_left(1);
        assert_eq!(verdict(all.clone(), tool, arguments).await, after, "{all:?}");
        all.reverse();
        assert_eq!(verdict(all, tool, arguments).await, after);
    }
    assert_eq!(seen.len(), 4, "allow, record, ask and deny: {seen:?}");
}

/// Who writes where.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Target {
    /// Whom it is for.
    #[serde(alias = "whom")]
    #[serde(default)]
    to: String,
}

/// The same, and whatever else.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Open {
    /// Whom it is for.
    #[serde(alias = "whom", default)]
    to: String,
    /// The rest.
    #[serde(flatten)]
    rest: std::collections::HashMap<String, String>,
}

/// Tell somebody something.
#[tool(name = "rule.tell")]
fn tell(
    /// Whom, and whom else.
    target: Option<Target>,
    /// The same, and more.
    open: Option<Open>,
) -> String {
    target.map(|t| t.to).or(open.map(|o| o.to)).unwrap_or_default()
}

/// A name that serde alone knows is no way around a rule.
#[tokio::test]
async fn a_name_that_only_a_decoder_knows_is_no_way_around_a_rule() {
    let rules = ["target.to", "open.to"].map(|path| deny("rule.tell").when(path, equals("eve")));
    let rules = rules.into_iter().fold(Policy::default(), Policy::rule);
    let toolkit = Toolkit::builder().only([id(tell)]).policy(rules.clone()).build().unwrap();
    let typed = |name: &str| {
        let run = |x: Target, _: CallContext| async move { Ok::<_, ToolError>(x.to) };
        TypedTool::new(name, "Tell somebody something.", Risk::Read, run)
    };
    let open = |name: &str| {
        let run = |x: Open, _: CallContext| async move { Ok::<_, ToolError>(x.to) };
        TypedTool::new(name, "Tell somebody something.", Risk::Read, run)
    };
    let policy = Policy::default()
        .rule(deny("typed").when("to", equals("eve")))
        .rule(deny("open").when("to", equals("eve")));
    let other = Toolkit::builder().only([]).tool(typed("typed")).tool(open("open"));
    let other = other.policy(policy).build().unwrap();
    let cx = CallContext::model();
    for arguments in [r#"{"to": "eve"}"#, r#"{"whom": "eve"}"#] {
        for (toolkit, tool, arguments) in [
            (&toolkit, "rule.tell", format!(r#"{{"target": {arguments}}}"#)),
            (&toolkit, "rule.tell", format!(r#"{{"open": {arguments}}}"#)),
            (&other, "typed", arguments.to_owned()),
            (&other, "open", arguments.to_owned()),
        ] {
            let reply = toolkit.call(&cx, ToolCall::new(tool, &arguments)).await;
            let refused = [Code::Denied, Code::InvalidArguments].contains(&reply.code());
            assert!(refused, "{tool} {arguments}: {}", reply.text());
        }
    }
    for arguments in ["{}", r#"{"to": "ada", "cc": "eve"}"#] {
        let reply = other.call(&cx, ToolCall::new("open", arguments)).await;
        assert_eq!(reply.code(), Code::Ok, "{arguments}");
    }
}
