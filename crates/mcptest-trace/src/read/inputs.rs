//! Which files to read.

use std::fs;
use std::path::{Path, PathBuf};

use super::ReadError;

/// How many folders deep a walk goes.
const MAX_FOLDERS: usize = 32;

/// The names that files of traces have within a folder.
const EXTENSIONS: [&str; 3] = ["json", "jsonl", "ndjson"];

/// The files that `paths` stand for.
///
/// A file stands for itself, `-` for standard input, a folder for the `*.json`, `*.jsonl` and
/// `*.ndjson` files below it in the order of their names. Hidden files and linked folders are
/// passed over. A path that is not there and a folder without such files are errors.
pub fn find_inputs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ReadError> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            files.push(path.clone());
            continue;
        }
        let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if !metadata.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        walk(path, 1, &mut files)?;
        if files.len() == before {
            return Err(ReadError::of_path(path, "expected traces, found an empty folder")
                .help("only *.json, *.jsonl and *.ndjson files are taken from a folder"));
        }
    }
    Ok(files)
}

/// Adds the files below `folder`, which is the `depth`-th of the walk.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    if depth > MAX_FOLDERS {
        let message = format!("expected at most {MAX_FOLDERS} folders within another, found more");
        return Err(ReadError::of_path(folder, message));
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(|error| unreadable(folder, &error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        if kind.is_dir() {
            walk(&path, depth + 1, files)?;
        } else if is_trace_file(&path) && (kind.is_file() || links_to_file(&path)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a link leads to a file. One that leads nowhere counts, so that reading it says so.
fn links_to_file(path: &Path) -> bool {
    path.is_symlink() && fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// Whether the name is that of a file of traces.
fn is_trace_file(path: &Path) -> bool {
    has_extension(path, &EXTENSIONS)
}

/// Whether the name says that every line is a record.
pub(super) fn is_lines_file(path: &Path) -> bool {
    has_extension(path, &EXTENSIONS[1..])
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .is_some_and(|found| extensions.iter().any(|ext| found.eq_ignore_ascii_case(ext)))
}

/// The error for a path that the system does not let us read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> ReadError {
    ReadError::of_path(path, format!("cannot be read: {error}"))
}
