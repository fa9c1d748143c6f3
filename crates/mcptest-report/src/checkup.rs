//! What `mcptest doctor` found, for a person: connection, protocol, violations, the price list.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use mcptest_score::checkup::{Checkup, ToolLine};
use serde_json::Value;

use crate::text::{clean, shorten};
use crate::words;

/// Renders one checkup for a terminal of `width` columns.
pub fn render(checkup: &Checkup, width: usize) -> String {
    let mut text = heading(checkup);
    if let Some(protocol) = &checkup.protocol {
        let lifecycle =
            if protocol.lifecycle == "stateless" { "no handshake" } else { "initialize handshake" };
        text += &format!("  protocol      {} ({lifecycle})\n", clean(&protocol.version));
        text += &format!("  capabilities  {}\n", capabilities(&protocol.capabilities));
    }
    if !checkup.steps.is_empty() {
        text += "\nConnection\n";
        let mut table = table(width);
        for step in &checkup.steps {
            let row = [
                format!(" {}", clean(&step.step)),
                format!("{:.1} ms", step.duration_ms),
                one_line(&step.outcome),
            ];
            table.add_row(row);
        }
        align_right(&mut table, &[1]);
        text += &lines(&table);
    }
    text += "\nProtocol violations\n";
    if checkup.violations.is_empty() {
        text +=
            if checkup.protocol.is_some() { "  none seen\n" } else { "  a snapshot has none\n" };
    }
    for violation in &checkup.violations {
        text += &format!("  ✗ {}\n", one_line(&violation.message));
    }
    text += &format!(
        "\nTools, with their price in cl100k tokens\n{}",
        price_list(&checkup.tools, width)
    );
    let totals = &checkup.totals;
    text += &format!(
        "\n{}, {} tokens: {}% of a 200k context on every model call\n",
        words::count(totals.tools as u64, "tool"),
        words::thousands(totals.tokens),
        totals.context_percent,
    );
    text
}

fn heading(checkup: &Checkup) -> String {
    let server = &checkup.server;
    let mut text = format!("{}\n", clean(&server.address));
    if let Some(name) = &server.name {
        let version = server
            .version
            .as_deref()
            .map_or_else(String::new, |version| format!(" {}", clean(version)));
        text += &format!("  server        {}{version}\n", clean(name));
    }
    if let Some(instructions) = &server.instructions {
        text += &format!("  instructions  {}\n", one_line(instructions));
    }
    text
}

/// The names of the capabilities, with those of their parts that are switched on.
fn capabilities(value: &Value) -> String {
    let Some(entries) = value.as_object().filter(|entries| !entries.is_empty()) else {
        return "none".to_owned();
    };
    let parts = entries.iter().map(|(name, value)| {
        let on =
            value.as_object().into_iter().flatten().filter(|(_, on)| **on == Value::Bool(true));
        let on = on.map(|(part, _)| clean(part).into_owned()).collect::<Vec<_>>();
        if on.is_empty() {
            clean(name).into_owned()
        } else {
            format!("{} ({})", clean(name), on.join(", "))
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}

fn price_list(tools: &[ToolLine], width: usize) -> String {
    if tools.is_empty() {
        return "  none\n".to_owned();
    }
    let mut table = table(width);
    table.set_header([" tool", "parameters", "annotations", "tokens"]);
    for tool in tools {
        let parameters = match (tool.parameters, tool.required) {
            (0, _) => "none".to_owned(),
            (all, required) => format!("{all}, {required} required"),
        };
        let annotations =
            if tool.annotations.is_empty() { "-".to_owned() } else { tool.annotations.join(", ") };
        table.add_row([
            format!(" {}", one_line(&tool.name)),
            parameters,
            annotations,
            tool.tokens.to_string(),
        ]);
    }
    align_right(&mut table, &[3]);
    lines(&table)
}

fn table(width: usize) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(120));
    table
}

fn align_right(table: &mut Table, columns: &[usize]) {
    for column in columns {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn lines(table: &Table) -> String {
    table.lines().map(|line| format!(" {}\n", line.trim_end())).collect()
}

fn one_line(text: &str) -> String {
    shorten(&clean(text), 200).into_owned()
}
