//! Reading the surface.

use mcptest_trace::{SurfaceTool, parse_surface};
use serde_json::value::RawValue;

fn surface(text: &str) -> Result<Vec<SurfaceTool>, String> {
    parse_surface(&RawValue::from_string(text.to_owned()).unwrap())
}

#[test]
fn odd_servers_are_read() {
    let tools = surface(
        r#"[{"title":"T","name":"a","description":5,"inputSchema":{"b":1,"a":2},"server":"s",
             "annotations":{"readOnlyHint":true},"distractor":true},
            {"name":"b","description":"d","inputSchema":null,"distractor":"yes"}]"#,
    )
    .unwrap();
    assert_eq!((tools[0].description.as_deref(), tools[0].distractor), (None, true));
    assert_eq!(tools[0].input_schema.as_ref().unwrap().to_string(), r#"{"b":1,"a":2}"#);
    assert_eq!(tools[0].rest.keys().collect::<Vec<_>>(), ["title", "annotations"]);
    assert_eq!((tools[1].description.as_deref(), tools[1].distractor), (Some("d"), false));
    assert_eq!(tools[1].input_schema, None);
}

#[test]
fn a_tool_without_a_name_is_an_error_that_says_which() {
    let message = "expected tool 1 of the surface to have a string `name`";
    assert_eq!(surface(r#"[{"name":"a"},{"description":"d"}]"#).unwrap_err(), message);
    assert_eq!(surface(r#"[{"name":"a"},{"name":1}]"#).unwrap_err(), message);
    assert!(surface("[1]").unwrap_err().contains("tool 0"));
    assert!(surface("{}").unwrap_err().contains("an array"));
}
