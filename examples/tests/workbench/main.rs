//! The workbench as a model and a person meet it: calls through the whole toolkit, over a real directory.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what helps a test fails it")]

mod described;
mod edits;
mod hostile;
#[path = "../../../tests/policy/paths/kinds.rs"]
mod kinds;
mod odd;
#[path = "../desk/place.rs"]
mod place;
mod program;
#[cfg(target_os = "linux")]
mod programs;
mod reads;
mod searches;
mod swapped;
#[path = "../../../tests/policy/paths/tree.rs"]
mod tree;
mod web;

use std::fs;
use std::path::{Path, PathBuf};

use examples::workbench::host::Bench;
use serde_json::Value;
use toolkit::prelude::*;
use toolkit::testing::Recorder;

/// A directory of a test's own, the toolkit over it, and somebody who says yes.
struct Desk {
    top: PathBuf,
    toolkit: Toolkit,
    asked: Recorder,
}

impl Desk {
    /// An empty one.
    fn new(test: &str) -> Self {
        Self::over(&place::place("workbench", test))
    }

    fn over(top: &Path) -> Self {
        let asked = Recorder::approving();
        let bench = Bench::open(top, Vec::new()).unwrap();
        let toolkit = bench.builder().unwrap().approver(asked.clone()).build().unwrap();
        Self { top: top.to_owned(), toolkit, asked }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    /// Makes a file with the directories that it is in.
    fn file(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// What a file holds.
    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// Calls as a person does.
    async fn reply(&self, tool: &str, arguments: Value) -> ToolReply {
        let call = ToolCall::new(tool, arguments.to_string());
        self.toolkit.call(&CallContext::human(), call).await
    }

    /// The text of a call that works.
    #[track_caller]
    fn ok(&self, tool: &str, arguments: Value) -> impl Future<Output = String> {
        let (tool, at) = (tool.to_owned(), std::panic::Location::caller());
        async move {
            let reply = self.reply(&tool, arguments).await;
            assert_eq!(reply.code(), Code::Ok, "{at}: {}", reply.text());
            reply.into_text()
        }
    }

    /// The text of a call that fails in an expected way.
    #[track_caller]
    fn failed(&self, tool: &str, arguments: Value) -> impl Future<Output = String> {
        let (tool, at) = (tool.to_owned(), std::panic::Location::caller());
        async move {
            let reply = self.reply(&tool, arguments).await;
            assert_eq!(reply.code(), Code::Failed, "{at}: {}", reply.text());
            reply.into_text()
        }
    }
}
