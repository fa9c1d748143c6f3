//! Mistakes in files, shown with the line they are in.

mod window;

use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use mcptest_suite::diagnostic::{Diagnostic, Position, Severity, Source};
use serde_json::{Value, json};

use crate::text::message;
use crate::words::count;
use window::{Lines, Window};

/// All diagnostics in the order of the source, and a line that counts them.
pub fn render(diagnostics: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    each(diagnostics, |diagnostic, lines| {
        out += &one(diagnostic, lines, &renderer);
        out += "\n\n";
    });
    if !diagnostics.is_empty() {
        out += &closing(diagnostics);
    }
    out
}

/// All diagnostics as data, in the order of the source; columns count characters.
pub fn to_json(diagnostics: &[Diagnostic]) -> Value {
    let mut all = Vec::new();
    each(diagnostics, |diagnostic, lines| {
        let start = lines.position(diagnostic.span.start);
        let end = lines.position(diagnostic.span.end.max(diagnostic.span.start));
        all.push(json!({
            "severity": word(diagnostic.severity),
            "code": diagnostic.code,
            "message": diagnostic.message,
            "file": &*diagnostic.source.name,
            "line": start.line,
            "column": start.column,
            "end_line": end.line,
            "end_column": end.column,
            "label": diagnostic.label,
            "help": diagnostic.help,
        }));
    });
    Value::Array(all)
}

/// Calls `visit` for each diagnostic, by file as they first appear, then by position.
fn each(diagnostics: &[Diagnostic], mut visit: impl FnMut(&Diagnostic, &Lines<'_>)) {
    let mut sources: Vec<&Source> = Vec::new();
    let mut ordered = Vec::new();
    for diagnostic in diagnostics {
        let known = sources.iter().position(|source| same(source, &diagnostic.source));
        let file = known.unwrap_or(sources.len());
        if known.is_none() {
            sources.push(&diagnostic.source);
        }
        ordered.push((file, diagnostic));
    }
    ordered.sort_by_key(|(file, diagnostic)| (*file, diagnostic.span));
    // Finding line starts takes a walk over the text: once per file, not once per diagnostic.
    let mut current: Option<(usize, Lines<'_>)> = None;
    for (file, diagnostic) in ordered {
        if current.as_ref().is_none_or(|(of, _)| *of != file) {
            current = Some((file, Lines::of(&sources[file].text)));
        }
        if let Some((_, lines)) = &current {
            visit(diagnostic, lines);
        }
    }
}

/// Whether two sources are the same file; texts are compared only where they are two copies.
fn same(one: &Source, other: &Source) -> bool {
    one.name == other.name && (Arc::ptr_eq(&one.text, &other.text) || one.text == other.text)
}

/// One diagnostic the way rustc shows it.
fn one(diagnostic: &Diagnostic, lines: &Lines<'_>, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let window = Window::around(lines, diagnostic.span);
    let file = Some(message(&diagnostic.source.name)).filter(|name| !name.is_empty());
    let file = file.unwrap_or_else(|| "(no name)".to_owned());
    let label = diagnostic.label.as_deref().map(message);
    let annotation = AnnotationKind::Primary.span(window.span).label(label);
    let snippet = Snippet::source(window.text).line_start(window.first_line).path(&file);
    let mut group = level
        .primary_title(message(&diagnostic.message))
        .id(diagnostic.code)
        .element(snippet.annotation(annotation));
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(message(help)));
    }
    let rendered = renderer.render(&[group]);
    placed(&rendered, &file, lines.position(diagnostic.span.start))
}

/// Puts the true position into ` --> file:line:column`.
///
/// The renderer counts columns in the window, where a long line has lost its beginning, and
/// has no line after the last line break.
fn placed(rendered: &str, file: &str, position: Position) -> String {
    let second = rendered.find('\n').map_or(0, |at| at + 1);
    let end = rendered[second..].find('\n').map_or(rendered.len(), |at| second + at);
    let Some(at) = rendered[second..end].rfind(file) else {
        return rendered.to_owned();
    };
    let (head, tail) = rendered.split_at(second + at + file.len());
    let tail = tail.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    format!("{head}:{}:{}{tail}", position.line, position.column)
}

/// `3 errors, 1 warning in suite.yml`
fn closing(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count() as u64;
    let warnings = diagnostics.len() as u64 - errors;
    let parts = [(errors, "error"), (warnings, "warning")];
    let counted = parts.iter().filter(|(number, _)| *number > 0);
    let counted: Vec<String> = counted.map(|(number, noun)| count(*number, noun)).collect();
    let mut files: Vec<&str> = diagnostics.iter().map(|found| &*found.source.name).collect();
    files.sort_unstable();
    files.dedup();
    let place = match files.as_slice() {
        [file] => message(file),
        many => count(many.len() as u64, "file"),
    };
    format!("{} in {place}\n", counted.join(", "))
}

/// The word for a severity.
const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

#[cfg(test)]
mod tests;
