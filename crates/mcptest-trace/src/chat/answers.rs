//! Which call a tool message answers.

use std::collections::{HashMap, VecDeque};

/// The calls that wait for their result, by index. Each index is put into and taken out of each
/// queue once, so a conversation of any length is matched in linear time.
#[derive(Debug, Default)]
pub(super) struct Answers {
    open: Vec<bool>,
    in_order: VecDeque<usize>,
    by_name: HashMap<String, VecDeque<usize>>,
    by_id: HashMap<String, (u32, VecDeque<usize>)>,
    /// Open calls that have an id.
    open_with_id: usize,
    has_id: Vec<bool>,
}

impl Answers {
    /// Notes that call `index`, the next one, waits for its result.
    pub(super) fn expect(&mut self, index: usize, turn: u32, id: Option<String>, name: &str) {
        self.open.push(true);
        self.has_id.push(id.is_some());
        self.in_order.push_back(index);
        self.by_name.entry(name.to_owned()).or_default().push_back(index);
        if let Some(id) = id {
            self.open_with_id += 1;
            // Ids are reused in real conversations: an answer then means the latest turn's call.
            let (last_turn, queue) = self.by_id.entry(id).or_default();
            if *last_turn != turn {
                queue.clear();
            }
            *last_turn = turn;
            queue.push_back(index);
        }
    }

    /// The call that a message with this id and name answers; it is closed by that.
    pub(super) fn take(&mut self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let index = self.find(id, name)?;
        self.open[index] = false;
        if self.has_id[index] {
            self.open_with_id -= 1;
        }
        Some(index)
    }

    fn find(&mut self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        if let Some((_, queue)) = id.and_then(|id| self.by_id.get_mut(id)) {
            // No other call is meant: all of this id answered is a repeated answer.
            return next_open(queue, &self.open);
        }
        if let Some(queue) = name.and_then(|name| self.by_name.get_mut(name))
            && let Some(index) = next_open(queue, &self.open)
        {
            return Some(index);
        }
        let by_order = id.is_none() || self.open_with_id == 0;
        by_order.then(|| next_open(&mut self.in_order, &self.open)).flatten()
    }
}

fn next_open(queue: &mut VecDeque<usize>, open: &[bool]) -> Option<usize> {
    while let Some(index) = queue.pop_front() {
        if open.get(index).copied().unwrap_or(false) {
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(calls: &[(u32, Option<&str>, &str)]) -> Answers {
        let mut answers = Answers::default();
        for (index, (turn, id, name)) in calls.iter().enumerate() {
            answers.expect(index, *turn, id.map(String::from), name);
        }
        answers
    }

    #[test]
    fn ids_decide_before_names_and_order() {
        let mut answers = answers(&[(1, Some("a"), "f"), (1, Some("b"), "g")]);
        assert_eq!(answers.take(Some("b"), Some("f")), Some(1));
        assert_eq!(answers.take(Some("b"), Some("f")), None, "a repeated answer");
        assert_eq!(answers.take(Some("a"), None), Some(0));
    }

    #[test]
    fn a_reused_id_means_the_latest_turn() {
        let mut answers = answers(&[(1, Some("a"), "f"), (2, Some("a"), "g"), (2, Some("a"), "h")]);
        assert_eq!(answers.take(Some("a"), None), Some(1));
        assert_eq!(answers.take(Some("a"), None), Some(2));
        assert_eq!(answers.take(Some("a"), None), None);
    }

    #[test]
    fn names_then_order_where_there_is_no_id() {
        let mut answers = answers(&[(1, None, "f"), (1, None, "g"), (2, None, "f")]);
        assert_eq!(answers.take(None, Some("g")), Some(1));
        assert_eq!(answers.take(None, None), Some(0));
        assert_eq!(answers.take(Some("unknown"), None), Some(2), "no open call has an id");
        assert_eq!(answers.take(None, None), None);
    }

    #[test]
    fn an_unknown_id_does_not_take_a_call_with_another() {
        let mut answers = answers(&[(1, Some("a"), "f")]);
        assert_eq!(answers.take(Some("x"), None), None);
        assert_eq!(answers.take(Some("x"), Some("f")), Some(0));
    }
}
