//! A process with all that it starts, killed as one: a process group on Unix, a job on Windows.

use std::io;
use std::process::ExitStatus;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// The group of a process that was started; dropped, it is killed.
pub(super) struct Group {
    child: Child,
    killed: bool,
}

/// The three pipes of a process.
type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

impl Group {
    /// Starts the process that leads it.
    pub(super) fn start(command: Command) -> io::Result<Self> {
        Ok(Self { child: Child::start(command)?, killed: false })
    }

    pub(super) fn pipes(&mut self) -> Pipes {
        self.child.pipes()
    }

    /// Waits for the end of the process that leads it, whatever becomes of the others.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Kills all of it.
    pub(super) fn kill(&mut self) {
        if !std::mem::replace(&mut self.killed, true) {
            self.child.kill();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
struct Child {
    leader: tokio::process::Child,
    /// The leader's, and by that the group's.
    id: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Child {
    fn start(mut command: Command) -> io::Result<Self> {
        // Dropped, it is reaped by the runtime.
        let leader = command.process_group(0).kill_on_drop(true).spawn()?;
        let id = leader.id().and_then(|id| i32::try_from(id).ok());
        Ok(Self { id: id.and_then(rustix::process::Pid::from_raw), leader })
    }

    fn pipes(&mut self) -> Pipes {
        (self.leader.stdin.take(), self.leader.stdout.take(), self.leader.stderr.take())
    }

    async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.leader.wait().await
    }

    fn kill(&mut self) {
        // The id is the group's for as long as anybody is in it; one that has just become free isn't
        // given away before all the others have been.
        if let Some(id) = self.id {
            // None of it being left is no failure.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(windows)]
struct Child(Box<dyn process_wrap::tokio::ChildWrapper>);

#[cfg(windows)]
impl Child {
    fn start(command: Command) -> io::Result<Self> {
        use process_wrap::tokio::{CommandWrap, JobObject, KillOnDrop};

        let mut command = CommandWrap::from(command);
        command.wrap(KillOnDrop).wrap(JobObject).spawn().map(Self)
    }

    fn pipes(&mut self) -> Pipes {
        (self.0.stdin().take(), self.0.stdout().take(), self.0.stderr().take())
    }

    async fn wait(&mut self) -> io::Result<ExitStatus> {
        // The job's own wait is for all of it.
        self.0.inner_mut().wait().await
    }

    fn kill(&mut self) {
        // None of it being left is no failure.
        let _ = self.0.start_kill();
    }
}
