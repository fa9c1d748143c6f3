//! Comparing sequences and pairing sets: edit distance, longest common subsequence, matching.

/// Levenshtein distance between two sequences under `same`.
pub fn edit_distance<A, B>(left: &[A], right: &[B], same: impl Fn(&A, &B) -> bool) -> usize {
    let mut row = (0..=right.len()).collect::<Vec<_>>();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(!same(a, b));
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

/// The pairs of a longest common subsequence, as positions in both.
///
/// Hirschberg's way: the left side is halved again and again, so that two rows are kept and never
/// the whole table, whatever the length of a trace.
pub fn common_subsequence<A, B>(
    left: &[A],
    right: &[B],
    same: impl Fn(&A, &B) -> bool,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    halve(left, right, (0, 0), &same, &mut pairs);
    pairs
}

fn halve<A, B>(
    left: &[A],
    right: &[B],
    at: (usize, usize),
    same: &impl Fn(&A, &B) -> bool,
    pairs: &mut Vec<(usize, usize)>,
) {
    if left.is_empty() || right.is_empty() {
        return;
    }
    if let [only] = left {
        pairs.extend(right.iter().position(|other| same(only, other)).map(|j| (at.0, at.1 + j)));
        return;
    }
    let middle = left.len() / 2;
    let before = lengths(left[..middle].iter(), right.iter(), right.len(), same);
    let after = lengths(left[middle..].iter().rev(), right.iter().rev(), right.len(), same);
    // Where the right side is cut so that both halves together are longest; of equals the first.
    let total = |cut: usize| before[cut] + after[right.len() - cut];
    let cut = (0..=right.len()).rev().max_by_key(|cut| total(*cut)).unwrap_or_default();
    halve(&left[..middle], &right[..cut], at, same, pairs);
    halve(&left[middle..], &right[cut..], (at.0 + middle, at.1 + cut), same, pairs);
}

/// The length of a longest common subsequence of all of `left` with every beginning of `right`.
fn lengths<'a, A: 'a, B: 'a>(
    left: impl Iterator<Item = &'a A>,
    right: impl Iterator<Item = &'a B> + Clone,
    width: usize,
    same: &impl Fn(&A, &B) -> bool,
) -> Vec<u32> {
    let mut row = vec![0u32; width + 1];
    for a in left {
        let mut diagonal = 0;
        for (j, b) in right.clone().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if same(a, b) { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row
}

/// A maximum matching between two sets, as pairs of positions (augmenting paths, breadth first).
pub fn maximum_matching<A, B>(
    left: &[A],
    right: &[B],
    fits: impl Fn(&A, &B) -> bool,
) -> Vec<(usize, usize)> {
    let edges = left
        .iter()
        .map(|a| {
            right.iter().enumerate().filter(|(_, b)| fits(a, b)).map(|(j, _)| j).collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    let mut owner: Vec<Option<usize>> = vec![None; right.len()];
    for start in 0..left.len() {
        augment(start, &edges, &mut owner);
    }
    let mut pairs =
        owner.iter().enumerate().filter_map(|(j, i)| Some(((*i)?, j))).collect::<Vec<_>>();
    pairs.sort_unstable();
    pairs
}

/// Finds one augmenting path from `start` and flips it.
fn augment(start: usize, edges: &[Vec<usize>], owner: &mut [Option<usize>]) {
    // came_from[j] is the left node from which the right node j was reached.
    let mut came_from: Vec<Option<usize>> = vec![None; owner.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(i) = queue.pop_front() {
        for &j in &edges[i] {
            if came_from[j].is_some() {
                continue;
            }
            came_from[j] = Some(i);
            match owner[j] {
                Some(next) => queue.push_back(next),
                None => return flip(j, start, &came_from, owner),
            }
        }
    }
}

fn flip(mut j: usize, start: usize, came_from: &[Option<usize>], owner: &mut [Option<usize>]) {
    while let Some(i) = came_from[j] {
        let before = owner.iter().position(|held| *held == Some(i));
        owner[j] = Some(i);
        match before {
            Some(previous) if i != start => j = previous,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, by recursion.
    fn naive_distance(a: &[u8], b: &[u8]) -> usize {
        match (a.split_first(), b.split_first()) {
            (None, _) => b.len(),
            (_, None) => a.len(),
            (Some((x, a_rest)), Some((y, b_rest))) if x == y => naive_distance(a_rest, b_rest),
            (Some((_, a_rest)), Some((_, b_rest))) => {
                1 + naive_distance(a_rest, b_rest)
                    .min(naive_distance(a, b_rest))
                    .min(naive_distance(a_rest, b))
            }
        }
    }

    /// The largest matching, by trying everything.
    fn naive_matching(edges: &[Vec<bool>], used: &mut Vec<bool>) -> usize {
        let Some((first, rest)) = edges.split_first() else { return 0 };
        let mut best = naive_matching(rest, used);
        for j in 0..first.len() {
            if first[j] && !used[j] {
                used[j] = true;
                best = best.max(1 + naive_matching(rest, used));
                used[j] = false;
            }
        }
        best
    }

    /// The longest common subsequence, by trying every subset of the left side.
    fn naive_common(a: &[u8], b: &[u8]) -> usize {
        (0u32..1 << a.len())
            .filter(|mask| {
                let mut rest = b.iter();
                a.iter()
                    .enumerate()
                    .filter(|(i, _)| mask >> i & 1 == 1)
                    .all(|(_, x)| rest.any(|y| y == x))
            })
            .map(u32::count_ones)
            .max()
            .unwrap_or_default() as usize
    }

    proptest! {
        #[test]
        fn edit_distance_is_the_textbook_one(a in prop::collection::vec(0u8..3, 0..7), b in prop::collection::vec(0u8..3, 0..7)) {
            prop_assert_eq!(edit_distance(&a, &b, |x, y| x == y), naive_distance(&a, &b));
        }

        #[test]
        fn common_subsequence_is_longest_and_real(a in prop::collection::vec(0u8..3, 0..8), b in prop::collection::vec(0u8..3, 0..8)) {
            let pairs = common_subsequence(&a, &b, |x, y| x == y);
            prop_assert_eq!(pairs.len(), naive_common(&a, &b));
            prop_assert!(pairs.iter().all(|(i, j)| a[*i] == b[*j]));
            prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }

        #[test]
        fn matching_is_maximum_and_real(edges in (0usize..7).prop_flat_map(|n| prop::collection::vec(prop::collection::vec(any::<bool>(), n), 0..7))) {
            let width = edges.first().map_or(0, Vec::len);
            let left = (0..edges.len()).collect::<Vec<_>>();
            let right = (0..width).collect::<Vec<_>>();
            let pairs = maximum_matching(&left, &right, |i, j| edges[*i][*j]);
            prop_assert_eq!(pairs.len(), naive_matching(&edges, &mut vec![false; width]));
            prop_assert!(pairs.iter().all(|(i, j)| edges[*i][*j]));
            let distinct = |side: Vec<usize>| side.iter().collect::<std::collections::BTreeSet<_>>().len() == side.len();
            prop_assert!(distinct(pairs.iter().map(|pair| pair.0).collect()));
            prop_assert!(distinct(pairs.iter().map(|pair| pair.1).collect()));
        }
    }
}
