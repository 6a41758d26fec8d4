//! What became of a call, as one word, and whether its body had its effect.

use std::fmt;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The body ran and succeeded.
    Ok,
    /// The body ran and returned an error.
    Failed,
    /// The body took longer than its limit and was stopped; one on a thread may still run.
    TimedOut,
    /// The body was stopped since the call was cancelled; one on a thread may still run.
    Cancelled,
    /// No visible tool has this name.
    UnknownTool,
    /// The arguments are no JSON object.
    MalformedArguments,
    /// The arguments don't fit the schema.
    InvalidArguments,
    /// The response that held the call was cut.
    IncompleteCall,
    /// The tool's feature flag is off; told to people and plans.
    FlagOff,
    /// The tool doesn't belong to this scope; told to people and plans.
    OutOfScope,
    /// The tool's risk is above the ceiling; told to people and plans.
    AboveCeiling,
    /// A rule or guard refused.
    Denied,
    /// A draft was made, and waits for a person to confirm it.
    NeedsConfirmation,
    /// A person said no.
    Rejected,
    /// Nobody answered in time.
    Expired,
    /// A person took the draft back.
    Withdrawn,
    /// A person must agree, and there is nobody to ask.
    NoApprover,
    /// Too much was running, or the toolkit is shut down.
    Busy,
    /// As much has run as may for now; waiting helps.
    RateLimited,
    /// The same call has failed too often, or all calls of the session are used up; repeating it doesn't
    /// help.
    LoopStopped,
    /// Another call of the same turn had the same id.
    CallIdReused,
    /// The call was cancelled before its body began.
    CancelledBeforeStart,
    /// It was cut off in the midst of its effect: whether that took place can't be known. Where a call
    /// of a numbered turn is made again, nothing has run again.
    OutcomeUnknown,
    /// The tool or the engine is at fault: a panic, a bad result, a missing context value.
    Defect,
}

/// Whether the body had its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Executed {
    /// The body was entered; of a tool that sends, the one that delivers its draft.
    Yes,
    /// The body was never entered; of a tool that sends, nothing was delivered.
    No,
    /// It can't be known.
    Unknown,
}

impl Executed {
    /// The word in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

impl Code {
    /// Every code.
    pub const ALL: &[Self] = &[
        Self::Ok,
        Self::Failed,
        Self::TimedOut,
        Self::Cancelled,
        Self::UnknownTool,
        Self::MalformedArguments,
        Self::InvalidArguments,
        Self::IncompleteCall,
        Self::FlagOff,
        Self::OutOfScope,
        Self::AboveCeiling,
        Self::Denied,
        Self::NeedsConfirmation,
        Self::Rejected,
        Self::Expired,
        Self::Withdrawn,
        Self::NoApprover,
        Self::Busy,
        Self::RateLimited,
        Self::LoopStopped,
        Self::CallIdReused,
        Self::CancelledBeforeStart,
        Self::OutcomeUnknown,
        Self::Defect,
    ];

    /// The word on the wire and in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::UnknownTool => "unknown_tool",
            Self::MalformedArguments => "malformed_arguments",
            Self::InvalidArguments => "invalid_arguments",
            Self::IncompleteCall => "incomplete_call",
            Self::FlagOff => "flag_off",
            Self::OutOfScope => "out_of_scope",
            Self::AboveCeiling => "above_ceiling",
            Self::Denied => "denied",
            Self::NeedsConfirmation => "needs_confirmation",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
            Self::NoApprover => "no_approver",
            Self::Busy => "busy",
            Self::RateLimited => "rate_limited",
            Self::LoopStopped => "loop_stopped",
            Self::CallIdReused => "call_id_reused",
            Self::CancelledBeforeStart => "cancelled_before_start",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Defect => "defect",
        }
    }

    /// Whether a wire format that marks errors marks this one. What a person decides, or has yet to
    /// decide, isn't an error: a model that is told "error" tries again.
    pub const fn is_error(self) -> bool {
        !matches!(self, Self::Ok | Self::Rejected | Self::NeedsConfirmation | Self::Withdrawn)
    }

    /// Whether the same call may succeed later, unchanged.
    pub const fn retryable(self) -> bool {
        matches!(
            self,
            Self::Busy | Self::RateLimited | Self::TimedOut | Self::Expired | Self::IncompleteCall
        )
    }

    /// Whether a guard against loops counts the reply among those that came to nothing.
    pub const fn counts_as_failure(self) -> bool {
        !matches!(
            self,
            Self::Ok
                | Self::NeedsConfirmation
                | Self::Busy
                | Self::RateLimited
                | Self::Cancelled
                | Self::CancelledBeforeStart
                | Self::Expired
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
