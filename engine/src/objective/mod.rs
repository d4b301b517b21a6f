//! Service-level objectives: what must hold for a rate to be sustained, as shares of requests.

mod written;

use serde::Serialize;

/// Conditions that must all hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objective {
    /// As the user wrote it.
    pub written: String,
    /// At least one.
    pub criteria: Vec<Criterion>,
}

/// A share of requests that may be lost, and which requests count as lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    pub allowed: f64,
    pub lost: Lost,
}

/// Which requests count as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Those without a correct answer, and those never sent because no connection was free.
    Failed,
    /// Failed ones, and those answered later than this many nanoseconds after they were due.
    Late(u64),
    /// Failed ones, and streams whose first item came later than this after they were due.
    LateFirst(u64),
    /// Not requests, but gaps between the items of streams that were longer than this.
    LongGap(u64),
}

/// The result of a trial by an objective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Judged {
    pub due: u64,
    /// Requests within the first limit; without a limit, those answered correctly.
    pub good: u64,
    pub loss_ratio: f64,
    pub is_kept: bool,
}

/// The requests that were due in a trial, by their outcome.
#[derive(Clone, Debug, Default)]
pub struct Due {
    pub all: u64,
    /// Those answered correctly, at any time.
    pub succeeded: u64,
    /// For each criterion, how many requests or gaps met it, and how many there were.
    pub met: Vec<(u64, u64)>,
}

impl Objective {
    /// Whether a trial keeps the objective.
    pub fn judge(&self, due: &Due) -> Judged {
        let loss_ratio = self.loss_ratio(due);
        Judged {
            due: due.all,
            good: due.met.first().map_or(due.succeeded, |(good, _)| *good),
            loss_ratio,
            is_kept: loss_ratio <= self.allowed(),
        }
    }

    /// The longest limit of a time, in nanoseconds; 0 without any.
    pub fn longest_ns(&self) -> u64 {
        let limit = |criterion: &Criterion| match criterion.lost {
            Lost::Late(limit_ns) | Lost::LateFirst(limit_ns) | Lost::LongGap(limit_ns) => limit_ns,
            Lost::Failed => 0,
        };
        self.criteria.iter().map(limit).max().unwrap_or(0)
    }

    /// The allowed share of lost requests of the first criterion.
    pub fn allowed(&self) -> f64 {
        self.criteria.first().map_or(0.0, |it| it.allowed)
    }

    /// The smallest allowed share of any criterion.
    pub fn finest(&self) -> f64 {
        let allowed = self.criteria.iter().map(|it| it.allowed);
        allowed.fold(1.0, f64::min)
    }

    /// The share of lost requests. Those of other criteria are scaled to the first one's, so that
    /// the result is above `allowed` exactly if any criterion is missed.
    fn loss_ratio(&self, due: &Due) -> f64 {
        let criteria = self.criteria.iter().zip(&due.met);
        let ratios = criteria.map(|(criterion, &(good, all))| {
            let lost = match (all, due.succeeded) {
                // Streams of single items have no gaps.
                (0, 1..) => 0.0,
                _ => share(all.saturating_sub(good), all),
            };
            lost * (self.allowed() / criterion.allowed)
        });
        let worst = ratios.fold(0.0, f64::max);
        worst.min(1.0)
    }
}

/// A share; 1 if there was no request, since such a trial proves nothing.
fn share(of: u64, all: u64) -> f64 {
    match all {
        0 => 1.0,
        _ => of as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objective(criteria: &[(f64, Lost)]) -> Objective {
        let criterion = |&(allowed, lost): &(f64, Lost)| Criterion { allowed, lost };
        Objective {
            written: String::new(),
            criteria: criteria.iter().map(criterion).collect(),
        }
    }

    fn due(all: u64, succeeded: u64, good: &[u64]) -> Due {
        Due {
            all,
            succeeded,
            met: good.iter().map(|good| (*good, all)).collect(),
        }
    }

    #[test]
    fn late_failed_and_unsent_requests_are_lost() {
        let p99 = objective(&[(0.01, Lost::Late(50))]);
        assert_eq!(p99.loss_ratio(&due(1_000, 1_000, &[995])), 0.005);
        assert_eq!(p99.loss_ratio(&due(1_000, 980, &[980])), 0.02);
        assert_eq!(p99.loss_ratio(&due(0, 0, &[0])), 1.0);
        assert_eq!(p99.longest_ns(), 50);
    }

    #[test]
    fn all_criteria_must_be_met() {
        let both = objective(&[(0.01, Lost::Late(50)), (0.001, Lost::Failed)]);
        let is_kept = |due: &Due| both.judge(due).is_kept;
        assert!(is_kept(&due(1_000, 1_000, &[990, 1_000])));
        assert!(!is_kept(&due(1_000, 1_000, &[989, 1_000])));
        assert!(is_kept(&due(1_000, 999, &[999, 999])));
        assert!(!is_kept(&due(1_000, 998, &[998, 998])));
        assert_eq!((both.allowed(), both.finest()), (0.01, 0.001));
    }

    #[test]
    fn each_limit_has_its_own_count() {
        let two = objective(&[(0.5, Lost::Late(5)), (0.01, Lost::Late(50))]);
        assert!(two.loss_ratio(&due(100, 100, &[50, 99])) <= 0.5);
        assert!(two.loss_ratio(&due(100, 100, &[49, 100])) > 0.5);
        assert!(two.loss_ratio(&due(100, 100, &[100, 98])) > 0.5);
    }

    #[test]
    fn gaps_are_counted_apart_from_requests() {
        let both = objective(&[(0.01, Lost::LateFirst(5)), (0.05, Lost::LongGap(50))]);
        let is_kept = |gaps| {
            let due = Due {
                all: 100,
                succeeded: 100,
                met: vec![(99, 100), gaps],
            };
            both.judge(&due).is_kept
        };
        assert!(is_kept((9_500, 10_000)) && is_kept((0, 0)));
        assert!(!is_kept((9_499, 10_000)));
        let nothing = Due {
            all: 100,
            met: vec![(0, 100), (0, 0)],
            ..Due::default()
        };
        assert_eq!(both.loss_ratio(&nothing), 1.0);
        assert_eq!(both.longest_ns(), 50);
    }
}
