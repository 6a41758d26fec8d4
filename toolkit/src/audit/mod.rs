//! The audit: every event as a line of a file, with nothing forgotten and nothing torn.
//!
//! [`Jsonl`] is an [`Observer`](crate::Observer). Each call ends in exactly one line, written before
//! its reply leaves, whatever became of it: refused, failed, panicked, or dropped with its future.
//!
//! ```
//! use toolkit::audit::{self, Jsonl};
//! use toolkit::prelude::*;
//!
//! /// Delete a ticket for good.
//! #[tool(name = "ticket.delete", risk = "destructive")]
//! async fn delete(
//!     /// Number of the ticket, e.g. `1042`.
//!     ticket: u32,
//! ) {}
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = std::env::temp_dir().join(format!("toolkit-audit-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! let path = dir.join("audit.jsonl");
//! let toolkit =
//!     Toolkit::builder().only([id(delete)]).observer(Jsonl::open(&path)?).build()?;
//! let cx = CallContext::model().principal("ada");
//! toolkit.call(&cx, ToolCall::new("ticket.delete", r#"{"ticket": 1042}"#)).await;
//!
//! let records: Vec<_> = audit::read(&path)?.collect::<Result<_, _>>()?;
//! assert_eq!(records.len(), 1);
//! assert_eq!(records[0]["kind"], "call_finished");
//! assert_eq!(records[0]["code"], "no_approver");
//! assert_eq!(records[0]["principal"], "ada");
//! assert_eq!(records[0]["arguments"]["ticket"], 1042);
//! # drop(toolkit);
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok(()) }
//! ```
//!
//! # Records
//!
//! A line is the JSON of its [`Event`](crate::Event#impl-Serialize-for-Event), and has `at`, the time
//! in UTC, whatever its kind: of a call when it arrived, of anything else when it was told. Secrets are
//! redacted in all of them; how much of a call is told, the policy says by
//! [`Detail`](crate::Detail), origin and risk. How far a body has come is no record. Two kinds are the
//! audit's own:
//!
//! ```json
//! {"kind": "recovered", "at": "…", "bytes": 57, "torn": "{\"kind\":\"call_finished\",\"at\":…"}
//! {"kind": "lost", "at": "…", "records": 3}
//! ```
//!
//! `recovered`: the last line was torn by a crash, and was cut off; `torn` is what was left of it, at
//! most 4 KiB. `lost`: so many records couldn't be written before this one, since the disk was full or
//! too slow; each was told when it failed.
//!
//! ```sh
//! # What did models delete, and for whom?
//! jq -c 'select(.origin == "model" and .executed != "no" and any(.risk[]?; . == "destructive"))
//!     | [.at, .principal, .tool, .arguments]' audit.jsonl
//! # Why was it refused?
//! jq -c 'select(.code == "denied") | [.tool, (.decision.findings[]? | select(.verdict == "deny"))]' audit.jsonl
//! # All of it, oldest first, rotated files included.
//! cat audit.*.jsonl audit.jsonl | jq -r .code | sort | uniq -c
//! ```
//!
//! # Files
//!
//! A file that would grow over its limit is renamed to `audit.0000001.jsonl`, the next to
//! `audit.0000002.jsonl`, and so on; `audit.jsonl` is always the newest. A record is never split: one
//! that is larger than the limit has a file to itself. All are kept unless
//! [`Builder::keep`] says otherwise. Moving or deleting the file while it is written is met by a new
//! one. New files can be read by their owner alone; a rotation keeps the permissions.
//!
//! A file belongs to one [`Jsonl`] at a time, whose clones may serve any number of toolkits; a lock on
//! `audit.jsonl.lock` holds other processes off where the file system has locks. What several
//! processes must share belongs in a database.
//!
//! Those locks need Rust 1.89, while the rest of the crate is content with less.

mod file;
mod jsonl;
mod names;
mod read;
#[cfg(test)]
mod tests;
mod writer;

pub use jsonl::{AuditError, Builder, Fsync, Jsonl};
pub use read::{ReadError, Records, read};
