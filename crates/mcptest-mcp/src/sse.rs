//! Server-sent events: only their data matters here.

use crate::violation::{Violation, ViolationKind};

/// Cuts a byte stream into the data of its events.
#[derive(Debug)]
pub struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    limit: usize,
    after_cr: bool,
}

impl Events {
    /// Events of at most `limit` bytes.
    pub const fn new(limit: usize) -> Self {
        Self { line: Vec::new(), data: Vec::new(), limit, after_cr: false }
    }

    /// Takes more bytes in; returns the data of every event that ended in them.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Violation> {
        let mut events = Vec::new();
        for byte in bytes {
            // Lines end in LF, CR or CRLF.
            let after_cr = std::mem::replace(&mut self.after_cr, *byte == b'\r');
            if *byte == b'\n' && after_cr {
                continue;
            }
            if !matches!(byte, b'\n' | b'\r') {
                self.line.push(*byte);
                if self.line.len() + self.data.len() > self.limit {
                    let detail = format!("an event of more than {} bytes", self.limit);
                    return Err(Violation::new(ViolationKind::Oversized, detail));
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if line.is_empty() {
                if !self.data.is_empty() {
                    events.push(std::mem::take(&mut self.data));
                }
            } else if let Some(data) = line.strip_prefix(b"data:") {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            }
        }
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_cut_wherever_the_bytes_are() {
        let stream =
            b"event: message\r\nid: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: comment\n\ndata:x\n\n";
        for size in 1..stream.len() {
            let mut events = Events::new(1000);
            let mut found = Vec::new();
            for chunk in stream.chunks(size) {
                found.extend(events.feed(chunk).unwrap());
            }
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"x".to_vec()], "chunks of {size}");
        }
    }

    #[test]
    fn lines_may_end_in_a_bare_cr() {
        assert_eq!(
            Events::new(100).feed(b"data: x\r\rdata: y\r\n\r\n").unwrap(),
            [b"x".to_vec(), b"y".to_vec()]
        );
    }

    #[test]
    fn an_endless_event_is_refused() {
        assert!(Events::new(10).feed(b"data: 0123456789").is_err());
    }
}
