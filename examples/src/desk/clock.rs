//! The clock: a model doesn't know what day it is.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use toolkit::prelude::*;

/// A moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moment {
    /// Date and time in UTC, e.g. `2026-03-02T09:30:00Z`.
    utc: String,
    /// Day of the week, e.g. `Monday`.
    weekday: String,
}

impl Moment {
    /// That of a timestamp.
    pub fn of(timestamp: Timestamp) -> Self {
        Self {
            utc: timestamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            weekday: timestamp.strftime("%A").to_string(),
        }
    }
}

/// Tell the current date, time and day of the week in UTC.
///
/// Use it whenever an answer depends on today or on how long ago something was; don't guess.
#[tool(name = "clock.now", risk = "read")]
pub fn now() -> Moment {
    Moment::of(Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_utc() {
        let moment = Moment::of("2026-03-02T11:30:09.5+02:00".parse().unwrap());
        assert_eq!(moment, Moment { utc: "2026-03-02T09:30:09Z".into(), weekday: "Monday".into() });
    }
}
