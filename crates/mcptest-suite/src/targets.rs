//! Every target an assertion may name, and the values it can take. One registry, one line each.

use crate::suggest;

/// The values a numeric target can take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest.
    pub low: f64,
    /// Largest; infinite where there is no bound.
    pub high: f64,
}

const PERCENT: Range = Range { low: 0.0, high: 100.0 };
const FRACTION: Range = Range { low: 0.0, high: 1.0 };
const COUNT: Range = Range { low: 0.0, high: f64::INFINITY };
const DROP: Range = Range { low: -100.0, high: 100.0 };
const STARS: Range = Range { low: 1.0, high: 5.0 };

/// Targets of each gate block, by the block's YAML key.
const BLOCKS: &[(&str, &[(&str, Range)])] = &[
    (
        "equal_function_sets",
        &[
            ("tool_selection.f1", PERCENT),
            ("tool_selection.precision", PERCENT),
            ("tool_selection.recall", PERCENT),
        ],
    ),
    (
        "tool_selection",
        &[
            ("tool_selection.selection_rate", FRACTION),
            ("tool_selection.pass_k", FRACTION),
            ("tool_selection.tokens_median", COUNT),
            ("tool_selection.tokens_max", COUNT),
        ],
    ),
    (
        "distractors",
        &[
            ("distractors.accuracy", PERCENT),
            ("distractors.chose_correct", COUNT),
            ("distractors.chose_distractor", COUNT),
            ("distractors.distractor_count", COUNT),
            ("distractors.certified_lower", PERCENT),
            ("distractors.drop", DROP),
        ],
    ),
    (
        "orchestration",
        &[
            ("orchestration.discovery", PERCENT),
            ("orchestration.parameterization", PERCENT),
            ("orchestration.syntax", PERCENT),
            ("orchestration.error_recovery", PERCENT),
            ("orchestration.efficiency", PERCENT),
            ("orchestration.schema_validity", PERCENT),
            ("orchestration.hallucination", PERCENT),
        ],
    ),
    (
        "token_efficiency",
        &[
            ("token_efficiency.f1", PERCENT),
            ("token_efficiency.tool_surface_tokens", COUNT),
            ("token_efficiency.correct_selections", COUNT),
            ("token_efficiency.cost", COUNT),
            ("token_efficiency.tokens_per_correct", COUNT),
            ("token_efficiency.cost_per_correct", COUNT),
        ],
    ),
    ("trajectory", &[("trajectory.passed", FRACTION), ("trajectory.mismatch_count", COUNT)]),
    (
        "trajectory_axes",
        &[
            ("trajectory.dependency_satisfaction", PERCENT),
            ("trajectory.order_satisfaction", PERCENT),
        ],
    ),
    (
        "golden_path",
        &[
            ("golden_path.passed", FRACTION),
            ("golden_path.penalty", FRACTION),
            ("golden_path.edit_distance", COUNT),
            ("golden_path.extra_steps", COUNT),
            ("golden_path.repeated_tools", COUNT),
            ("golden_path.backtracks", COUNT),
        ],
    ),
    (
        "tool_edges",
        &[
            ("edges.allowed_pct", PERCENT),
            ("edges.restricted_attempts", COUNT),
            ("edges.delegation_pct", PERCENT),
        ],
    ),
    (
        "stability",
        &[
            ("stability.trajectory_agreement", FRACTION),
            ("stability.selection_agreement", FRACTION),
            ("stability.redundancy", FRACTION),
            ("stability.token_cv", COUNT),
        ],
    ),
    (
        "recovery",
        &[
            ("recovery.faults_hit", COUNT),
            ("recovery.recovered", PERCENT),
            ("recovery.extra_calls", COUNT),
        ],
    ),
    (
        "narrative",
        &[("narrative.claimed_but_absent", COUNT), ("narrative.unclaimed_mutations", COUNT)],
    ),
    (
        "tool_quality",
        &[
            ("min_score", FRACTION),
            ("mean_score", FRACTION),
            ("critical_count", COUNT),
            ("warning_count", COUNT),
            ("schema_criticals", COUNT),
            ("schema_warnings", COUNT),
            ("smells.underspecified", COUNT),
            ("smells.verbose", COUNT),
            ("smells.uninformative", COUNT),
            ("smells.brittle", COUNT),
            ("smells.missing_examples", COUNT),
            ("smells.missing_return_format", COUNT),
            ("smells.invalid_annotation", COUNT),
            ("smells.missing_annotations", COUNT),
            ("smell_total", COUNT),
            ("components.mean", STARS),
            ("components.min", STARS),
        ],
    ),
];

/// Targets of one run that are plain words.
const RUN_TARGETS: &[&str] = &[
    "tool_calls.length",
    "tool_names",
    "final_response",
    "conversation.tokens.prompt",
    "conversation.tokens.completion",
    "conversation.tokens.total",
    "conversation.cost_usd",
    "conversation.duration_ms",
    "conversation.turns",
];

/// The description components of `tool["x"].components.NAME`.
const COMPONENTS: &[&str] = &[
    "purpose",
    "usage_guideline",
    "limitation",
    "parameter_explanation",
    "examples",
    "completeness",
];

/// What is known of a valid target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known {
    /// A number within a range.
    Number(Range),
    /// Anything.
    Any,
}

/// The targets of a gate block.
pub fn names(block: &str) -> impl Iterator<Item = &'static str> {
    let targets = BLOCKS.iter().find(|(name, _)| *name == block).map_or(&[][..], |(_, list)| list);
    targets.iter().map(|(name, _)| *name)
}

/// Looks a target of a gate block (or of `tool_quality`) up; the error is the next step.
pub fn of_block(block: &str, target: &str) -> Result<Known, String> {
    let targets = BLOCKS.iter().find(|(name, _)| *name == block).map_or(&[][..], |(_, list)| list);
    if let Some((_, range)) = targets.iter().find(|(name, _)| *name == target) {
        return Ok(Known::Number(*range));
    }
    if block == "tool_quality" && target.starts_with("tool[") {
        return of_one_tool(target);
    }
    if let Some(owner) = owner(target) {
        return Err(format!(
            "`{target}` belongs to the `{owner}` block; assert it in that block's `expect`"
        ));
    }
    let names = targets.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    Err(suggest::did_you_mean(target, &names))
}

/// Looks a target of one agent run up; the error is the next step.
pub fn of_run(target: &str) -> Result<Known, String> {
    if RUN_TARGETS.contains(&target) {
        return Ok(match target {
            "tool_names" | "final_response" => Known::Any,
            _ => Known::Number(COUNT),
        });
    }
    if let Some(rest) = target.strip_prefix("tool_calls[") {
        return of_call(rest);
    }
    if let Some(owner) = owner(target) {
        return Err(format!(
            "`{target}` is folded over all runs; assert it in the `{owner}` block's `expect`"
        ));
    }
    let mut names = RUN_TARGETS.to_vec();
    names.extend(["tool_calls[0].name", "tool_calls[0].args", "tool_calls[0].result"]);
    Err(suggest::did_you_mean(target, &names))
}

/// Looks a target of a tool test up; the error is the next step.
pub fn of_tool_test(target: &str) -> Result<Known, String> {
    match target {
        "result" | "is_error" => Ok(Known::Any),
        "duration_ms" => Ok(Known::Number(COUNT)),
        _ if target.starts_with("result.") || target.starts_with("result[") => {
            crate::path::parse(target).map(|_| Known::Any).map_err(|error| error.to_string())
        }
        _ => Err(suggest::did_you_mean(
            target,
            &["result", "result.content[0].text", "is_error", "duration_ms"],
        )),
    }
}

/// `N].name` and so on.
fn of_call(rest: &str) -> Result<Known, String> {
    const FIELDS: &[&str] = &["name", "server", "args", "is_error", "result"];
    let usage = || {
        "write `tool_calls[0].name`, `.server`, `.args.…`, `.is_error` or `.result.…`".to_owned()
    };
    let (index, field) = rest.split_once("].").ok_or_else(usage)?;
    if index.parse::<usize>().is_err() {
        return Err(format!("`{index}` is no call number; {}", usage()));
    }
    crate::path::parse(field).map_err(|error| error.to_string())?;
    let word = field.split(['.', '[']).next().unwrap_or(field);
    let may_go_deeper = matches!(word, "args" | "result");
    if FIELDS.contains(&word) && (may_go_deeper || word == field) {
        Ok(Known::Any)
    } else {
        Err(suggest::did_you_mean(word, FIELDS))
    }
}

/// `tool["read_file"].score` and `tool["read_file"].components.purpose`.
fn of_one_tool(target: &str) -> Result<Known, String> {
    let usage = "write `tool[\"name\"].score` or `tool[\"name\"].components.purpose`";
    let field = target
        .strip_prefix("tool[\"")
        .and_then(|rest| rest.rsplit_once("\"]."))
        .map(|(_, field)| field);
    match field {
        Some("score") => Ok(Known::Number(FRACTION)),
        Some(field) => match field.strip_prefix("components.") {
            Some(name) if COMPONENTS.contains(&name) => Ok(Known::Number(STARS)),
            Some(name) => Err(suggest::did_you_mean(name, COMPONENTS)),
            None => Err(usage.to_owned()),
        },
        None => Err(usage.to_owned()),
    }
}

/// The block a target belongs to.
fn owner(target: &str) -> Option<&'static str> {
    BLOCKS
        .iter()
        .find(|(_, targets)| targets.iter().any(|(name, _)| *name == target))
        .map(|(block, _)| *block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_name_the_target_that_was_meant() {
        assert_eq!(
            of_block("distractors", "distractors.acuracy").unwrap_err(),
            "did you mean `distractors.accuracy`?"
        );
        assert!(
            of_block("distractors", "tool_selection.f1")
                .unwrap_err()
                .contains("`equal_function_sets`")
        );
        assert!(of_run("tool_selection.recall").unwrap_err().contains("folded over all runs"));
        assert_eq!(of_run("final_reponse").unwrap_err(), "did you mean `final_response`?");
    }

    #[test]
    fn calls_of_a_run_have_fields() {
        for good in [
            "tool_calls[0].name",
            "tool_calls[12].args.a.b[0]",
            "tool_calls[1].result.content[0].text",
        ] {
            assert_eq!(of_run(good), Ok(Known::Any), "{good}");
        }
        for bad in [
            "tool_calls[x].name",
            "tool_calls[0]",
            "tool_calls[0].nam",
            "tool_calls[0].name.x",
            "tool_calls[0].args[",
            "tool_calls[-1].name",
        ] {
            assert!(of_run(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_tool_is_named_in_quotes() {
        assert!(of_block("tool_quality", "tool[\"read_file\"].score").is_ok());
        assert!(of_block("tool_quality", "tool[\"a.b\"].components.purpose").is_ok());
        assert!(of_block("tool_quality", "tool[read_file].score").is_err());
        assert!(
            of_block("tool_quality", "tool[\"x\"].components.purpse")
                .unwrap_err()
                .contains("purpose")
        );
    }
}
