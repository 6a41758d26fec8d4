//! The clock: a model doesn't know what day it is.

use jiff::Timestamp;
use toolkit::prelude::*;

use crate::desk::clock::Moment;

/// Where the time comes from.
#[derive(Clone, Debug)]
pub struct Clock(fn() -> Timestamp);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self(Timestamp::now)
    }

    /// A clock that says what the function says, for tests.
    pub fn set(now: fn() -> Timestamp) -> Self {
        Self(now)
    }
}

#[toolset(domain = "clock", ceiling = "read")]
impl Clock {
    /// Tell the current date, time and weekday in UTC.
    ///
    /// Use it whenever an answer depends on today or on how long ago something was; don't guess. Not for
    /// when a file was changed: `fs.list` says that.
    #[tool(risk = "read")]
    async fn now(&self) -> Moment {
        Moment::of((self.0)())
    }
}
