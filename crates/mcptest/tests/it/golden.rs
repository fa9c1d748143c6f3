//! Golden suites: `tests/golden/ok` loads, `tests/golden/invalid` says what is wrong and where.
//!
//! To add a case, add a file; `cargo insta review` shows what it gives.

use std::path::Path;

use mcptest_suite::check::Strictness;
use mcptest_suite::diagnostic::Source;
use mcptest_suite::tree::Node;

use crate::util::{Folder, golden_folder, mcptest, validator};

/// Every suite of `ok`, by name.
pub fn ok() -> Vec<(String, String)> {
    let mut files = std::fs::read_dir(golden_folder().join("ok"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect::<Vec<_>>();
    files.sort();
    assert!(files.len() >= 15, "{} golden suites", files.len());
    files
}

fn validate(path: &Path) -> (Option<i32>, String) {
    let name = path.file_name().unwrap().to_str().unwrap();
    let output = mcptest(path.parent().unwrap(), &["validate", name], "");
    let report =
        format!("exit code {}\n\n{}{}", output.code.unwrap_or(-1), output.stderr, output.stdout);
    (output.code, report)
}

#[test]
fn valid_suites_are_accepted_without_a_word() {
    for (name, _) in ok() {
        let output = mcptest(&golden_folder().join("ok"), &["validate", &name], "");
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{name}");
        assert!(output.stdout.starts_with(&format!("ok  {name}: ")), "{}", output.stdout);
    }
}

/// The JSON Schema that editors use accepts what the loader accepts.
#[test]
fn valid_suites_fit_the_schema() {
    let schema = validator("suite");
    for (name, text) in ok() {
        let root = Node::parse(&Source::new(name.as_str(), text)).unwrap();
        if let Err(error) = schema.validate(&root.to_json()) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
    }
}

/// Line ends of Windows and a byte order mark change nothing.
#[test]
fn valid_suites_survive_other_editors() {
    let folder = Folder::new();
    for (name, text) in ok() {
        let crlf = text.replace('\n', "\r\n");
        folder.file("crlf.yml", &crlf).file("bom.yml", format!("\u{feff}{crlf}"));
        let output = folder.run(&["validate", "crlf.yml", "bom.yml"]);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{name}");
    }
}

/// What `score` asks for is less than what `validate` asks for.
#[test]
fn valid_suites_load_with_their_gates_only() {
    for (name, text) in ok() {
        let loaded = mcptest_suite::load(&Source::new(name.as_str(), text), Strictness::GatesOnly);
        assert!(loaded.is_ok(), "{name}: {loaded:?}");
    }
}

/// Files named `warning-…` are odd, not wrong; everything else here is an error.
#[test]
fn invalid_suites_say_what_is_wrong_and_where() {
    let mut seen = 0;
    insta::glob!("../../../../tests/golden", "invalid/*.yml", |path| {
        seen += 1;
        let (code, report) = validate(path);
        let warns =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("warning-"));
        assert_eq!(code, Some(if warns { 0 } else { 2 }), "{}", path.display());
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("invalid", report);
        });
    });
    assert!(seen >= 25, "{seen} invalid suites");
}

/// The same findings as data: every one has a code and a place inside its file.
#[test]
fn invalid_suites_as_json() {
    let folder = golden_folder().join("invalid");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let output = mcptest(&folder, &["validate", "--json", &name], "");
        let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(document["valid"], output.code == Some(0), "{name}");
        let lines = std::fs::read_to_string(folder.join(&name)).unwrap();
        let found = document["diagnostics"].as_array().unwrap();
        assert!(!found.is_empty(), "{name}");
        for one in found {
            assert_eq!(one["file"], name.as_str());
            let line = one["line"].as_u64().unwrap() as usize;
            let text = lines.split('\n').nth(line - 1).unwrap_or_else(|| panic!("{name}: {one}"));
            let column = one["column"].as_u64().unwrap() as usize;
            assert!((1..=text.chars().count() + 1).contains(&column), "{name}: {one}");
            let told = one["label"].is_string() || one["help"].is_string();
            assert!(told, "{name}: says neither what was expected nor what to do: {one}");
        }
    }
}

/// Several files are all looked at, each under its own name.
#[test]
fn several_suites_at_once() {
    let folder = golden_folder().join("invalid");
    let output = mcptest(&folder, &["validate", "tabs.yml", "../ok/sweep.yml", "empty.yml"], "");
    assert_eq!(output.code, Some(2));
    for place in ["tabs.yml:2:", "empty.yml:1:1", "2 errors in 2 files"] {
        assert!(output.stderr.contains(place), "{place}: {}", output.stderr);
    }
    assert_eq!(output.stdout, "ok  ../ok/sweep.yml: 1 server, 2 agent tests\n");
}
