//! The stdio transport: one JSON message per line, read under a limit, tapped before anything else.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;

use crate::error::{CallError, StartError};
use crate::frame::excerpt;
use crate::inbox::Inbox;
use crate::process::{Program, Running};
use crate::violation::{Violation, ViolationKind};

/// Longest message that is read; the rest of a longer line is thrown away.
pub const MAX_MESSAGE: usize = 16 << 20;

/// A server process and its pipes.
#[derive(Debug)]
pub struct StdioLink {
    running: Mutex<Option<Running>>,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    inbox: Inbox,
}

impl StdioLink {
    /// Starts the program and begins to read.
    pub fn start(program: &Program, inbox: &Inbox) -> Result<Self, StartError> {
        let (running, pipes) = Running::start(program)?;
        let stdin = Arc::new(Mutex::new(Some(pipes.stdin)));
        tokio::spawn(read(pipes.stdout, inbox.clone(), Arc::clone(&stdin)));
        Ok(Self { running: Mutex::new(Some(running)), stdin, inbox: inbox.clone() })
    }

    /// Sends one message.
    pub async fn send(&self, message: &str) -> Result<(), CallError> {
        write(&self.stdin, message).await.map_err(CallError::Connection)
    }

    /// The last lines of the server's stderr.
    pub async fn stderr(&self) -> Vec<String> {
        match self.running.lock().await.as_mut() {
            Some(running) => running.stderr().await,
            None => Vec::new(),
        }
    }

    /// How the process ended, in words.
    pub async fn how_it_ended(&self) -> String {
        let mut running = self.running.lock().await;
        let Some(running) = running.as_mut() else { return "closed".to_owned() };
        match running.ended(Duration::from_millis(500)).await {
            Some(status) => status.to_string(),
            None => "it closed its stdout but runs on".to_owned(),
        }
    }

    /// Closes stdin, waits, ends the whole group.
    pub async fn close(&self, patience: Duration) {
        self.stdin.lock().await.take();
        if let Some(running) = self.running.lock().await.take() {
            running.end(patience).await;
        }
        self.inbox.close(&CallError::Connection("the connection was closed".to_owned()));
    }
}

async fn write(stdin: &Mutex<Option<ChildStdin>>, message: &str) -> Result<(), String> {
    let mut stdin = stdin.lock().await;
    let pipe = stdin.as_mut().ok_or("its stdin is closed")?;
    let mut line = Vec::with_capacity(message.len() + 1);
    line.extend_from_slice(message.as_bytes());
    line.push(b'\n');
    pipe.write_all(&line).await.map_err(|error| error.to_string())?;
    pipe.flush().await.map_err(|error| error.to_string())
}

/// Reads lines until the pipe ends.
async fn read(stdout: ChildStdout, inbox: Inbox, stdin: Arc<Mutex<Option<ChildStdin>>>) {
    let mut reader = BufReader::with_capacity(64 << 10, stdout);
    let mut line = Vec::new();
    let mut lost = 0usize;
    loop {
        let chunk = match reader.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(chunk) => chunk,
        };
        let newline = chunk.iter().position(|byte| *byte == b'\n');
        let end = newline.unwrap_or(chunk.len());
        if line.len() + end <= MAX_MESSAGE && lost == 0 {
            line.extend_from_slice(&chunk[..end]);
        } else {
            lost += end;
        }
        let used = newline.map_or(chunk.len(), |at| at + 1);
        reader.consume(used);
        if newline.is_some() {
            take(&inbox, &stdin, &line, lost);
            if line.capacity() > 1 << 20 {
                line = Vec::new();
            }
            line.clear();
            lost = 0;
        }
    }
    if !line.is_empty() {
        take(&inbox, &stdin, &line, lost);
    }
    inbox.close(&CallError::Died { how: "it closed its stdout".to_owned() });
}

fn take(inbox: &Inbox, stdin: &Arc<Mutex<Option<ChildStdin>>>, line: &[u8], lost: usize) {
    if lost > 0 {
        let size = line.len() + lost;
        let detail = format!("{size} bytes, the limit is {MAX_MESSAGE}: {}", excerpt(line));
        inbox.report(Violation::new(ViolationKind::Oversized, detail));
        return;
    }
    for (id, method) in inbox.accept(line) {
        let answer = answer_to(&id, &method).to_string();
        let stdin = Arc::clone(stdin);
        // A server that does not read its stdin must not stop us from reading its stdout.
        tokio::spawn(async move {
            tokio::time::timeout(Duration::from_secs(5), write(&stdin, &answer)).await
        });
    }
}

/// Our answer to a request of the server's: we offer `ping` and nothing else.
pub fn answer_to(id: &Value, method: &str) -> Value {
    if method == "ping" {
        return json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    }
    let message = format!("mcptest does not offer {method}");
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": message } })
}
