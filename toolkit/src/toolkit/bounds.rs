//! What a host says of how much may run: the guard against loops, budgets, and rates.

use super::Builder;
#[cfg(feature = "rates")]
use crate::pipeline::RateOf;
#[cfg(feature = "rates")]
use crate::policy::Rate;
use crate::registry::BuildProblem;

impl Builder {
    /// Sets how often a model is advised against the same failing call before it is stopped with
    /// [`Code::LoopStopped`](crate::Code::LoopStopped); 3 unless set, at least 1.
    ///
    /// The same call is one of the same tool with equal arguments, in the same session (without one, in
    /// the same context and its clones) and for the same principal. From the second failure on the reply
    /// ends with a line that says what to do instead, and after so many of those the call isn't run any
    /// more. What counts as a failure, each [code](crate::Code::counts_as_failure) says: a refusal and a
    /// person's no as well. A success of the tool, or a call of it with other arguments, begins anew;
    /// those of one turn stand side by side, and calls under way together all run. After ten minutes
    /// without a failure it is forgotten.
    ///
    /// Only a model's calls are counted or stopped: people and plans repeat what they mean to, and for the
    /// calls of a body the call around them answers. A tool whose use is to be called again and again says
    /// so, with the key `polling`.
    ///
    /// ```
    /// # use toolkit::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let builder = Toolkit::builder().only([]).allow_empty();
    /// let toolkit = builder.loop_guard(1).build().unwrap();
    /// let cx = CallContext::model().session("s-42");
    /// let mut codes = Vec::new();
    /// for _ in 0..3 {
    ///     codes.push(toolkit.call(&cx, ToolCall::new("kb.serach", "{}")).await.code());
    /// }
    /// // The second reply ends with the advice.
    /// assert_eq!(codes, [Code::UnknownTool, Code::UnknownTool, Code::LoopStopped]);
    /// # }
    /// ```
    pub fn loop_guard(mut self, advised: u32) -> Self {
        if advised == 0 {
            let allowed = "at least 1; `no_loop_guard` switches it off";
            self.problems.push(BuildProblem::BadLimit { what: "loop_guard", allowed });
        }
        self.loop_guard = Some(advised);
        self
    }

    /// Lets a model make the same failing call for ever.
    pub fn no_loop_guard(mut self) -> Self {
        self.loop_guard = None;
        self
    }

    /// Bounds how many calls a session may make in all, at least 1; no bound unless set. Then each is
    /// answered with [`Code::LoopStopped`](crate::Code::LoopStopped), and the text says to come to an end.
    ///
    /// Counted is each call that every rule lets through, before a person is asked; also those that a body
    /// makes, since one call could hold any number of them. Those of people aren't: they are neither
    /// counted nor refused. A session is known by its name, and counts for the open ones that it lies
    /// within as well; without a session, a context and its clones are one. What 65,536 sessions have
    /// called since is forgotten.
    pub fn calls_per_session(mut self, calls: u32) -> Self {
        self.at_least_one("calls_per_session", calls);
        self.metering.per_session = Some(calls);
        self
    }

    /// Bounds how many calls a turn may make, at least 1; no bound unless set. What is beyond is answered
    /// with [`Code::RateLimited`](crate::Code::RateLimited), and the next turn may make it.
    ///
    /// A turn is what [`CallContext::turn`](crate::CallContext::turn) numbers; without a number it is one
    /// [`Toolkit::turn`](crate::Toolkit::turn), or a single call with all that its body calls. What is
    /// counted, [`calls_per_session`](Self::calls_per_session) says.
    ///
    /// ```
    /// # use toolkit::Toolkit;
    /// # let builder = Toolkit::builder().only([]);
    /// let toolkit = builder.calls_per_session(200).calls_per_turn(20).build().unwrap();
    /// # drop(toolkit);
    /// ```
    pub fn calls_per_turn(mut self, calls: u32) -> Self {
        self.at_least_one("calls_per_turn", calls);
        self.metering.per_turn = Some(calls);
        self
    }

    fn at_least_one(&mut self, what: &'static str, calls: u32) {
        if calls == 0 {
            self.problems.push(BuildProblem::BadLimit { what, allowed: "at least 1" });
        }
    }

    /// Bounds how many calls of this tool may run in a time; a second rate holds beside the first. The
    /// tool must be there when the toolkit is built.
    ///
    /// A call takes of every rate that counts it, or of none where one is used up: the level's
    /// ([`Policy::rate`](crate::Policy::rate)), the tool's, the session's and the principal's. It takes once
    /// every rule has let it through, before a person is asked, and gets nothing back where that person says
    /// no. The reply has [`Code::RateLimited`](crate::Code::RateLimited) and says how long to wait, as does
    /// [`ToolReply::retry_after`](crate::ToolReply::retry_after). Rates hold for everyone, and for the calls
    /// of a body as for any.
    ///
    /// ```
    /// # use toolkit::prelude::*;
    /// # use toolkit::Rate;
    /// /// Say hello to the caller.
    /// #[tool]
    /// fn hello() -> &'static str {
    ///     "hello"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let builder = Toolkit::builder().only([id(hello)]);
    /// let toolkit = builder.rate("hello", Rate::per_minute(60).burst(1)).build().unwrap();
    /// let cx = CallContext::model();
    /// assert!(toolkit.call(&cx, ToolCall::new("hello", "")).await.is_ok());
    /// let reply = toolkit.call(&cx, ToolCall::new("hello", "")).await;
    /// assert_eq!(reply.code(), Code::RateLimited);
    /// assert!(reply.retry_after().unwrap().as_secs() <= 1);
    /// # }
    /// ```
    #[cfg(feature = "rates")]
    pub fn rate(self, tool: impl Into<String>, rate: Rate) -> Self {
        self.rate_of(RateOf::Tool(tool.into()), rate)
    }

    /// Bounds how many calls of each session may run in a time, those of sessions within it included. All
    /// calls without a session are one. As [`rate`](Self::rate).
    #[cfg(feature = "rates")]
    pub fn rate_per_session(self, rate: Rate) -> Self {
        self.rate_of(RateOf::Session, rate)
    }

    /// Bounds how many calls of each principal may run in a time. All calls on nobody's behalf are one. As
    /// [`rate`](Self::rate).
    #[cfg(feature = "rates")]
    pub fn rate_per_principal(self, rate: Rate) -> Self {
        self.rate_of(RateOf::Principal, rate)
    }

    #[cfg(feature = "rates")]
    fn rate_of(mut self, of: RateOf, rate: Rate) -> Self {
        self.metering.rates.push((of, rate));
        self
    }
}
