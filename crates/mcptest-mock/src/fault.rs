//! What goes wrong, and at which calls: decided by a seed and the call's number alone.

use std::time::Duration;

use mcptest_suite::distractors::split_mix;

use crate::manifest::{FaultDetail, FaultKind, FaultSpec};

/// A fault with its defaults filled in.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What goes wrong.
    pub kind: FaultKind,
    /// How late a slow answer comes.
    pub latency: Duration,
    rate: f64,
    seed: u64,
    after: u64,
}

/// How late a slow answer comes unless the manifest says otherwise.
const SLOW: u64 = 5_000;

impl Fault {
    /// Fills in the defaults.
    pub fn new(spec: &FaultSpec) -> Self {
        let detail = match spec {
            FaultSpec::Full(detail) => detail.clone(),
            FaultSpec::Kind(kind) => {
                FaultDetail { kind: *kind, rate: None, seed: None, after: None, latency_ms: None }
            }
        };
        let usual_rate = if detail.kind == FaultKind::ErrorRate { 0.5 } else { 1.0 };
        Self {
            kind: detail.kind,
            latency: Duration::from_millis(detail.latency_ms.unwrap_or(SLOW)),
            rate: detail.rate.unwrap_or(usual_rate),
            seed: detail.seed.unwrap_or_default(),
            after: detail.after.unwrap_or_default(),
        }
    }

    /// Whether the fault strikes the call with this number, counted from 1.
    pub fn strikes(&self, call: u64) -> bool {
        call > self.after && (self.rate >= 1.0 || unit(self.seed, call) < self.rate)
    }
}

/// The `n`th output of SplitMix64, counted from 1, as a number from 0 up to 1.
fn unit(seed: u64, n: u64) -> f64 {
    // 53 bits: what a double holds exactly.
    (split_mix(seed, n) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_rate(rate: f64, seed: u64, after: u64) -> Fault {
        Fault::new(&FaultSpec::Full(FaultDetail {
            kind: FaultKind::ErrorRate,
            rate: Some(rate),
            seed: Some(seed),
            after: Some(after),
            latency_ms: None,
        }))
    }

    #[test]
    fn the_rate_is_kept_and_repeats() {
        let strikes = |seed| {
            let fault = error_rate(0.3, seed, 0);
            (1..=10_000).filter(|call| fault.strikes(*call)).collect::<Vec<_>>()
        };
        assert_eq!(strikes(1), strikes(1));
        assert_ne!(strikes(1), strikes(2));
        let struck = (0..10).map(|seed| strikes(seed).len()).sum::<usize>();
        assert!((29_500..30_500).contains(&struck), "{struck} of 100,000");
        let (never, always) = (error_rate(0.0, 1, 0), error_rate(1.0, 1, 0));
        assert!((1..1_000).all(|call| !never.strikes(call) && always.strikes(call)));
    }

    #[test]
    fn the_first_calls_are_spared() {
        let fault = error_rate(1.0, 1, 2);
        assert_eq!(
            (1..=4).map(|call| fault.strikes(call)).collect::<Vec<_>>(),
            [false, false, true, true]
        );
        assert!(Fault::new(&FaultSpec::Kind(FaultKind::Hang)).strikes(1));
    }
}
