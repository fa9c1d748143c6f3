//! Child processes in groups of their own that end whatever happens.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::error::StartError;

/// A program to run.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Environment variables on top of ours.
    pub env: BTreeMap<String, String>,
    /// Working folder.
    pub cwd: Option<PathBuf>,
}

/// Every group that is alive, so that an interrupt or a panic can end them.
static ALIVE: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Ends every process group of ours at once. For interrupts and panics.
pub fn kill_all() {
    let groups = std::mem::take(&mut *ALIVE.lock().unwrap_or_else(PoisonError::into_inner));
    for group in groups {
        kill_group(group, Signal::KILL);
    }
}

/// From now on a panic, in whatever thread, ends every process group of ours first.
pub fn kill_all_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        kill_all();
        before(info);
    }));
}

fn kill_group(group: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(group) {
        // The group may be gone already, which is what we want.
        let _ = kill_process_group(pid, signal);
    }
}

/// A running child and all its descendants that stay in its group.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: i32,
    stderr: Tail,
    reading_stderr: Option<JoinHandle<()>>,
}

/// The two pipes of a child.
#[derive(Debug)]
pub struct Pipes {
    /// What it reads.
    pub stdin: ChildStdin,
    /// What it writes.
    pub stdout: ChildStdout,
}

impl Running {
    /// Starts the program in a process group of its own.
    pub fn start(program: &Program) -> Result<(Self, Pipes), StartError> {
        let (name, arguments) = program.argv.split_first().ok_or_else(|| StartError::Spawn {
            program: String::new(),
            reason: "the command is empty".to_owned(),
        })?;
        let failed = |reason: String| StartError::Spawn { program: name.clone(), reason };
        let mut command = Command::new(name);
        command.args(arguments).envs(&program.env).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &program.cwd {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .ok_or_else(|| failed("it has no process id".to_owned()))?;
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).push(group);
        let stderr = Tail::default();
        let reading_stderr =
            child.stderr.take().map(|pipe| tokio::spawn(stderr.clone().follow(pipe)));
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) =
            pipes.ok_or_else(|| failed("its pipes could not be opened".to_owned()))?;
        Ok((Self { child, group, stderr, reading_stderr }, Pipes { stdin, stdout }))
    }

    /// The last lines of its stderr; of a process that has ended, all it said at the end.
    pub async fn stderr(&mut self) -> Vec<String> {
        // What a dying server says last is often still in the pipe.
        if self.ended(Duration::from_millis(50)).await.is_some()
            && let Some(reading) = &mut self.reading_stderr
        {
            // A grandchild may hold the pipe open: no longer than this.
            if tokio::time::timeout(Duration::from_millis(300), reading).await.is_ok() {
                self.reading_stderr = None;
            }
        }
        self.stderr.lines()
    }

    /// The exit status, if it has ended or does so within `patience`.
    pub async fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        tokio::time::timeout(patience, self.child.wait()).await.ok()?.ok()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// Ends the child and everything in its group: politely, then firmly.
    pub async fn end(mut self, patience: Duration) {
        if self.ended(patience).await.is_none() {
            kill_group(self.group, Signal::TERM);
            self.ended(patience).await;
        }
        // Dropping kills what is left of the group, grandchildren included.
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        kill_group(self.group, Signal::KILL);
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).retain(|group| *group != self.group);
    }
}

/// The last lines of a stream, bounded.
#[derive(Debug, Clone, Default)]
pub struct Tail(Arc<Mutex<VecDeque<String>>>);

const TAIL_LINES: usize = 40;
const TAIL_LINE_BYTES: u64 = 4096;

impl Tail {
    /// Reads the stream to its end and keeps the last lines.
    async fn follow(self, stream: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            // Over-long lines come in pieces; the child must never block on a full pipe.
            match (&mut reader).take(TAIL_LINE_BYTES).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => self.push(String::from_utf8_lossy(&line).trim_end().to_owned()),
            }
        }
    }

    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == TAIL_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
