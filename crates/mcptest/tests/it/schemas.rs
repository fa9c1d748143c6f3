//! The schemas: those in the repository are current, and our own files fit them.

use std::path::Path;

use serde_json::{Value, json};

use crate::util::{Folder, mcptest, trace, validator};

#[test]
fn the_generated_files_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (kind, file) in [("suite", "v1"), ("trace", "trace-v1"), ("result", "result-v1")] {
        let printed = mcptest(&root, &["schema", kind], "");
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{kind}");
        let path = root.join(format!("schema/{file}.json"));
        let stored = std::fs::read_to_string(&path).unwrap();
        assert!(
            stored == printed.stdout,
            "schema/{file}.json is stale; run `cargo xtask generate`"
        );
    }
}

#[test]
fn the_suite_is_the_default() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["schema"]).stdout, folder.run(&["schema", "suite"]).stdout);
}

#[test]
fn they_are_schemas() {
    for kind in ["suite", "trace", "result"] {
        let printed = Folder::new().run(&["schema", kind]).stdout;
        let schema: Value = serde_json::from_str(&printed).unwrap();
        jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{kind}");
    }
}

/// Every block of the suite language says how settled it is.
#[test]
fn every_gate_block_is_marked_stable() {
    let printed = Folder::new().run(&["schema", "suite"]).stdout;
    let schema: Value = serde_json::from_str(&printed).unwrap();
    for definition in [
        "Server",
        "Provider",
        "Agent",
        "Test",
        "Fault",
        "ToolQuality",
        "Classes",
        "ToolSelection",
        "Distractors",
        "ExpectOnly",
        "Trajectory",
        "TrajectoryAxes",
        "GoldenPath",
        "ToolEdges",
        "Discovery",
        "Matcher",
        "Budget",
    ] {
        assert_eq!(schema["$defs"][definition]["x-mcptest-status"], "stable", "{definition}");
    }
}

#[test]
fn traces_fit_their_schema() {
    let schema = validator("trace");
    let whole = json!({
        "test": "t",
        "model": "gpt-5",
        "run": 1,
        "distractor_count": 4,
        "seed": 0,
        "tool_calls": [{
            "server": "s", "name": "n", "args": { "a": 1 }, "result": { "content": [] },
            "is_error": false, "turn": 1, "duration_ms": 12, "fault": "slow",
        }],
        "delegations": [{ "from": "a", "to": "b" }],
        "conversation": {
            "tokens": { "prompt": 1, "completion": 2, "total": 3 },
            "turns": 1, "duration_ms": 20, "cost_usd": 0.01,
        },
        "final_response": "done",
        "surface": [{ "name": "n", "server": "s", "inputSchema": {}, "distractor": true, "annotations": {} }],
        "status": "budget_exceeded",
        "cause": "20 turns",
    });
    for good in [whole, trace(&["s.n", "m"]), json!({ "tool_calls": [] })] {
        schema.validate(&good).unwrap_or_else(|error| panic!("{error}: {good}"));
    }
    for bad in [
        json!({}),
        json!({ "tool_calls": [{ "server": "s" }] }),
        json!({ "tool_calls": [], "status": "lost" }),
        json!({ "tool_calls": [], "run": "first" }),
    ] {
        assert!(!schema.is_valid(&bad), "{bad}");
    }
}

/// The schema refuses mistakes of shape in an editor already.
#[test]
fn the_suite_schema_refuses_what_the_loader_refuses() {
    let schema = validator("suite");
    let agent = |more: Value| {
        let mut agent = json!({ "name": "a", "prompt": "x" });
        agent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "agents": [agent] })
    };
    assert!(schema.is_valid(&agent(json!({}))));
    for bad in [
        json!({ "server": {} }),
        agent(json!({ "promt": "x" })),
        agent(json!({ "runs": "many" })),
        agent(json!({ "tool_selection": { "expected_tool": "t" } })),
        agent(json!({ "tool_selection": { "expected_tool": "t", "min_selection_rate": 80 } })),
        agent(json!({ "expect": [{ "target": "final_response" }] })),
        agent(json!({ "expect": [{ "final_response": {} }] })),
        agent(json!({ "distractors": { "count": -1, "source": { "from": "catalog" } } })),
        agent(json!({ "distractors": { "count": 1, "source": { "from": "catalogue" } } })),
    ] {
        assert!(!schema.is_valid(&bad), "{bad}");
    }
}
