//! Hooks of the host: guards, which may refuse a call, and observers, which hear of it.

mod call;
mod flags;
mod guard;
mod named;
mod observer;
mod rewrite;

use std::future::Future;
use std::pin::Pin;

pub use call::HookCall;
pub use flags::FlagSource;
pub use guard::{Guard, Ruling, guard, guard_async};
pub use named::{Named, Waiting};
pub use observer::{Observer, observer, observer_async};
pub use rewrite::{Change, Rewrite, rewrite, rewrite_async};

/// A boxed future, as hooks return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long a rewrite hook, a guard or an observer may take.
pub const HOOK_TIME: std::time::Duration = std::time::Duration::from_secs(5);

/// The error of a hook; its text is for the operator.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;
