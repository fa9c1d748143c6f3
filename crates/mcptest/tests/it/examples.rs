//! Every command of the README and of the examples does what is printed beside it.

use std::path::{Path, PathBuf};

use crate::util::mcptest;

const PREFIX: &str = "$ cargo run -q -p mcptest -- ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of a page, each with the lines printed under it.
fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        if line.starts_with("```") {
            open = line == "```console";
            continue;
        }
        match line.strip_prefix(PREFIX) {
            _ if !open => {}
            Some(command) => found.push((command.to_owned(), Vec::new())),
            None if line.starts_with("$ ") => open = false,
            None => found
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|(_, lines)| lines.push(line.to_owned())),
        }
    }
    found
}

/// Splits a command at spaces, quotes respected.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '"' | '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.iter_mut().last().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn pages_print_what_commands_print() {
    let mut pages = vec![root().join("README.md")];
    for folder in std::fs::read_dir(root().join("examples")).unwrap() {
        pages.push(folder.unwrap().path().join("README.md"));
    }
    pages.sort();
    let mut checked = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for (command, expected) in commands(&text) {
            // Servers from a registry are tested elsewhere.
            if command.contains("npx") {
                continue;
            }
            let args = words(&command);
            let output = mcptest(&root(), &args.iter().map(String::as_str).collect::<Vec<_>>(), "");
            assert!(
                matches!(output.code, Some(0 | 1)),
                "{}: {command}: {output:?}",
                page.display()
            );
            let printed = format!("{}{}", output.stderr, output.stdout);
            for line in expected.iter().filter(|line| !line.trim().is_empty() && *line != "…") {
                assert!(
                    printed.contains(line.trim_end()),
                    "{}: {command}\nlacks: {line}\n{printed}",
                    page.display()
                );
            }
            checked += 1;
        }
    }
    assert!(checked >= 6, "only {checked} commands were found");
}
