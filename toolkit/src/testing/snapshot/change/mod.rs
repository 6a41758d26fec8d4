//! What a changed contract means for those who call it.

mod same;
mod schemas;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

use schemas::Sides;

/// Whether a changed tool still serves whoever called it as it was: prompts, plans, recorded calls,
/// rules and grants.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Every call that was right is right, and does no more than it did.
    Compatible,
    /// Some call that was right isn't any more, may do more than it did, or gives something else; each
    /// reason with its place.
    Breaking(Vec<String>),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compatible => f.write_str("compatible"),
            Self::Breaking(reasons) => write!(f, "breaking: {}", reasons.join("; ")),
        }
    }
}

impl Change {
    /// What stands between two texts of one tool.
    pub(super) fn between(was: &str, now: &str) -> Self {
        let Ok(was) = serde_json::from_str::<Value>(was) else {
            return Self::Breaking(vec!["the snapshot is no JSON".to_owned()]);
        };
        // Our own text is JSON.
        let now: Value = serde_json::from_str(now).unwrap_or_default();
        let mut reasons = Vec::new();
        for risk in added(&was["risk"], &now["risk"]) {
            reasons.push(format!("its risk has `{risk}` as well"));
        }
        if was["flag"] != now["flag"] && !now["flag"].is_null() {
            reasons.push(format!("it needs the flag {}", now["flag"]));
        }
        let scoped = !list(&now["scopes"]).is_empty();
        if scoped && list(&was["scopes"]).is_empty() {
            reasons.push("it belongs to scopes".to_owned());
        }
        for scope in added(&now["scopes"], &was["scopes"]).iter().filter(|_| scoped) {
            reasons.push(format!("it has left the scope `{scope}`"));
        }
        for host in added(&now["hosts"], &was["hosts"]) {
            reasons.push(format!("it no longer reaches `{host}`"));
        }
        reasons.extend(Sides::given(&was["parameters"], &now["parameters"]));
        match (&was["output"], &now["output"]) {
            (Value::Null, _) => {}
            (_, Value::Null) => reasons.push("its result has no schema any more".to_owned()),
            (was, now) => reasons.extend(Sides::got(was, now)),
        }
        if reasons.is_empty() { Self::Compatible } else { Self::Breaking(reasons) }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of the second list that the first hasn't.
fn added<'v>(first: &Value, second: &'v Value) -> Vec<&'v str> {
    let new = list(second).iter().filter(|value| !list(first).contains(value));
    new.filter_map(Value::as_str).collect()
}
