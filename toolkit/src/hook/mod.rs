//! Hooks: what a host puts into the path of every call, one kind a stage. None touches the core, and
//! none can loosen what another or the policy says.
//!
//! 1. A [`Rewrite`] hook may put other arguments in the place of those that came: after they have been
//!    validated, and before anything judges them.
//! 2. A [`Guard`] judges the final arguments; it may refuse a call, or have a person asked.
//! 3. An [`Around`] hook wraps the body; it may replace what comes of it.
//! 4. An [`Observer`] hears of what happened.
//!
//! Each is a small trait that closures implement.
//!
//! # When a hook is at fault
//!
//! A hook that must have its say and doesn't is a no, for as long as the body hasn't run. The code of
//! the reply, and whether the body ran:
//!
//! | hook | fails | panics | hangs | the call is cancelled meanwhile |
//! |---|---|---|---|---|
//! | rewrite | `denied`, no | `denied`, no | `denied`, no | `cancelled_before_start`, no |
//! | guard | `denied`, no | `denied`, no | `denied`, no | `cancelled_before_start`, no |
//! | around, before the body | `denied`, no | `denied`, no | `denied`, no | `cancelled_before_start`, no |
//! | around, after the body | `defect`, yes | `defect`, yes | `timed_out`, yes | `cancelled`, yes |
//! | observer | `ok`, yes | `ok`, yes | `ok`, yes | `ok`, yes |
//!
//! Each fault of the first three kinds is told as an [`Event::HookFailed`](crate::Event::HookFailed),
//! and is the cause in the call's record unless the hook is an observer; the caller hears no more than
//! that a hook failed. A rewrite hook that leaves arguments that don't fit has failed. An around hook
//! that doesn't run the body hasn't: the call is `denied`, with the reason that the hook gives, if any.
//!
//! A hook hangs when it takes over 5 s; an around hook when it outlasts the tool's deadline, or, where
//! the tool has none or is waited for (`blocking = "wait"`), takes over 5 s before the body or after it.
//!
//! # Examples
//!
//! A time on every result that is in memory; one of more than 1 MiB lies in a file, and stays as it is:
//!
//! ```
//! use std::time::SystemTime;
//! use toolkit::around;
//!
//! let stamp = around("stamp", |_call, next| {
//!     Box::pin(async move {
//!         let output = next.run().await?;
//!         let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
//!         let Some(text) = output.text() else { return Ok(output) };
//!         let text = format!("[{at}] {text}");
//!         Ok(output.with_text(text))
//!     })
//! });
//! # let _ = toolkit::Toolkit::builder().around(stamp);
//! ```
//!
//! No more than 1,000 characters of any result, whatever the toolkit's own budget; the value stays
//! whole:
//!
//! ```
//! use toolkit::around;
//!
//! let short = around("short", |_call, next| {
//!     Box::pin(async move {
//!         let output = next.run().await?;
//!         let Some(text) = output.text() else { return Ok(output.with_text("[too long]")) };
//!         let Some((end, _)) = text.char_indices().nth(1_000) else { return Ok(output) };
//!         let text = format!("{} [cut]", &text[..end]);
//!         Ok(output.with_text(text))
//!     })
//! });
//! # let _ = toolkit::Toolkit::builder().around(short);
//! ```
//!
//! An audit of what every tool gave, before the model reads it:
//!
//! ```
//! use toolkit::around;
//!
//! let audit = around("audit", |call, next| {
//!     Box::pin(async move {
//!         let given = next.run().await;
//!         match &given {
//!             Ok(output) => println!("{}: {:?}", call.tool().name(), output.text()),
//!             Err(failed) => println!("{} failed: {failed}", call.tool().name()),
//!         }
//!         given
//!     })
//! });
//! # let _ = toolkit::Toolkit::builder().around(audit);
//! ```
//!
//! A policy that blocks dangerous command lines:
//!
//! ```
//! use toolkit::{Ruling, guard};
//!
//! let careful = guard("careful", |call| {
//!     let arguments = call.value()?;
//!     let command = arguments["command"].as_str().unwrap_or_default();
//!     let dangerous = ["rm", "dd", "mkfs", "shutdown"];
//!     let words = || command.split(|c: char| !c.is_alphanumeric());
//!     Ok(match words().find(|word| dangerous.contains(word)) {
//!         Some(word) => Ruling::Deny(format!("`{word}` is not run here").into()),
//!         None => Ruling::Pass,
//!     })
//! });
//! # let _ = toolkit::Toolkit::builder().guard(careful);
//! ```

mod around;
mod call;
mod flags;
mod guard;
mod named;
mod observer;
mod rewrite;

use std::future::Future;
use std::pin::Pin;

pub use around::{Around, Failed, Next, around};
pub(crate) use around::{Course, Kept, outcome};
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
