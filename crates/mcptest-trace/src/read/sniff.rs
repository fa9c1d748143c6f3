//! Whether an input is JSONL.

use std::io::{self, BufRead, Read};

use serde::de::IgnoredAny;

use super::reader::{BOM, read_up_to};
use super::{MAX_FILE_BYTES, MAX_RECORD_BYTES};

/// How much is looked at first.
const FIRST_LOOK: usize = 64 << 10;

/// Reads as much of `source` into `begin` as it takes to say whether it is JSONL: the first line
/// that is not blank is a JSON value by itself, and more than blank lines follow.
pub(super) fn sniff(source: &mut Box<dyn Read + Send>, begin: &mut Vec<u8>) -> io::Result<bool> {
    let mut look = FIRST_LOOK;
    let mut first_is_value = false;
    loop {
        read_up_to(source, begin, look)?;
        let ended = begin.len() < look;
        let text = begin.strip_prefix(BOM).unwrap_or(begin).trim_ascii_start();
        let mut rest = text;
        let length = rest.skip_until(b'\n')?;
        let line = &text[..length];
        if line.ends_with(b"\n") {
            // Looking again after reading more finds the same line: it is parsed once.
            first_is_value = first_is_value || serde_json::from_slice::<IgnoredAny>(line).is_ok();
            if !first_is_value {
                return Ok(false);
            }
            if !rest.trim_ascii_start().is_empty() {
                return Ok(true);
            }
        }
        if ended || line.len() > MAX_RECORD_BYTES || begin.len() > MAX_FILE_BYTES {
            return Ok(false);
        }
        look *= 2;
    }
}
