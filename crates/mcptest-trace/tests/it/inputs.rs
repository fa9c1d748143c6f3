//! Which files are read.

use std::path::PathBuf;

use mcptest_trace::find_inputs;

use crate::util::Folder;

#[test]
fn folders_are_walked_in_order_and_files_taken_as_given() {
    let folder = Folder::new("walk");
    for name in ["b.json", "a/z.jsonl", "a/y.NDJSON", "c.txt", ".hidden.json", ".git/x.json"] {
        folder.file(name, "{}");
    }
    let text = folder.0.join("c.txt");
    let found = find_inputs(&["-".into(), folder.0.clone(), text.clone()]).unwrap();
    let expected: Vec<PathBuf> =
        ["a/y.NDJSON", "a/z.jsonl", "b.json"].map(|name| folder.0.join(name)).into();
    assert_eq!(found, [vec!["-".into()], expected, vec![text]].concat());
}

#[test]
fn what_is_not_there_is_an_error_that_names_it() {
    let folder = Folder::new("missing");
    let missing = folder.0.join("nope.json");
    let error = find_inputs(std::slice::from_ref(&missing)).unwrap_err();
    assert!(error.to_string().starts_with(&format!("{}: cannot be read", missing.display())));
    assert_eq!(error.line(), None);
    assert!(mcptest_trace::open(&missing).is_err());
    folder.file("only.txt", "");
    let empty = find_inputs(std::slice::from_ref(&folder.0)).unwrap_err();
    assert!(empty.to_string().ends_with("expected traces, found an empty folder"));
    assert!(mcptest_trace::open(&folder.0).unwrap_err().message.contains("found a folder"));
}

#[test]
fn the_walk_is_bounded() {
    let folder = Folder::new("deep");
    folder.file(&format!("{}x.json", "d/".repeat(31)), "{}");
    assert_eq!(find_inputs(std::slice::from_ref(&folder.0)).unwrap().len(), 1);
    folder.file(&format!("{}x.json", "d/".repeat(32)), "{}");
    assert!(
        find_inputs(std::slice::from_ref(&folder.0)).unwrap_err().message.contains("at most 32")
    );
}

#[cfg(unix)]
#[test]
fn linked_folders_are_not_followed() {
    let folder = Folder::new("links");
    let file = folder.file("x.json", "{}");
    std::os::unix::fs::symlink(&folder.0, folder.0.join("loop.json")).unwrap();
    std::os::unix::fs::symlink(&file, folder.0.join("y.json")).unwrap();
    let found = find_inputs(std::slice::from_ref(&folder.0)).unwrap();
    assert_eq!(found, [file, folder.0.join("y.json")]);
}
