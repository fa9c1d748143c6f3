//! A seeded permutation of which the first N are taken, so that the sets of a sweep nest.

/// The first `count` positions of a pool of `size`, in the order given by `seed`.
///
/// SplitMix64 and Fisher–Yates are written out here because their bytes are part of the contract:
/// a library may change its generator, a recorded sweep may not.
pub fn draw(size: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut order = (0..size).collect::<Vec<_>>();
    let mut state = seed;
    for at in 0..count.min(size) {
        let left = (size - at) as u64;
        // The high half of a 128-bit product maps the word onto 0..left without modulo bias to speak of.
        let pick = ((u128::from(next(&mut state)) * u128::from(left)) >> 64) as usize;
        order.swap(at, at + pick);
    }
    order.truncate(count);
    order
}

/// SplitMix64 (Steele, Lea, Flood 2014).
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // Reference values of the published algorithm for seed 1234567.
        let mut state = 1_234_567;
        assert_eq!(next(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(next(&mut state), 3_203_168_211_198_807_973);
    }

    proptest! {
        #[test]
        fn smaller_sets_nest_in_larger_ones(size in 1usize..300, seed: u64, a in 0usize..300, b in 0usize..300) {
            let (small, large) = (a.min(b), a.max(b));
            let large = draw(size, large, seed);
            prop_assert_eq!(&draw(size, small, seed)[..], &large[..small.min(size)]);
            let mut sorted = large.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), large.len());
            prop_assert!(large.iter().all(|at| *at < size));
        }
    }
}
