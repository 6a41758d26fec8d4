//! Programs: started in a directory of the root, without a shell, and gone with their call.

use std::path::PathBuf;

use toolkit::fs::Root;
use toolkit::prelude::*;
use toolkit::process::{Command, Exit};

/// Where programs are started.
///
/// The root decides where a program starts, and not what it does: that is why each of them needs a
/// person's yes.
#[derive(Debug)]
pub struct Programs(Root);

impl Programs {
    /// Programs that start in this root.
    pub fn under(root: Root) -> Self {
        Self(root)
    }
}

#[toolset(domain = "proc", ceiling = "destructive")]
impl Programs {
    /// Run a program in the project and return its exit code and what it prints.
    ///
    /// Use it to build, test and format. No shell reads the arguments, nothing can be typed into it, and
    /// its time is 10 minutes. Only where no other tool does the job: not for reading, searching or
    /// changing files, which the `fs` tools do.
    #[tool(risk = "destructive", timeout = "10m", render = text)]
    async fn run(
        &self,
        /// The program and its arguments, e.g. `["cargo", "test", "--workspace"]`.
        #[arg(length = 1..=256)]
        argv: Vec<String>,
        /// The directory that it starts in, from the top, e.g. `crates/core`; `.` is the top.
        #[arg(default = ".")]
        cwd: String,
        #[context] cx: &CallContext,
    ) -> Result<Exit, ToolError> {
        let Some((program, args)) = argv.split_first().filter(|(program, _)| !program.is_empty())
        else {
            return Err(ToolError::expected("`argv` names no program; its first text does that"));
        };
        if argv.iter().any(|text| text.contains('\0')) {
            return Err(ToolError::expected("`argv` has a NUL character; no program takes one"));
        }
        // Held open until the program has ended: what stands at its path meanwhile is all the same.
        let dir = self.0.sub(&cwd).await?;
        let exit = Command::new(program).args(args).current_dir(place(&dir)?).run(cx).await;
        exit.map_err(|error| ToolError::expected(error.to_string()))
    }
}

/// A path to a directory that is held open, which no link can be swapped in.
#[cfg(target_os = "linux")]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn place(dir: &Root) -> Result<PathBuf, ToolError> {
    use std::os::fd::AsRawFd;
    Ok(PathBuf::from(format!("/proc/self/fd/{}", dir.dir().as_raw_fd())))
}

/// Elsewhere no path leads to a directory that is held open.
#[cfg(not(target_os = "linux"))]
fn place(_: &Root) -> Result<PathBuf, ToolError> {
    Err(ToolError::expected("programs can't be run on this system; say so and go on without"))
}

fn text(exit: &Exit) -> String {
    let mut shown = match (exit.code, exit.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended without an exit code".to_owned(),
    };
    for (name, captured) in [("stdout", &exit.stdout), ("stderr", &exit.stderr)] {
        match captured.text() {
            "" => shown += &format!("\n{name}: nothing"),
            text => shown += &format!("\n{name}:\n{}", text.strip_suffix('\n').unwrap_or(text)),
        }
    }
    shown
}
