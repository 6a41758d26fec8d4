//! Hooks of the host: guards, which may refuse a call, and observers, which hear of it.

mod call;
mod flags;
mod guard;
mod observer;

use std::future::Future;
use std::pin::Pin;

pub use call::HookCall;
pub use flags::FlagSource;
pub use guard::{Guard, NamedGuard, Ruling, guard};
pub use observer::Observer;

/// A boxed future, as hooks return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long a guard or an observer may take.
pub const HOOK_TIME: std::time::Duration = std::time::Duration::from_secs(5);

/// The error of a hook; its text is for the operator.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;
