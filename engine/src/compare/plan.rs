//! The length of a slice: the same for all servers, and enough for the slowest.

use serde::Serialize;

use super::judge::LEAST_PERMUTATIONS;
use crate::events::Warm;
use crate::job::StopRule;

/// The least number of transactions in a slice, of the slowest server.
pub const LEAST_TRANSACTIONS: u64 = 20;
const SHORTEST_S: f64 = 0.05;
/// Slices that would be longer are limited by their number of transactions.
const LONGEST_S: f64 = 1.0;
/// The guard (load before each slice that is not recorded) is twice the 99th percentile, within
/// these limits.
const SHORTEST_GUARD_S: f64 = 0.005;
const LONGEST_GUARD_S: f64 = 1.0;
/// The time between two slices in addition to guard and drain.
const CHANGE_S: f64 = 0.001;
const MOST_PERMUTATIONS: usize = 100_000;

/// The slices of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Plan {
    pub permutations: usize,
    #[serde(serialize_with = "as_object")]
    pub stop: StopRule,
    pub guard_ns: u64,
    /// The expected length of all permutations.
    pub expected_s: f64,
}

impl Plan {
    /// For servers with these warm-ups, within this time in seconds.
    pub fn new(warm: &[Warm], seconds: f64) -> Self {
        let times_s = warm.iter().map(time_for_the_least);
        let needed_s = times_s.clone().fold(SHORTEST_S, f64::max);
        let p99_us = warm.iter().filter_map(|it| it.p99_us);
        let p99_s = p99_us.fold(0.0, f64::max) / 1e6;
        let guard_s = (2.0 * p99_s).clamp(SHORTEST_GUARD_S, LONGEST_GUARD_S);
        let by_time = needed_s <= LONGEST_S;
        let stop = match by_time {
            true => StopRule {
                seconds: Some(needed_s),
                ..StopRule::default()
            },
            false => StopRule {
                transactions: Some(LEAST_TRANSACTIONS),
                ..StopRule::default()
            },
        };
        let slices_s: f64 = match by_time {
            true => needed_s * warm.len() as f64,
            false => times_s.sum(),
        };
        let drains_us: f64 = warm.iter().filter_map(|it| it.mean_us).sum();
        let between_s = (guard_s + CHANGE_S) * warm.len() as f64 + drains_us / 1e6;
        let permutation_s = slices_s + between_s;
        let permutations = (seconds / permutation_s) as usize;
        let permutations = permutations.clamp(LEAST_PERMUTATIONS, MOST_PERMUTATIONS);
        Self {
            permutations,
            stop,
            guard_ns: (guard_s * 1e9) as u64,
            expected_s: permutation_s * permutations as f64,
        }
    }
}

/// The time in seconds that a server needs for the least number of transactions of a slice.
fn time_for_the_least(warm: &Warm) -> f64 {
    warm.seconds * LEAST_TRANSACTIONS as f64 / warm.transactions.max(1) as f64
}

/// The stop rule with its given conditions only, as in a job.
fn as_object<S: serde::Serializer>(stop: &StopRule, to: S) -> Result<S::Ok, S::Error> {
    let seconds = stop.seconds.map(|it| ("seconds", it));
    let transactions = stop.transactions.map(|it| ("transactions", it as f64));
    to.collect_map(seconds.into_iter().chain(transactions))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warm(per_s: f64, p99_us: f64) -> Warm {
        Warm::example(per_s, p99_us)
    }

    #[test]
    fn quick_servers_have_short_slices() {
        let plan = Plan::new(&[warm(20_000.0, 500.0), warm(10_000.0, 900.0)], 10.0);
        assert_eq!(plan.stop.seconds, Some(0.05));
        assert_eq!(plan.guard_ns, 5_000_000);
        assert!((85..90).contains(&plan.permutations), "{plan:?}");
        assert!((plan.expected_s - 10.0).abs() < 0.2, "{plan:?}");
    }

    #[test]
    fn the_slowest_server_determines_the_duration() {
        let plan = Plan::new(&[warm(20_000.0, 500.0), warm(100.0, 30_000.0)], 10.0);
        assert_eq!(plan.stop.seconds, Some(0.2));
        assert_eq!(plan.guard_ns, 60_000_000);
    }

    #[test]
    fn slices_of_very_slow_servers_end_by_count() {
        let plan = Plan::new(&[warm(100.0, 1e3), warm(10.0, 1e6)], 5.0);
        assert_eq!(plan.stop.transactions, Some(20));
        assert_eq!(plan.permutations, LEAST_PERMUTATIONS);
        // 0.2 s and 2 s, and a guard of a second before each.
        assert!((41.0..50.0).contains(&plan.expected_s), "{plan:?}");
    }
}
