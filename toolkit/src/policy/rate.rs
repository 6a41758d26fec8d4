//! How many calls may run in a time, as a host states it.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::Quota;

/// How many calls may run in a time: at once as many as the burst, and on the average no more than the
/// rate says.
///
/// ```
/// use toolkit::Rate;
///
/// // Sixty at once, then one a second.
/// let rate = Rate::per_minute(60);
/// // Two at once, then one every six seconds.
/// let slow = Rate::per_minute(10).burst(2);
/// assert_eq!(slow.to_string(), "10 a minute, 2 at once");
/// # let _ = rate;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    calls: u32,
    per: Per,
    burst: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Per {
    Second,
    Minute,
    Hour,
}

/// The longest time in which a burst comes back.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

impl Rate {
    /// So many calls a second, at least 1.
    pub const fn per_second(calls: u32) -> Self {
        Self { calls, per: Per::Second, burst: None }
    }

    /// So many calls a minute, at least 1.
    pub const fn per_minute(calls: u32) -> Self {
        Self { calls, per: Per::Minute, burst: None }
    }

    /// So many calls an hour, at least 1.
    pub const fn per_hour(calls: u32) -> Self {
        Self { calls, per: Per::Hour, burst: None }
    }

    /// Sets how many calls may run at once after a pause, at least 1; as many as the rate has calls
    /// unless set. Each comes back alone: of 60 a minute one a second. All must be back within a year.
    #[must_use]
    pub const fn burst(self, calls: u32) -> Self {
        Self { burst: Some(calls), ..self }
    }

    /// What is counted by; what is wrong with the rate where it can't be.
    pub(crate) fn quota(self) -> Result<Quota, &'static str> {
        let calls = NonZeroU32::new(self.calls).ok_or("it must allow at least one call")?;
        let burst = self.burst.unwrap_or(self.calls);
        let burst = NonZeroU32::new(burst).ok_or("its burst must be at least 1")?;
        let quota = match self.per {
            Per::Second => Quota::per_second(calls),
            Per::Minute => Quota::per_minute(calls),
            Per::Hour => Quota::per_hour(calls),
        };
        match quota.replenish_interval().checked_mul(burst.get()) {
            Some(time) if time <= LONGEST => Ok(quota.allow_burst(burst)),
            _ => Err("its burst must come back within a year"),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = match self.per {
            Per::Second => "a second",
            Per::Minute => "a minute",
            Per::Hour => "an hour",
        };
        write!(f, "{} {per}", self.calls)?;
        match self.burst {
            Some(burst) => write!(f, ", {burst} at once"),
            None => Ok(()),
        }
    }
}
