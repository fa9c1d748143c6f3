//! `${args.x}` in the strings of an answer.
//!
//! A string that is only a placeholder becomes the argument itself and keeps its JSON type, null
//! where the argument is missing. Inside a longer text a string stands as it is, anything else as
//! compact JSON, and a missing argument as nothing. `$${` is a literal `${`.

use serde_json::{Map, Value};

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Taken as it is.
    Literal(&'a str),
    /// An argument, by its path below `args`.
    Argument(Vec<Step<'a>>),
    /// Something in `${…}` that is no argument: taken as it is, and reported when loading.
    Unknown(&'a str),
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into a mapping.
    Key(&'a str),
    /// Into a list.
    Index(usize),
}

/// Cuts a text into its pieces.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            // The escape: drop one of the two signs.
            push_literal(&mut pieces, &rest[..at - 1]);
            push_literal(&mut pieces, "${");
            rest = &rest[at + 2..];
            continue;
        }
        push_literal(&mut pieces, &rest[..at]);
        let Some(end) = rest[at..].find('}').map(|end| at + end + 1) else {
            pieces.push(Piece::Unknown(&rest[at..]));
            return pieces;
        };
        match path(&rest[at + 2..end - 1]) {
            Some(path) => pieces.push(Piece::Argument(path)),
            None => pieces.push(Piece::Unknown(&rest[at..end])),
        }
        rest = &rest[end..];
    }
    push_literal(&mut pieces, rest);
    pieces
}

fn push_literal<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if !text.is_empty() {
        pieces.push(Piece::Literal(text));
    }
}

/// Reads `args.a.b[0]`.
fn path(text: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = text.trim().strip_prefix("args")?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return None;
            }
            steps.push(Step::Key(&after[..end]));
            rest = &after[end..];
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

fn find<'v>(arguments: &'v Value, path: &[Step<'_>]) -> Option<&'v Value> {
    path.iter().try_fold(arguments, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

/// Whether rendering the value can change it.
pub fn is_dynamic(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("${"),
        Value::Array(items) => items.iter().any(is_dynamic),
        Value::Object(map) => map.values().any(is_dynamic),
        _ => false,
    }
}

/// The value with its placeholders replaced.
pub fn render(value: &Value, arguments: &Value) -> Value {
    match value {
        Value::String(text) => render_text(text, arguments),
        Value::Array(items) => items.iter().map(|item| render(item, arguments)).collect(),
        Value::Object(map) => Value::Object(render_map(map, arguments)),
        other => other.clone(),
    }
}

/// The mapping with its placeholders replaced.
pub fn render_map(map: &Map<String, Value>, arguments: &Value) -> Map<String, Value> {
    map.iter().map(|(key, value)| (key.clone(), render(value, arguments))).collect()
}

fn render_text(text: &str, arguments: &Value) -> Value {
    if !text.contains("${") {
        return Value::String(text.to_owned());
    }
    let pieces = pieces(text);
    if let [Piece::Argument(path)] = pieces.as_slice() {
        return find(arguments, path).cloned().unwrap_or(Value::Null);
    }
    let mut out = String::with_capacity(text.len());
    for piece in &pieces {
        match piece {
            Piece::Literal(text) | Piece::Unknown(text) => out.push_str(text),
            Piece::Argument(path) => match find(arguments, path) {
                None => {}
                Some(Value::String(text)) => out.push_str(text),
                Some(value) => out.push_str(&value.to_string()),
            },
        }
    }
    Value::String(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(template: Value) -> Value {
        let arguments = json!({"query": "notebook", "limit": 5, "a": {"b": [true, {"c": null}]}, "tags": ["x"]});
        render(&template, &arguments)
    }

    #[test]
    fn an_argument_stands_in_a_text() {
        assert_eq!(rendered(json!("for ${args.query}, ${args.limit}")), json!("for notebook, 5"));
        assert_eq!(rendered(json!("b: ${args.a.b[0]} ${ args.tags }")), json!("b: true [\"x\"]"));
        assert_eq!(rendered(json!("[${args.nothing}]")), json!("[]"));
        assert_eq!(rendered(json!("<${args.a.b[1].c}>")), json!("<null>"));
    }

    #[test]
    fn a_lone_placeholder_keeps_its_type() {
        assert_eq!(rendered(json!("${args.limit}")), json!(5));
        assert_eq!(rendered(json!({"x": ["${args.a.b[0]}"]})), json!({"x": [true]}));
        assert_eq!(rendered(json!("${args.a.b[7]}")), Value::Null);
        assert_eq!(rendered(json!("${args.query}")), json!("notebook"));
        assert_eq!(rendered(json!("${args}"))["limit"], json!(5));
    }

    #[test]
    fn what_is_no_argument_stays() {
        for text in ["${env.HOME}", "${args.", "${args..x} y", "${args[x]} z", "$5 and ${"] {
            assert_eq!(rendered(json!(text)), json!(text));
        }
        assert_eq!(rendered(json!("$${args.limit}")), json!("${args.limit}"));
        assert_eq!(rendered(json!("$$${args.limit}")), json!("$${args.limit}"));
    }

    #[test]
    fn rendering_twice_is_not_done() {
        let arguments = json!({"query": "${args.limit}", "limit": 5});
        assert_eq!(render(&json!("q=${args.query}"), &arguments), json!("q=${args.limit}"));
    }
}
