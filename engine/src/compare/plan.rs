//! The length of a slice: the same for all servers, and enough for the slowest, if time permits.

use serde::Serialize;

use super::judge::LEAST_PERMUTATIONS;
use crate::events::Warm;
use crate::job::StopRule;

/// The least number of transactions in a slice, of the slowest server, if time permits.
const ENOUGH_TRANSACTIONS: u64 = 20;
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
    /// For servers with these warm-ups, within this time in seconds. `spacing_s` is the time between
    /// two arrivals of an open load.
    ///
    /// The permutations that an interval needs may not fit with slices of the usual length. Then
    /// slices are shorter, but even the shortest has a request of each client, and the guard is
    /// left out unless it is longer than a request.
    pub fn new(warm: &[Warm], spacing_s: Option<f64>, seconds: f64) -> Self {
        let servers = warm.len() as f64;
        let permutation_s = seconds / LEAST_PERMUTATIONS as f64;
        let drains_s = warm.iter().filter_map(|it| it.mean_us).sum::<f64>() / 1e6;
        let p99_us = warm.iter().filter_map(|it| it.p99_us);
        let p99_s = p99_us.fold(0.0, f64::max) / 1e6;
        let usual = Slices::usual(warm, p99_s);
        let share = permutation_s / usual.permutation_s(servers, drains_s);
        let slices = if share >= 1.0 {
            usual
        } else {
            let guard_s = Some(usual.guard_s * share).filter(|&guard_s| guard_s >= p99_s);
            let guard_s = guard_s.unwrap_or(0.0);
            let longest_s = (permutation_s - drains_s) / servers - guard_s - CHANGE_S;
            let seconds = longest_s.max(SHORTEST_S).max(spacing_s.unwrap_or(0.0));
            let stop = StopRule {
                seconds: Some(seconds),
                ..StopRule::default()
            };
            Slices {
                stop,
                all_s: seconds * servers,
                guard_s,
            }
        };
        let permutation_s = slices.permutation_s(servers, drains_s);
        let permutations = (seconds / permutation_s) as usize;
        let permutations = permutations.clamp(LEAST_PERMUTATIONS, MOST_PERMUTATIONS);
        Self {
            permutations,
            stop: slices.stop,
            guard_ns: (slices.guard_s * 1e9) as u64,
            expected_s: permutation_s * permutations as f64,
        }
    }
}

/// The slices of a permutation.
struct Slices {
    stop: StopRule,
    /// The length of all of them.
    all_s: f64,
    /// The guard of each.
    guard_s: f64,
}

impl Slices {
    fn usual(warm: &[Warm], p99_s: f64) -> Self {
        let times_s = warm.iter().map(time_for_enough);
        let needed_s = times_s.clone().fold(SHORTEST_S, f64::max);
        let by_time = needed_s <= LONGEST_S;
        Self {
            stop: StopRule {
                seconds: by_time.then_some(needed_s),
                transactions: (!by_time).then_some(ENOUGH_TRANSACTIONS),
                ..StopRule::default()
            },
            all_s: match by_time {
                true => needed_s * warm.len() as f64,
                false => times_s.sum(),
            },
            guard_s: (2.0 * p99_s).clamp(SHORTEST_GUARD_S, LONGEST_GUARD_S),
        }
    }

    fn permutation_s(&self, servers: f64, drains_s: f64) -> f64 {
        self.all_s + (self.guard_s + CHANGE_S) * servers + drains_s
    }
}

/// The time in seconds that a server needs for enough transactions.
fn time_for_enough(warm: &Warm) -> f64 {
    warm.seconds * ENOUGH_TRANSACTIONS as f64 / warm.transactions.max(1) as f64
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
        let plan = Plan::new(&[warm(20_000.0, 500.0), warm(10_000.0, 900.0)], None, 10.0);
        assert_eq!(plan.stop.seconds, Some(0.05));
        assert_eq!(plan.guard_ns, 5_000_000);
        assert!((85..90).contains(&plan.permutations), "{plan:?}");
        assert!((plan.expected_s - 10.0).abs() < 0.2, "{plan:?}");
    }

    #[test]
    fn the_slowest_server_determines_the_duration() {
        let plan = Plan::new(&[warm(20_000.0, 500.0), warm(100.0, 30_000.0)], None, 10.0);
        assert_eq!(plan.stop.seconds, Some(0.2));
        assert_eq!(plan.guard_ns, 60_000_000);
    }

    #[test]
    fn slices_of_very_slow_servers_end_by_count() {
        let plan = Plan::new(&[warm(100.0, 1e3), warm(10.0, 1e6)], None, 60.0);
        assert_eq!(plan.stop.transactions, Some(20));
        // 0.2 s and 2 s, and a guard of a second before each.
        assert_eq!(plan.permutations, 12);
        assert!((50.0..60.0).contains(&plan.expected_s), "{plan:?}");
    }

    #[test]
    fn slices_are_shorter_if_the_permutations_of_an_interval_would_not_fit() {
        let slow = || {
            let mut warm = warm(3.0, 350e3);
            warm.mean_us = Some(350e3);
            warm
        };
        let plan = Plan::new(&[slow(), slow()], None, 8.0);
        assert_eq!((plan.permutations, plan.guard_ns), (LEAST_PERMUTATIONS, 0));
        assert!(plan.stop.seconds < Some(0.06), "one request each: {plan:?}");
        assert!((7.0..8.1).contains(&plan.expected_s), "{plan:?}");
        let quicker = || warm(10.0, 20e3);
        let plan = Plan::new(&[quicker(), quicker()], None, 30.0);
        assert!(
            plan.stop.seconds > Some(1.4) && plan.guard_ns >= 20_000_000,
            "{plan:?}"
        );
        assert!((29.0..30.1).contains(&plan.expected_s), "{plan:?}");
        let plan = Plan::new(&[warm(5.0, 1e3)], Some(0.2), 1.0);
        assert_eq!(plan.stop.seconds, Some(0.2), "an arrival in each: {plan:?}");
    }

    #[test]
    fn no_plan_is_shorter_than_a_request_in_each_slice_of_an_interval() {
        let plan = Plan::new(&[warm(0.1, 10e6), warm(0.1, 10e6)], None, 8.0);
        assert_eq!(plan.permutations, LEAST_PERMUTATIONS);
        assert!((100.0..105.0).contains(&plan.expected_s), "{plan:?}");
    }
}
