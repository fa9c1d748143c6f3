//! Exact statistics.

use statrs::distribution::{Beta, ContinuousCDF};

/// One-sided exact (Clopper–Pearson) lower bound at 95 %: BetaInv(0.05; x, n−x+1), 0 when x = 0.
pub fn clopper_pearson_lower(successes: u64, trials: u64) -> f64 {
    const ALPHA: f64 = 0.05;
    if successes == 0 {
        return 0.0;
    }
    if successes >= trials {
        // The closed form of BetaInv(α; n, 1).
        return ALPHA.powf(1.0 / trials as f64);
    }
    match Beta::new(successes as f64, (trials - successes + 1) as f64) {
        Ok(beta) => beta.inverse_cdf(ALPHA),
        Err(_) => 0.0,
    }
}

/// The bound as an integer percent, floored after adding 1e-9.
pub fn certified_percent(successes: u64, trials: u64) -> u64 {
    (clopper_pearson_lower(successes, trials) * 100.0 + 1e-9).floor() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_the_contract() {
        for (successes, trials, percent) in [
            (1, 1, 5),
            (4, 4, 47),
            (4, 5, 34),
            (10, 10, 74),
            (9, 10, 60),
            (20, 20, 86),
            (59, 59, 95),
            (0, 7, 0),
        ] {
            assert_eq!(certified_percent(successes, trials), percent, "{successes}/{trials}");
        }
    }

    /// P(X >= x) for X ~ Binomial(n, p), summed term by term.
    fn upper_tail(successes: u64, trials: u64, p: f64) -> f64 {
        let log_choose =
            |k: u64| (1..=k).map(|i| (((trials - k + i) as f64) / i as f64).ln()).sum::<f64>();
        (successes..=trials)
            .map(|k| {
                (log_choose(k) + k as f64 * p.ln() + (trials - k) as f64 * (1.0 - p).ln()).exp()
            })
            .sum()
    }

    #[test]
    fn the_bound_solves_the_binomial_tail_for_all_n_up_to_200() {
        // The bound is the p at which x or more successes have a chance of exactly 5 %.
        for trials in 1..=200 {
            for successes in 1..=trials {
                let bound = clopper_pearson_lower(successes, trials);
                assert!(bound > 0.0 && bound < 1.0);
                let tail = upper_tail(successes, trials, bound);
                assert!(
                    (tail - 0.05).abs() < 1e-9,
                    "{successes}/{trials}: p = {bound}, tail = {tail}"
                );
            }
        }
    }

    #[test]
    fn large_samples_stay_sane() {
        let bound = clopper_pearson_lower(99_000, 100_000);
        assert!(bound > 0.989 && bound < 0.99, "{bound}");
    }
}
