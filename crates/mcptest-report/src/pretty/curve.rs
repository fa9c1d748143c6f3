//! A distractor sweep as a small bar chart.

use mcptest_score::result::Gate;

use super::page::Page;

/// Columns of a bar at 100 percent, where there is room.
const BAR: usize = 20;
/// Columns of everything else on the line.
const REST: usize = 46;

/// One line per count: accuracy as a number and a bar, the certified floor, the runs.
pub fn draw(page: &mut Page, gate: &Gate) {
    let Some(points) = gate.detail.curve.as_deref().filter(|points| !points.is_empty()) else {
        return;
    };
    let dim = page.palette.dim;
    let full = BAR.min(page.width().saturating_sub(REST));
    let bar_head = " ".repeat(full);
    let head = format!("distractors  accuracy  {bar_head}  certified  runs");
    page.line(6, &format!("{dim}{head}{dim:#}"));
    for point in points {
        let number = |figure: Option<u32>| figure.map_or_else(|| "–".to_owned(), |n| n.to_string());
        let filled = point.accuracy.unwrap_or(0).min(100) as usize * full / 100;
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(full - filled));
        let (count, runs) = (point.distractor_count, point.runs);
        let (accuracy, floor) = (number(point.accuracy), number(point.certified_lower));
        page.line(6, &format!("{count:>11}  {accuracy:>8}  {bar}  {floor:>9}  {runs:>4}"));
    }
}
