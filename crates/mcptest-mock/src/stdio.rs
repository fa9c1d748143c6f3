//! The stdio transport: one message on a line, standard output carries nothing else.
//!
//! Reading, answering and writing happen on one plain thread, so that an answer without delay needs
//! no hand-over; only late answers go through the runtime. A plain thread also lets the process end
//! while it waits for input.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::dispatch::{Body, Reply};
use crate::lifecycle::Session;
use crate::mock::Mock;
use crate::{Crash, MAX_MESSAGE};

/// Serves on standard input and output until the input ends, and until everything in flight is
/// answered, except calls that hang. Ends with [`Crash`] where a fault wants that.
pub async fn serve_stdio(mock: Mock) -> io::Result<()> {
    serve(mock, BufReader::with_capacity(64 << 10, io::stdin()), io::stdout()).await
}

async fn serve(
    mock: Mock,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let (ended, mut end) = mpsc::unbounded_channel();
    let (flying, mut landed) = mpsc::channel(1);
    let connection = Arc::new(Connection {
        mock,
        session: Session::new(),
        output: Mutex::new(Box::new(output)),
        waiting: Mutex::default(),
        runtime: Handle::current(),
        ended: ended.clone(),
    });
    std::thread::Builder::new().name("mock-stdio".to_owned()).spawn(move || {
        let outcome = connection.read(input, &flying);
        // The receiver is gone only when the server has ended already.
        let _ = ended.send(outcome);
    })?;
    end.recv().await.unwrap_or(Ok(()))?;
    // Every late answer holds a sender; nothing is ever sent.
    tokio::select! {
        _ = landed.recv() => Ok(()),
        Some(late) = end.recv() => late,
    }
}

/// One client.
struct Connection {
    mock: Mock,
    session: Session,
    output: Mutex<Box<dyn Write + Send>>,
    /// Late answers that can still be cancelled, by the request's id.
    waiting: Mutex<HashMap<String, AbortHandle>>,
    runtime: Handle,
    ended: mpsc::UnboundedSender<io::Result<()>>,
}

/// What a line was.
enum Line {
    Whole,
    TooLong,
    End,
}

impl Connection {
    fn read(
        self: &Arc<Self>,
        mut input: impl BufRead,
        flying: &mpsc::Sender<()>,
    ) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            let reply = match next_line(&mut input, &mut line, MAX_MESSAGE)? {
                Line::End => return Ok(()),
                Line::TooLong => {
                    let limit = MAX_MESSAGE >> 20;
                    Reply::parse_error(&format!("the line is longer than {limit} MiB"))
                }
                Line::Whole if line.trim_ascii().is_empty() => continue,
                Line::Whole => self.mock.handle_bytes(&line, &self.session),
            };
            match self.send(reply, flying) {
                // Nobody listens any more: an end like any other.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                other => other?,
            }
        }
    }

    fn send(self: &Arc<Self>, reply: Reply, flying: &mpsc::Sender<()>) -> io::Result<()> {
        for notification in &reply.notifications {
            self.write(notification.to_string().into_bytes())?;
        }
        if let Body::Cancel(id) = &reply.body {
            if let Some(task) = self.waiting().remove(&id.to_string()) {
                task.abort();
            }
            return Ok(());
        }
        if reply.delay.is_zero() {
            return self.finish(&reply.body);
        }
        let id = match &reply.body {
            Body::Message(message) | Body::Garbage(message) => message.get("id"),
            _ => None,
        };
        let id = id.map(Value::to_string);
        self.send_late(reply, id, flying.clone());
        Ok(())
    }

    fn send_late(self: &Arc<Self>, reply: Reply, id: Option<String>, flying: mpsc::Sender<()>) {
        let this = Arc::clone(self);
        // Held over the start, so that the task cannot leave the map before it is in it.
        let mut waiting = self.waiting();
        let own = id.clone();
        let task = self.runtime.spawn(async move {
            tokio::time::sleep(reply.delay).await;
            if let Some(id) = own {
                this.waiting().remove(&id);
            }
            let ended = this.ended.clone();
            // Writing blocks while the client does not read.
            let written = tokio::task::spawn_blocking(move || this.finish(&reply.body)).await;
            if let Ok(Err(error)) = written {
                let _ = ended.send(Err(error));
            }
            drop(flying);
        });
        if let Some(id) = id {
            waiting.insert(id, task.abort_handle());
        }
    }

    fn finish(&self, body: &Body) -> io::Result<()> {
        match body {
            Body::Crash => Err(Crash.into()),
            body => body.bytes().map_or(Ok(()), |bytes| self.write(bytes)),
        }
    }

    /// Writes one line whole.
    fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(&line)?;
        output.flush()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads up to the next line feed; of a line over the limit nothing is kept.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<Line> {
    line.clear();
    let (mut any, mut too_long) = (false, false);
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let last = end.is_some() || bytes.is_empty();
        any |= !bytes.is_empty();
        too_long |= line.len() + part.len() > limit;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if last {
            return Ok(match (any, too_long) {
                (false, _) => Line::End,
                (true, true) => Line::TooLong,
                (true, false) => Line::Whole,
            });
        }
    }
}

#[cfg(test)]
mod tests;
