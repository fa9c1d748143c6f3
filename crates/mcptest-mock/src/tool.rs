//! A tool that can be called.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, matches, text_result};
use crate::fault::Fault;
use crate::manifest::{FaultKind, NotificationSpec};
use crate::template;
use crate::validate::Schema;

/// A tool as the server runs it. Its calls are counted over the life of the mock, whoever makes
/// them; a call with invalid arguments does not count.
#[derive(Debug, Default)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Checks the arguments.
    pub input: Option<Schema>,
    /// Checks the structured content.
    pub output: Option<Schema>,
    /// Answers for certain arguments.
    pub cases: Vec<(Value, Answer)>,
    /// What answers otherwise.
    pub fallback: Fallback,
    /// Sent before every answer.
    pub notifications: Vec<NotificationSpec>,
    /// Client capabilities a call needs.
    pub requires: Map<String, Value>,
    /// How long every answer takes.
    pub latency: Duration,
    /// What goes wrong.
    pub fault: Option<Fault>,
    /// Calls so far.
    pub calls: AtomicU64,
}

/// What answers where no case fits.
#[derive(Debug, Default)]
pub enum Fallback {
    /// A text that names the tool and its arguments.
    #[default]
    Echo,
    /// A tool error: the manifest has cases only.
    NoMatch,
    /// Call by call; the last one repeats.
    Sequence(Vec<Answer>),
}

/// How a call went.
#[derive(Debug)]
pub struct Called {
    /// The result.
    pub result: Map<String, Value>,
    /// Notifications that go before it.
    pub notifications: Vec<Value>,
    /// How long to wait before it.
    pub delay: Duration,
    /// The fault that keeps the result from arriving whole.
    pub fault: Option<FaultKind>,
}

impl Tool {
    /// Calls the tool; `progress` is the call's progress token.
    pub fn call(&self, arguments: &Value, progress: Option<&Value>) -> Called {
        let delay = self.latency;
        if let Some(why) = self.input.as_ref().and_then(|schema| schema.violations(arguments)) {
            let text = format!("Invalid arguments for tool {}: {why}", self.name);
            let result = text_result(&text, true);
            return Called { result, notifications: Vec::new(), delay, fault: None };
        }
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let fault = self.fault.as_ref().filter(|fault| fault.strikes(number));
        let mut called = Called {
            result: self.result(arguments, number),
            notifications: self.notifications(arguments, progress),
            delay,
            fault: None,
        };
        match fault.map(|fault| fault.kind) {
            None => {}
            Some(FaultKind::Slow) => {
                called.delay += fault.map_or(Duration::ZERO, |fault| fault.latency);
            }
            Some(FaultKind::ErrorRate) => {
                let text = format!("Injected fault: call {number} of {} fails", self.name);
                called.result = text_result(&text, true);
            }
            other => called.fault = other,
        }
        called
    }

    fn result(&self, arguments: &Value, number: u64) -> Map<String, Value> {
        let case = self.cases.iter().find(|(pattern, _)| matches(pattern, arguments));
        let answer = match (case, &self.fallback) {
            (Some((_, answer)), _) => answer,
            (None, Fallback::Sequence(answers)) => {
                let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
                match answers.get(at).or(answers.last()) {
                    Some(answer) => answer,
                    None => return self.echo(arguments),
                }
            }
            (None, Fallback::NoMatch) => {
                let text =
                    format!("No response of {} matches these arguments: {arguments}", self.name);
                return text_result(&text, true);
            }
            (None, Fallback::Echo) => return self.echo(arguments),
        };
        let result = answer.render(arguments);
        self.check_output(answer, &result).unwrap_or(result)
    }

    /// The answer of a tool whose manifest gives none.
    fn echo(&self, arguments: &Value) -> Map<String, Value> {
        text_result(&format!("{} {arguments}", self.name), false)
    }

    /// Static content was checked when the manifest was loaded; what arguments went into is
    /// checked here.
    fn check_output(
        &self,
        answer: &Answer,
        result: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        if !answer.is_dynamic() || answer.is_error() {
            return None;
        }
        let why = self.output.as_ref()?.violations(result.get("structuredContent")?)?;
        let text = format!("The structured content of {} violates its schema: {why}", self.name);
        Some(text_result(&text, true))
    }

    fn notifications(&self, arguments: &Value, progress: Option<&Value>) -> Vec<Value> {
        let mut all = Vec::new();
        for spec in &self.notifications {
            let mut params =
                spec.params.as_ref().map(|params| template::render_map(params, arguments));
            if spec.method == "notifications/progress" {
                let Some(token) = progress else { continue };
                params.get_or_insert_default().shift_insert(
                    0,
                    "progressToken".to_owned(),
                    token.clone(),
                );
            }
            all.push(match params {
                Some(params) => json!({"jsonrpc": "2.0", "method": spec.method, "params": params}),
                None => json!({"jsonrpc": "2.0", "method": spec.method}),
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(fallback: Fallback) -> Tool {
        Tool { name: "t".to_owned(), fallback, ..Tool::default() }
    }

    fn text(called: &Called) -> &str {
        called.result["content"][0]["text"].as_str().unwrap()
    }

    #[test]
    fn a_tool_without_answers_names_itself_and_its_arguments() {
        let called = tool(Fallback::Echo).call(&json!({"b": 1, "a": [true]}), None);
        assert_eq!(text(&called), r#"t {"b":1,"a":[true]}"#);
    }

    #[test]
    fn the_last_answer_of_a_sequence_repeats() {
        let answers = ["one", "two"].map(|text| Answer::new(None, Some(text)));
        let tool = tool(Fallback::Sequence(answers.into()));
        let told = (0..4).map(|_| text(&tool.call(&json!({}), None)).to_owned());
        assert_eq!(told.collect::<Vec<_>>(), ["one", "two", "two", "two"]);
    }

    #[test]
    fn a_case_goes_before_the_rest_and_no_match_is_told() {
        let case = (json!({"q": "x"}), Answer::new(None, Some("case ${args.q}")));
        let tool = Tool { cases: vec![case], ..tool(Fallback::NoMatch) };
        assert_eq!(text(&tool.call(&json!({"q": "x", "n": 1}), None)), "case x");
        let other = tool.call(&json!({"q": "y"}), None);
        assert_eq!(text(&other), r#"No response of t matches these arguments: {"q":"y"}"#);
        assert_eq!(other.result["isError"], true);
    }

    #[test]
    fn invalid_arguments_are_a_tool_error_and_do_not_count() {
        let schema =
            json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}});
        let answers = ["one", "two"].map(|text| Answer::new(None, Some(text)));
        let tool = Tool {
            input: Some(Schema::new(&schema).unwrap()),
            ..tool(Fallback::Sequence(answers.into()))
        };
        let called = tool.call(&json!({"q": 5}), None);
        assert_eq!(text(&called), r#"Invalid arguments for tool t: /q: 5 is not of type "string""#);
        assert_eq!(called.result["isError"], true);
        assert_eq!(text(&tool.call(&json!({"q": "a"}), None)), "one");
    }

    #[test]
    fn progress_needs_a_token() {
        let spec = json!({"method": "notifications/progress", "params": {"progress": 1}});
        let tool = Tool {
            notifications: vec![serde_json::from_value(spec).unwrap()],
            ..tool(Fallback::Echo)
        };
        assert!(tool.call(&json!({}), None).notifications.is_empty());
        assert_eq!(
            tool.call(&json!({}), Some(&json!("p1"))).notifications[0]["params"].to_string(),
            r#"{"progressToken":"p1","progress":1}"#
        );
    }
}
