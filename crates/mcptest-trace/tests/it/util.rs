//! What the tests share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcptest_trace::{ReadError, Reader, Record, Trace, parse_record};

/// Parses text as one record that begins at line 1 of `f`.
pub fn parse(text: &str) -> Result<Vec<Record>, ReadError> {
    parse_record(text.as_bytes(), &Arc::from("f"), 1)
}

/// The only trace in `text`.
pub fn one(text: &str) -> Trace {
    let mut records = parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(records.len(), 1, "{text}");
    records.remove(0).trace
}

/// The error that parsing `text` gives, as it is shown.
pub fn error(text: &str) -> String {
    parse(text).expect_err("an error").to_string()
}

/// Everything a reader gives.
pub fn read_all(reader: &mut Reader) -> Result<Vec<Record>, ReadError> {
    let mut records = Vec::new();
    while let Some(chunk) = reader.next_chunk() {
        let chunk = chunk?;
        for piece in chunk.pieces() {
            records.extend(chunk.parse(piece)?);
        }
    }
    Ok(records)
}

/// A trace as JSON, to compare.
pub fn json(record: &Record) -> (usize, String) {
    (record.origin.line, serde_json::to_string(&record.trace).unwrap())
}

/// A folder of the test's own, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("mcptest-trace-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str, content: impl AsRef<[u8]>) -> Result<Vec<Record>, ReadError> {
        read_file(&self.file(name, content))
    }
}

/// Everything in a file.
pub fn read_file(path: &Path) -> Result<Vec<Record>, ReadError> {
    read_all(&mut mcptest_trace::open(path)?)
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
