//! A few tools for a start: pure and deterministic, so that they may be given to any model, and each
//! described as tools should be.
//!
//! They are toolsets, so nobody's catalog has them until they are loaded:
//!
//! ```
//! use toolkit::prelude::*;
//! use toolkit::starter::{Calc, Dates, Json, Text};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let builder = Toolkit::builder().only([]);
//! let toolkit = builder.toolset(Calc).toolset(Dates).toolset(Json).toolset(Text).build().unwrap();
//! let cx = CallContext::model();
//! let call = ToolCall::new("calc.eval", r#"{"expression": "0.1 + 0.2"}"#);
//! assert_eq!(toolkit.call(&cx, call).await.text(), "0.3");
//! let call = ToolCall::new("dates.add", r#"{"date": "2026-01-31", "span": "1 month"}"#);
//! assert_eq!(toolkit.call(&cx, call).await.text(), "2026-02-28 (Saturday)");
//! # }
//! ```
//!
//! None of them reads a clock, a file or the network, and each is bounded in what it takes, in the time
//! that it takes and in what it gives. What they can't do they say as an error that a model can act on.

mod calc;
mod dates;
mod json;
mod text;

pub use calc::Calc;
pub use dates::Dates;
pub use json::Json;
pub use text::Text;
