//! Child processes for tools: started without a shell, in a group of their own that dies with the call,
//! with their output kept within bounds.
//!
//! ```
//! use toolkit::prelude::*;
//! use toolkit::process::{Command, Exit};
//!
//! /// Run a program in the project and return what it prints. Only where no other tool does the job.
//! #[tool(name = "proc.run", risk = "destructive", timeout = "2m")]
//! async fn run(
//!     /// The program and its arguments, e.g. `["cargo", "test"]`; no shell reads them.
//!     #[arg(length = 1..)]
//!     argv: Vec<String>,
//!     #[context] cx: &CallContext,
//! ) -> Result<Exit, ToolError> {
//!     let Some((program, args)) = argv.split_first() else {
//!         return Err(ToolError::expected("name a program"));
//!     };
//!     let exit = Command::new(program).args(args).run(cx).await;
//!     exit.map_err(|error| ToolError::expected(error.to_string()))
//! }
//! ```
//!
//! On Unix the group is a process group, on Windows a job. What leaves its group (by `setsid`, say) is
//! out of reach, and so is what a program that runs as somebody else starts. A tool kills its group; a
//! host that is itself killed by force can't, except on Windows.

mod capture;
mod group;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::future::{Future, poll_fn};
use std::io;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::process::{ExitStatus, Stdio};
use std::task::{Context, Poll};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use tokio::io::AsyncWrite;
use tokio::process::ChildStdin;

pub use capture::Captured;

use crate::context::CallContext;
use capture::Capture;
use group::Group;

/// The variables of our own process that a child sees unless it is told otherwise. No other does:
/// an environment holds keys and tokens, which what a model has started has no business with.
pub const INHERITED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    // What programs on Windows don't start without.
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
];

/// How many bytes are kept of each stream unless set.
pub const DEFAULT_OUTPUT_LIMIT: usize = 8 * 1024;

/// How long the pipes of a process that has ended are still read: only what has left its group can hold
/// them open.
const REST: Duration = Duration::from_millis(250);

/// A program to be started. Its arguments go to it as they are: no shell reads them.
///
/// ```
/// # #[cfg(unix)] {
/// use toolkit::CallContext;
/// use toolkit::process::Command;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let cx = CallContext::model(); // in a tool: `#[context] cx: &CallContext`
/// let exit = Command::new("printf").args(["%s", "$HOME; ls"]).run(&cx).await.unwrap();
/// assert_eq!((exit.code, exit.stdout.text()), (Some(0), "$HOME; ls"));
/// # } main() }
/// ```
#[derive(Clone, Debug)]
#[must_use = "it isn't started before `run`"]
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    dir: Option<PathBuf>,
    stdin: Option<Vec<u8>>,
    limit: usize,
}

impl Command {
    /// The program of this name or path, looked for in `PATH` where it is a bare name. It starts in our
    /// own working directory, reads nothing, and sees [`INHERITED`] of the environment.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            dir: None,
            stdin: None,
            limit: DEFAULT_OUTPUT_LIMIT,
        };
        for name in INHERITED {
            command = command.inherit(name);
        }
        command
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable of its environment; the last of one name counts.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Lets it see a variable of our own environment, where it is set.
    pub fn inherit(self, name: impl AsRef<OsStr>) -> Self {
        match std::env::var_os(name.as_ref()) {
            Some(value) => self.env(name, value),
            None => self,
        }
    }

    /// Starts with an empty environment, but for what is set from here on.
    pub fn env_clear(mut self) -> Self {
        self.env.clear();
        self
    }

    /// Sets where it starts.
    pub fn current_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Sets what it reads; nothing unless set.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// Sets how many bytes are kept of each stream: half of them from its start and half from its end.
    /// The rest is read as well, so that the process goes on, and only counted.
    /// [`DEFAULT_OUTPUT_LIMIT`] unless set, so that both fit into what a model is shown.
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Starts it and waits for its end. Whatever it started and left behind in its group is killed then.
    ///
    /// Its exit is no error, whatever its code: a model reads that with what it printed.
    ///
    /// # Errors
    /// - [`ProcessError::Start`]: there is no such program or directory, or it may not be run; the
    ///   caller mends it.
    /// - [`ProcessError::Stopped`]: the call is cancelled or its time is up; the group is killed.
    /// - [`ProcessError::Lost`]: the system can't say how it ended; the operator looks into it.
    ///
    /// # Cancellation
    /// Dropping the future kills the group.
    ///
    /// # Panics
    /// Outside of a Tokio runtime with its I/O and its timer on, as `#[tokio::main]` has them. In a tool
    /// that is a `defect`.
    pub async fn run(self, cx: &CallContext) -> Result<Exit, ProcessError> {
        if cx.is_cancelled() {
            return Err(ProcessError::Stopped);
        }
        let limit = self.limit;
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .envs(self.env)
            .stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        let mut group = Group::start(command).map_err(|source| ProcessError::Start {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })?;
        let (stdin, stdout, stderr) = group.pipes();
        let mut feed = Feed { pipe: stdin, text: self.stdin.unwrap_or_default(), fed: 0 };
        let mut stdout = Capture::new(stdout, limit);
        let mut stderr = Capture::new(stderr, limit);
        let mut cancelled = pin!(cx.cancelled());
        let mut over = false;
        let ended = {
            let mut end = pin!(group.wait());
            poll_fn(|task| {
                // All at once: a process may wait for each of them.
                feed.poll(task);
                let _ = stdout.poll(task);
                let _ = stderr.poll(task);
                if let Poll::Ready(status) = end.as_mut().poll(task) {
                    return Poll::Ready(status.map_err(ProcessError::Lost));
                }
                if over {
                    return Poll::Ready(Err(ProcessError::Stopped));
                }
                if cancelled.as_mut().poll(task).is_ready() {
                    // One poll later: then the engine has seen it as well, and the call is one that was
                    // cancelled, not one that failed.
                    over = true;
                    task.waker().wake_by_ref();
                }
                Poll::Pending
            })
            .await
        };
        group.kill();
        let status = ended?;
        let rest = poll_fn(|task| match (stdout.poll(task), stderr.poll(task)) {
            (Poll::Ready(()), Poll::Ready(())) => Poll::Ready(()),
            _ => Poll::Pending,
        });
        // Too late is no failure: what was read by then is what there is.
        let _ = tokio::time::timeout(REST, rest).await;
        Ok(Exit {
            code: status.code(),
            signal: signal(status),
            stdout: stdout.into_captured(),
            stderr: stderr.into_captured(),
        })
    }
}

/// What a process reads.
struct Feed {
    pipe: Option<ChildStdin>,
    text: Vec<u8>,
    fed: usize,
}

impl Feed {
    fn poll(&mut self, task: &mut Context<'_>) {
        while let Some(pipe) = &mut self.pipe {
            let rest = self.text.get(self.fed..).unwrap_or_default();
            if !rest.is_empty() {
                match Pin::new(pipe).poll_write(task, rest) {
                    Poll::Pending => return,
                    Poll::Ready(Ok(written)) if written > 0 => {
                        self.fed += written;
                        continue;
                    }
                    // It may read as little as it likes.
                    Poll::Ready(_) => {}
                }
            }
            // Closed, so that it sees the end.
            self.pipe = None;
        }
    }
}

/// How a process ended, and what it printed. As JSON:
/// `{"code": integer | null, "signal"?: integer, "stdout": string, "stderr": string}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Exit {
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it, on Unix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What it printed.
    pub stdout: Captured,
    /// What it printed as errors.
    pub stderr: Captured,
}

impl Exit {
    /// Whether its exit code is 0.
    pub fn is_ok(&self) -> bool {
        self.code == Some(0)
    }
}

impl JsonSchema for Exit {
    fn schema_name() -> Cow<'static, str> {
        "Exit".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = generator.subschema_for::<Captured>();
        json_schema!({
            "type": "object",
            "properties": {
                "code": { "type": ["integer", "null"] },
                "signal": { "type": "integer" },
                "stdout": text,
                "stderr": text,
            },
            "required": ["code", "stdout", "stderr"],
        })
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Why there is no [`Exit`]. The texts hold the program's name and the system's word for what was wrong,
/// so a tool may show them to a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// It couldn't be started.
    #[error("`{program}` can't be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The call was cancelled or its time was up.
    #[error("the process was stopped with its call")]
    Stopped,
    /// The system can't say how it ended.
    #[error("how the process ended can't be learnt: {0}")]
    Lost(io::Error),
}
