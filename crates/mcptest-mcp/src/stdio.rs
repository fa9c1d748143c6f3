//! The stdio transport: one JSON message per line, read under a limit, tapped before anything else.

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

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
    running: Arc<Mutex<Option<Running>>>,
    /// Whole messages, written one after another: a caller that gives up leaves no half line.
    outgoing: Mutex<Option<mpsc::Sender<String>>>,
    writer: JoinHandle<()>,
    inbox: Inbox,
}

/// Messages that may wait to be written.
const QUEUED: usize = 64;

impl StdioLink {
    /// Starts the program and begins to read.
    pub fn start(program: &Program, inbox: &Inbox) -> Result<Self, StartError> {
        let (running, pipes) = Running::start(program)?;
        let (send, receive) = mpsc::channel(QUEUED);
        let writer = tokio::spawn(write(pipes.stdin, receive));
        tokio::spawn(read(pipes.stdout, inbox.clone(), send.downgrade()));
        let running = Arc::new(Mutex::new(Some(running)));
        tokio::spawn(watch(Arc::downgrade(&running), inbox.clone()));
        Ok(Self { running, outgoing: Mutex::new(Some(send)), writer, inbox: inbox.clone() })
    }

    /// Sends one message.
    pub async fn send(&self, message: &str) -> Result<(), CallError> {
        let outgoing = self.outgoing.lock().await.clone();
        let closed = || CallError::Connection("its stdin is closed".to_owned());
        outgoing.ok_or_else(closed)?.send(message.to_owned()).await.map_err(|_| closed())
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
        self.outgoing.lock().await.take();
        // A server that does not read keeps the writer waiting; its stdin must close all the same.
        self.writer.abort();
        if let Some(running) = self.running.lock().await.take() {
            running.end(patience).await;
        }
        self.inbox.close(&CallError::Connection("the connection was closed".to_owned()));
    }
}

/// Writes whole messages until nobody sends any more, or the server no longer reads.
async fn write(mut stdin: ChildStdin, mut outgoing: mpsc::Receiver<String>) {
    while let Some(mut message) = outgoing.recv().await {
        message.push('\n');
        if stdin.write_all(message.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// Notices the end of the process even where a grandchild keeps its stdout open.
async fn watch(running: Weak<Mutex<Option<Running>>>, inbox: Inbox) {
    const LAST_WORDS: Duration = Duration::from_millis(200);
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let Some(running) = running.upgrade() else { return };
        let ended = match running.lock().await.as_mut() {
            Some(running) => running.has_ended(),
            None => return,
        };
        if ended {
            // What it wrote last may still be in the pipe.
            tokio::time::sleep(LAST_WORDS).await;
            inbox.close(&CallError::Died { how: "it ended".to_owned() });
            return;
        }
    }
}

/// Reads lines until the pipe ends.
async fn read(stdout: ChildStdout, inbox: Inbox, outgoing: mpsc::WeakSender<String>) {
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
            take(&inbox, &outgoing, &line, lost);
            if line.capacity() > 1 << 20 {
                line = Vec::new();
            }
            line.clear();
            lost = 0;
        }
    }
    if !line.is_empty() {
        take(&inbox, &outgoing, &line, lost);
    }
    inbox.close(&CallError::Died { how: "it closed its stdout".to_owned() });
}

fn take(inbox: &Inbox, outgoing: &mpsc::WeakSender<String>, line: &[u8], lost: usize) {
    if lost > 0 {
        let size = line.len() + lost;
        let detail = format!("{size} bytes, the limit is {MAX_MESSAGE}: {}", excerpt(line));
        inbox.report(Violation::new(ViolationKind::Oversized, detail));
        return;
    }
    for (id, method) in inbox.accept(line) {
        // A server that asks without reading must not stop us from reading: what does not fit into
        // the queue stays unanswered.
        if let Some(outgoing) = outgoing.upgrade() {
            let _ = outgoing.try_send(answer_to(&id, &method).to_string());
        }
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
