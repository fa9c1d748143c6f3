//! "Did you mean …": the nearest of the words that would have been right.

/// The candidate nearest to `word`, if it is near enough to be a slip of the pen or a beginning.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    let limit = (word.chars().count() / 3).max(1);
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let begins = folded.chars().count() >= 3 && candidate.starts_with(&folded);
        if begins { limit } else { strsim::damerau_levenshtein(&folded, &candidate) }
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`?" or, with nothing near, "expected one of …".
pub fn did_you_mean(word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if candidates.is_empty() => "nothing can stand here".to_owned(),
        None => format!("expected one of {}", list(candidates)),
    }
}

/// `a`, `b`, `c`: at most twelve of them.
pub fn list(words: &[&str]) -> String {
    let mut text =
        words.iter().take(12).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    if words.len() > 12 {
        text.push_str(&format!(" and {} more", words.len() - 12));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let keys = ["expect", "prompt", "servers"];
        assert_eq!(nearest("expct", keys), Some("expect"));
        assert_eq!(nearest("Servers", keys), Some("servers"));
        assert_eq!(nearest("serv", keys), Some("servers"));
        assert_eq!(nearest("banana", keys), None);
    }
}
