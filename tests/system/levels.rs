//! A tool of several levels must pass the cell of each, whatever the policy says.

use toolkit::prelude::*;
use toolkit::testing::{Probe, Recorder};
use toolkit::{Executed, RiskSet, TypedTool, Verdict};

/// The levels that a closure may have.
const LEVELS: [Risk; 4] = [Risk::Read, Risk::Write, Risk::Network, Risk::Destructive];

const VERDICTS: [Verdict; 5] =
    [Verdict::Allow, Verdict::Record, Verdict::Ask, Verdict::Deny, Verdict::Hide];

/// Every set of levels but the empty one, as bits.
fn sets() -> impl Iterator<Item = usize> {
    1..1 << LEVELS.len()
}

fn levels(set: usize) -> impl Iterator<Item = Risk> {
    LEVELS.into_iter().enumerate().filter(move |(i, _)| set & (1 << i) != 0).map(|(_, risk)| risk)
}

fn risks(set: usize) -> RiskSet {
    RiskSet::of(&levels(set).collect::<Vec<_>>())
}

/// One tool for each set of levels.
fn build(policy: &Policy, probe: &Probe) -> Toolkit {
    let mut builder = Toolkit::builder().only([]).policy(policy.clone());
    for set in sets() {
        let probe = probe.clone();
        let run = move |(): (), _| {
            let probe = probe.clone();
            async move {
                let _running = probe.enter();
                Ok::<_, ToolError>(())
            }
        };
        let name = format!("level.set{set}");
        let tool = TypedTool::new(name, "Have some levels of risk.", risks(set), run);
        builder = builder.tool(if risks(set).contains(Risk::Network) {
            tool.hosts(["example.com"])
        } else {
            tool
        });
    }
    builder.approver(Recorder::denying()).build().unwrap()
}

fn random_policy(seed: &mut u64) -> Policy {
    let mut policy = Policy::default();
    for origin in Origin::ALL {
        for risk in LEVELS {
            *seed ^= *seed << 13;
            *seed ^= *seed >> 7;
            *seed ^= *seed << 17;
            policy = policy.set(origin, risk, VERDICTS[(*seed % 5) as usize]);
        }
    }
    policy
}

#[tokio::test]
async fn the_strictest_cell_decides_and_a_further_level_never_makes_it_milder() {
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    let policies = (0..40).map(|_| random_policy(&mut seed));
    for policy in
        [Policy::default(), Policy::trusting()].into_iter().chain(policies.collect::<Vec<_>>())
    {
        let probe = Probe::new();
        let toolkit = build(&policy, &probe);
        for origin in Origin::ALL {
            // Anew each time: what a context has read may make the next verdict stricter.
            let cx = || match origin {
                Origin::Human => CallContext::human(),
                Origin::Plan => CallContext::plan(),
                Origin::Model => CallContext::model(),
            };
            let listed = toolkit.catalog(&cx());
            let mut verdicts = vec![Verdict::Allow; 1 << LEVELS.len()];
            for set in sets() {
                let strictest = levels(set).map(|risk| policy.cell(origin, risk).verdict).max();
                let strictest = strictest.unwrap();
                let before = probe.entered();
                let name = format!("level.set{set}");
                let reply = toolkit.call(&cx(), ToolCall::new(name.as_str(), "")).await;
                let expected = match strictest {
                    Verdict::Allow | Verdict::Record => Code::Ok,
                    Verdict::Ask => Code::Rejected,
                    Verdict::Hide if origin == Origin::Model => Code::UnknownTool,
                    Verdict::Deny | Verdict::Hide => Code::Denied,
                };
                assert_eq!(reply.code(), expected, "{origin} {} {strictest}", risks(set));
                let ran = expected == Code::Ok;
                assert_eq!(reply.executed() == Executed::Yes, ran);
                assert_eq!(probe.entered() - before, usize::from(ran));
                assert_eq!(listed.find(&name).is_some(), strictest < Verdict::Deny);
                verdicts[set] = strictest;
            }
            for set in sets() {
                for level in 0..LEVELS.len() {
                    assert!(verdicts[set | (1 << level)] >= verdicts[set]);
                }
            }
        }
    }
}

#[tokio::test]
async fn every_duty_of_every_level_holds() {
    let probe = Probe::new();
    let store = toolkit::store::Memory::default();
    let run = {
        let probe = probe.clone();
        move |(): (), _| {
            let probe = probe.clone();
            async move {
                let _running = probe.enter();
                Ok::<_, ToolError>(())
            }
        }
    };
    let both = RiskSet::of(&[Risk::Network, Risk::Destructive]);
    let tool = || TypedTool::new("level.both", "Go out and destroy.", both, run.clone());
    // The network's duty: a host. The destructive's: a person, and an intent.
    let builder =
        || Toolkit::builder().only([]).store(store.clone()).approver(Recorder::approving());
    let nowhere = builder().tool(tool()).build().unwrap_err();
    assert!(nowhere.to_string().contains("no host is listed for it"), "{nowhere}");
    let somewhere = builder().tool(tool().hosts(["example.com"])).build().unwrap();
    let reply = somewhere.call(&CallContext::human(), ToolCall::new("level.both", "")).await;
    assert_eq!((reply.code(), probe.entered(), store.records().len()), (Code::Ok, 1, 1));
    let cx = CallContext::human();
    assert!(somewhere.catalog(&cx.clone().ceiling(Risk::Network)).is_empty(), "the highest counts");
    assert!(!somewhere.catalog(&cx.ceiling(Risk::Destructive)).is_empty());
    assert!(somewhere.read_only().catalog(&CallContext::human()).is_empty());
}
