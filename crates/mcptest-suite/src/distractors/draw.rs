//! A seeded permutation of which the first N are taken, so that the sets of a sweep nest.

/// The first `count` positions of a pool of `size`, in the order given by `seed`.
///
/// SplitMix64 and Fisher–Yates are written out here because their bytes are part of the contract:
/// a library may change its generator, a recorded sweep may not.
pub fn draw(size: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut order = (0..size).collect::<Vec<_>>();
    for at in 0..count.min(size) {
        let left = (size - at) as u64;
        // The high half of a 128-bit product maps the word onto 0..left without modulo bias to speak of.
        let pick = ((u128::from(split_mix(seed, at as u64 + 1)) * u128::from(left)) >> 64) as usize;
        order.swap(at, at + pick);
    }
    order.truncate(count);
    order
}

/// The `n`th output of SplitMix64 (Steele, Lea, Flood 2014), counted from 1.
///
/// Its state only ever grows by a constant, so none has to be kept between calls.
pub const fn split_mix(seed: u64, n: u64) -> u64 {
    let mut word = seed.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
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
        assert_eq!(split_mix(1_234_567, 1), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(1_234_567, 2), 3_203_168_211_198_807_973);
        assert_eq!(split_mix(1_234_567, 3), 9_817_491_932_198_370_423);
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
