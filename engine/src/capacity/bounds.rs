//! Classifies loads by their trials: appendices A and B of RFC 9971.

use std::collections::BTreeMap;

use super::goal::Goal;

/// Tolerance for sums of durations, which are floating-point numbers.
const TOLERANCE_S: f64 = 1e-9;

/// The result of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Its length, without the guard.
    pub seconds: f64,
    /// The share of its requests that missed the objective.
    pub loss_ratio: f64,
}

/// The class of a load for a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A lower bound: the load is sustained.
    Lower,
    /// An upper bound: the load is not sustained.
    Upper,
    /// More trials are needed.
    Undecided,
}

/// The relevant bounds of a goal, as indices on the grid of loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The highest load that is sustained, below `upper`.
    pub lower: Option<i32>,
    /// The lowest load that is not sustained.
    pub upper: Option<i32>,
}

/// All trials so far, by the index of their load on the grid.
#[derive(Clone, Debug, Default)]
pub struct Trials(BTreeMap<i32, Vec<Trial>>);

/// The time in trials at a load, by their class for a goal.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    low_loss_s: f64,
    high_loss_s: f64,
    short_low_loss_s: f64,
    short_high_loss_s: f64,
}

impl Trials {
    /// Adds a trial at a load.
    pub fn add(&mut self, index: i32, trial: Trial) {
        self.0.entry(index).or_default().push(trial);
    }

    /// The trials at a load.
    pub fn at(&self, index: i32) -> &[Trial] {
        self.0.get(&index).map_or(&[], Vec::as_slice)
    }

    /// The bounds of a goal: the smallest upper bound and the largest lower bound below it, which
    /// is conservative where a load above an upper bound seems sustained.
    pub fn bounds(&self, goal: &Goal) -> Bounds {
        let mut bounds = Bounds::default();
        for (&index, trials) in &self.0 {
            match classify(trials, goal) {
                Class::Lower => bounds.lower = Some(index),
                Class::Upper => {
                    bounds.upper = Some(index);
                    break;
                }
                Class::Undecided => {}
            }
        }
        bounds
    }
}

/// The class of a load; it is decided as soon as the missing trials could not change it.
pub fn classify(trials: &[Trial], goal: &Goal) -> Class {
    let mut sums = Sums::default();
    for trial in trials {
        let is_full = trial.seconds + TOLERANCE_S >= goal.trial_s;
        let sum = match (is_full, trial.loss_ratio > goal.loss_ratio) {
            (true, false) => &mut sums.low_loss_s,
            (true, true) => &mut sums.high_loss_s,
            (false, false) => &mut sums.short_low_loss_s,
            (false, true) => &mut sums.short_high_loss_s,
        };
        *sum += trial.seconds;
    }
    // Short high-loss trials count as far as short low-loss trials do not balance them.
    let balancing_s = sums.short_low_loss_s * goal.exceed_ratio / (1.0 - goal.exceed_ratio);
    let high_loss_s = sums.high_loss_s + (sums.short_high_loss_s - balancing_s).max(0.0);
    let whole_s = (sums.low_loss_s + high_loss_s).max(goal.sum_s);
    let allowed_s = whole_s * goal.exceed_ratio + TOLERANCE_S;
    // At worst, all missing trials would be high-loss trials; at best, none.
    let (at_worst_s, at_best_s) = (whole_s - sums.low_loss_s, high_loss_s);
    match (at_worst_s <= allowed_s, at_best_s <= allowed_s) {
        (true, true) => Class::Lower,
        (false, false) => Class::Upper,
        _ => Class::Undecided,
    }
}

/// The conditional throughput of a load: of all its full trials except the share that may exceed
/// the goal. None without a full trial.
pub fn conditional_throughput(load: f64, trials: &[Trial], goal: &Goal) -> Option<f64> {
    let is_full = |trial: &&Trial| trial.seconds + TOLERANCE_S >= goal.trial_s;
    let mut full: Vec<Trial> = trials.iter().filter(is_full).copied().collect();
    full.sort_by(|one, other| one.loss_ratio.total_cmp(&other.loss_ratio));
    let full_s: f64 = full.iter().map(|trial| trial.seconds).sum();
    let mut remaining_s = full_s.max(goal.sum_s) * (1.0 - goal.exceed_ratio);
    let mut loss_ratio = full.first()?.loss_ratio;
    for trial in &full {
        if remaining_s <= TOLERANCE_S {
            break;
        }
        loss_ratio = trial.loss_ratio;
        remaining_s -= trial.seconds;
    }
    if remaining_s > TOLERANCE_S {
        loss_ratio = 1.0;
    }
    Some(load * (1.0 - loss_ratio))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Lower, Undecided, Upper};

    /// The goals of the RFC's example search: RFC2544, TST009, "1s final" and "20% exceed".
    const GOALS: [Goal; 4] = [
        goal(60.0, 60.0, 0.0, 0.0),
        goal(60.0, 120.0, 0.0, 0.5),
        goal(1.0, 120.0, 0.005, 0.5),
        goal(60.0, 60.0, 0.005, 0.2),
    ];

    const fn goal(trial_s: f64, sum_s: f64, loss_ratio: f64, exceed_ratio: f64) -> Goal {
        Goal {
            loss_ratio,
            exceed_ratio,
            trial_s,
            sum_s,
            width: 0.01,
        }
    }

    fn trials(count: usize, seconds: f64, loss_ratio: f64) -> Vec<Trial> {
        vec![
            Trial {
                seconds,
                loss_ratio
            };
            count
        ]
    }

    /// Its six points in time, and what the load is at each of them for each goal. For the last goal
    /// the RFC prints "Lower Bound" at the last two points, beside exceed ratios of 42.9 % and 27.3 %
    /// of at most 20 %: by its own code, and so here, these are upper bounds.
    fn example() -> Vec<(Vec<Trial>, [Class; 4])> {
        let added = [
            (59, 1.0, 0.0, [Undecided, Undecided, Undecided, Undecided]),
            (1, 1.0, 0.01, [Upper, Undecided, Undecided, Undecided]),
            (59, 1.0, 0.01, [Upper, Undecided, Undecided, Upper]),
            (1, 1.0, 0.0, [Upper, Undecided, Lower, Upper]),
            (1, 60.0, 0.001, [Upper, Undecided, Lower, Upper]),
            (1, 60.0, 0.0, [Upper, Lower, Lower, Upper]),
        ];
        let mut all = Vec::new();
        let point = |(count, seconds, loss_ratio, classes)| {
            all.extend(trials(count, seconds, loss_ratio));
            (all.clone(), classes)
        };
        added.into_iter().map(point).collect()
    }

    #[test]
    fn loads_are_classified_as_in_the_example_of_the_rfc() {
        for (point, (trials, classes)) in example().iter().enumerate() {
            let found = GOALS.map(|goal| classify(trials, &goal));
            assert_eq!(&found, classes, "point {}", point + 1);
        }
        assert_eq!(classify(&[], &GOALS[0]), Undecided);
    }

    #[test]
    fn conditional_throughputs_are_those_of_the_example() {
        let (trials, _) = example().pop().unwrap();
        for (index, expected) in [(1, 1_000_000.0), (2, 1_000_000.0), (3, 999_000.0)] {
            let found = conditional_throughput(1e6, &trials, &GOALS[index]).unwrap();
            assert!(
                (found - expected).abs() < 1e-6,
                "goal {}: {found}",
                index + 1
            );
        }
        assert_eq!(conditional_throughput(1e6, &trials[..120], &GOALS[1]), None);
        // One trial of the two that the goal wants: the other one might have lost all.
        let one = conditional_throughput(1e6, &trials[120..121], &goal(60.0, 120.0, 0.0, 0.1));
        assert_eq!(one, Some(0.0));
    }

    /// A goal that is RFC 2544's own throughput: one trial decides.
    #[test]
    fn one_trial_is_enough_if_nothing_may_be_lost() {
        let lossy = trials(1, 60.0, 1e-6);
        assert_eq!(classify(&trials(1, 60.0, 0.0), &GOALS[0]), Lower);
        assert_eq!(classify(&lossy, &GOALS[0]), Upper);
        // Binary search with loss verification asks a second time.
        assert_eq!(classify(&lossy, &GOALS[1]), Undecided);
        assert_eq!(classify(&trials(1, 60.0, 0.0), &GOALS[1]), Lower);
    }

    #[test]
    fn bounds_are_conservative_under_inversion() {
        let mut all = Trials::default();
        let goal = goal(1.0, 1.0, 0.0, 0.0);
        for (index, loss_ratio) in [(3, 0.0), (7, 0.0), (5, 0.2), (9, 0.1), (1, 0.0)] {
            all.add(
                index,
                Trial {
                    seconds: 1.0,
                    loss_ratio,
                },
            );
        }
        let expected = Bounds {
            lower: Some(3),
            upper: Some(5),
        };
        assert_eq!(all.bounds(&goal), expected);
        assert_eq!(Trials::default().bounds(&goal), Bounds::default());
    }
}
