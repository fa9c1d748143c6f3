//! Ctrl-C and SIGTERM: the report is still written, and no process is left.

use rustix::process::{Pid, Signal, kill_process};

use crate::util::{
    BINARY, Folder, Output, command, messages, output_of, processes_with, statuses, wait_until,
};

const MANIFEST: &str = r#"
mock_server:
  name: slow
  tools:
    - { name: echo }
    - { name: hang, fault: hang }
"#;

/// A suite with three tests of which the second hangs. Its server leaves a log of what it is sent,
/// and has a child beside it that would run on for ever.
fn hanging(tool: &str) -> (Folder, String) {
    let folder = Folder::new();
    let marker = folder.marker();
    let start =
        r#"sh -c 'while :; do sleep 1; done' $1 & tee -a log | \"$0\" mock --tools-from ./$1.yml"#;
    let suite = format!(
        r#"
servers:
  slow: {{ command: [sh, -c, "{start}", "{BINARY}", {marker}] }}
tests:
  - {{ name: first, type: tool, server: slow, tool: echo }}
  - {{ name: second, type: tool, server: slow, tool: {tool} }}
  - {{ name: third, type: tool, server: slow, tool: echo }}
"#
    );
    folder.file(&format!("{marker}.yml"), MANIFEST).file("suite.yml", suite).file("log", "");
    (folder, marker)
}

fn gone(marker: &str) {
    wait_until("every process of the server ends", || processes_with(marker).is_empty());
}

/// Runs the suite until the hanging call is made, then sends the signal.
fn interrupted(signal: Signal) -> Output {
    let (folder, marker) = hanging("hang");
    let args = ["run", "suite.yml", "--reporter", "json"];
    let child = command(folder.path(), &args).spawn().unwrap();
    wait_until("the call that hangs", || folder.read("log").contains("\"hang\""));
    assert!(processes_with(&marker).len() >= 2, "the check sees the processes");
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = output_of(child);
    gone(&marker);
    output
}

#[test]
fn an_interrupt_keeps_what_is_finished_and_leaves_no_process() {
    for signal in [Signal::INT, Signal::TERM] {
        let output = interrupted(signal);
        let document = output.json_and(130);
        assert_eq!(
            statuses(&document),
            [("first", "passed"), ("second", "skipped"), ("third", "skipped")],
            "{signal:?}"
        );
        assert_eq!(messages(&document, "second"), "interrupted");
        assert_eq!(messages(&document, "third"), "not run: interrupted");
        assert!(output.stderr.contains("interrupted: finishing"), "{}", output.stderr);
    }
}

/// A server that never shakes hands, and its tests are not run.
#[test]
fn an_interrupt_during_the_start() {
    let folder = Folder::new();
    let marker = folder.marker();
    let suite = format!(
        "servers: {{ mute: {{ command: [sh, -c, \"touch up; while :; do sleep 1; done\", {marker}] }} }}
tests: [{{ name: never, type: tool, server: mute, tool: x }}]\n"
    );
    folder.file("suite.yml", suite);
    for args in
        [&["run", "suite.yml", "--reporter", "json"][..], &["doctor", "suite.yml", "--json"]]
    {
        let _ = std::fs::remove_file(folder.path().join("up"));
        let child = command(folder.path(), args).spawn().unwrap();
        wait_until("the server starts", || folder.path().join("up").exists());
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let output = output_of(child);
        assert_eq!(output.code, Some(130), "{output:?}");
        let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        if args[0] == "run" {
            assert_eq!(statuses(&output.json()), [("never", "skipped")]);
        } else {
            assert_eq!(document["errors"][0]["message"], "interrupted");
        }
        gone(&marker);
    }
}

#[test]
fn a_second_interrupt_ends_at_once_and_leaves_no_process() {
    // The server does not end politely, so that there is something to interrupt.
    let folder = Folder::new();
    let marker = folder.marker();
    let start =
        r#"trap '' TERM; tee log | \"$0\" mock --tools-from ./$1.yml; while :; do sleep 1; done"#;
    let suite = format!(
        "servers: {{ slow: {{ command: [sh, -c, \"{start}\", \"{BINARY}\", {marker}] }} }}
tests: [{{ name: hangs, type: tool, server: slow, tool: hang }}]\n"
    );
    folder.file(&format!("{marker}.yml"), MANIFEST).file("suite.yml", suite).file("log", "");
    let child = command(folder.path(), &["run", "suite.yml"]).spawn().unwrap();
    wait_until("the call that hangs", || folder.read("log").contains("\"hang\""));
    for _ in 0..2 {
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    let output = output_of(child);
    assert_eq!(output.code, Some(130), "{output:?}");
    gone(&marker);
}

/// The server's own children too, which would outlive it.
#[test]
fn after_a_normal_end_no_process_is_left() {
    let (folder, marker) = hanging("echo");
    let document = folder.run(&["run", "suite.yml", "--reporter", "json"]).json_and(0);
    assert_eq!(document["totals"]["passed"], 3);
    gone(&marker);
    let output = folder.run(&["doctor", "suite.yml"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    gone(&marker);
}
