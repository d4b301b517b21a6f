//! Selects the next load: extension, then bisection, on a grid of loads that all goals share.
//!
//! Every goal goes through phases, each with more time at a load and narrower bounds. The next
//! phase first completes the trials at the bounds of the previous one, which corrects what few
//! trials have misclassified. The goal in the coarsest phase gets the next trial, and of several in
//! the same phase the one with the lowest load, so that early bounds are seldom overturned later.

use super::bounds::{Bounds, Class, Trial, Trials, classify, conditional_throughput};
use super::goal::{Goal, Phase};

/// The significant digits of loads.
const DIGITS: i32 = 4;

/// The range of the search, in requests per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The lowest load.
    pub lowest: f64,
    /// The first load.
    pub start: f64,
    /// The highest load.
    pub highest: f64,
}

/// The next trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// The index of its load on the grid.
    pub index: i32,
    /// Its load in requests per second.
    pub rate_per_s: f64,
    /// Its length.
    pub seconds: f64,
}

/// The state of a search for several goals.
pub struct Search {
    goals: Vec<Goal>,
    step: f64,
    span: Span,
    /// The indices of the lowest and the highest load; 0 is the start.
    bottom: i32,
    top: i32,
    trials: Trials,
}

impl Search {
    /// A search for `goals` within `span`, without trials.
    pub fn new(goals: Vec<Goal>, span: Span) -> Self {
        let step = goals.iter().map(|it| it.width).fold(1.0, f64::min);
        let index = |rate: f64| (rate / span.start).ln() / step.ln_1p();
        Self {
            bottom: index(span.lowest).floor().min(0.0) as i32,
            top: index(span.highest).ceil().max(0.0) as i32,
            goals,
            step,
            span,
            trials: Trials::default(),
        }
    }

    /// The load at an index of the grid, in requests per second.
    pub fn rate_per_s(&self, index: i32) -> f64 {
        let rate = self.span.start * (f64::from(index) * self.step.ln_1p()).exp();
        match index {
            _ if index == self.top => self.span.highest,
            _ if index == self.bottom => self.span.lowest,
            _ => rounded(rate),
        }
    }

    /// The goals.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Adds a trial at an index of the grid.
    pub fn add(&mut self, index: i32, trial: Trial) {
        self.trials.add(index, trial);
    }

    /// The relevant bounds of a goal, as far as they have been found.
    pub fn bounds(&self, goal: &Goal) -> Bounds {
        self.trials.bounds(goal)
    }

    /// The bounds of a goal during the search: of its last phase that has both.
    pub fn bounds_so_far(&self, goal: &Goal) -> Bounds {
        let phases = goal.phases(self.step);
        let mut bounds = phases.iter().rev().map(|it| self.bounds(&it.goal));
        let has_both = |it: &Bounds| it.lower.is_some() && it.upper.is_some();
        bounds
            .find(has_both)
            .unwrap_or_else(|| self.bounds(&phases[0].goal))
    }

    /// The conditional throughput at the lower bound, in requests per second.
    pub fn throughput(&self, goal: &Goal) -> Option<f64> {
        let index = self.bounds(goal).lower?;
        conditional_throughput(self.rate_per_s(index), self.trials.at(index), goal)
    }

    /// Whether the highest load is a lower bound.
    pub fn is_at_top(&self, bounds: Bounds) -> bool {
        bounds.upper.is_none() && bounds.lower == Some(self.top)
    }

    /// Whether the lowest load is an upper bound.
    pub fn is_at_bottom(&self, bounds: Bounds) -> bool {
        bounds.lower.is_none() && bounds.upper == Some(self.bottom)
    }

    /// Whether a goal needs no more trials.
    pub fn is_reached(&self, goal: &Goal) -> bool {
        self.wanted(goal).is_none()
    }

    /// The next trial. None if all goals are reached.
    pub fn next(&self) -> Option<Next> {
        let wanted = self.goals.iter().filter_map(|goal| {
            let (phase, index) = self.wanted(goal)?;
            Some((phase, index, goal.trial_s))
        });
        let (_, index, _) = wanted.clone().min_by_key(|it| (it.0, it.1))?;
        let seconds = wanted.filter(|it| it.1 == index).map(|it| it.2);
        Some(Next {
            index,
            rate_per_s: self.rate_per_s(index),
            seconds: seconds.fold(0.0, f64::max),
        })
    }

    /// The phase of a goal, and the index that its next trial is at.
    fn wanted(&self, goal: &Goal) -> Option<(usize, i32)> {
        let mut earlier = Bounds::default();
        for (number, phase) in goal.phases(self.step).iter().enumerate() {
            let is_open =
                |index: &i32| classify(self.trials.at(*index), &phase.goal) == Class::Undecided;
            let mut left = [earlier.lower, earlier.upper].into_iter().flatten();
            let bounds = self.bounds(&phase.goal);
            let index = left.find(is_open).or_else(|| self.between(bounds, phase));
            if let Some(index) = index {
                return Some((number, index));
            }
            earlier = bounds;
        }
        None
    }

    /// An index that narrows the bounds, unless they are narrow enough for the phase.
    fn between(&self, bounds: Bounds, phase: &Phase) -> Option<i32> {
        match (bounds.lower, bounds.upper) {
            (None, None) => Some(0),
            // Growing steps away from the start.
            (Some(lower), None) => {
                let index = lower + phase.steps.max(2 * lower);
                (lower < self.top).then_some(index.min(self.top))
            }
            (None, Some(upper)) => {
                let index = upper - phase.steps.max(-2 * upper);
                (upper > self.bottom).then_some(index.max(self.bottom))
            }
            (Some(lower), Some(upper)) => {
                (upper - lower > phase.steps).then_some(lower + (upper - lower) / 2)
            }
        }
    }
}

fn rounded(rate: f64) -> f64 {
    let unit = 10f64.powi(rate.log10().floor() as i32 + 1 - DIGITS);
    (rate / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: Goal = Goal {
        loss_ratio: 0.01,
        exceed_ratio: 0.5,
        trial_s: 1.0,
        sum_s: 21.0,
        width: 0.01,
    };
    const STRICT: Goal = Goal {
        exceed_ratio: 0.05,
        ..GOAL
    };
    const SPAN: Span = Span {
        lowest: 10.0,
        start: 500.0,
        highest: 8_000.0,
    };

    /// Carries a search out against a server whose trials come to `loss_ratio`; gives their loads.
    fn search(goals: &[Goal], loss_ratio: impl Fn(f64, usize) -> f64) -> (Search, Vec<f64>) {
        let mut search = Search::new(goals.to_vec(), SPAN);
        let mut loads = Vec::new();
        while let Some(next) = search.next() {
            let loss_ratio = loss_ratio(next.rate_per_s, loads.len());
            loads.push(next.rate_per_s);
            let seconds = next.seconds;
            search.add(
                next.index,
                Trial {
                    seconds,
                    loss_ratio,
                },
            );
            assert!(loads.len() < 2_000, "it does not end");
        }
        (search, loads)
    }

    fn rates(search: &Search, goal: &Goal) -> (f64, f64) {
        let bounds = search.bounds(goal);
        let rate = |index: Option<i32>| search.rate_per_s(index.unwrap());
        (rate(bounds.lower), rate(bounds.upper))
    }

    fn beyond(capacity: f64) -> impl Fn(f64, usize) -> f64 {
        move |rate, _| if rate > capacity { 0.5 } else { 0.0 }
    }

    #[test]
    fn a_sharp_capacity_is_enclosed() {
        for capacity in [11.0, 130.0, 499.0, 500.0, 777.0, 5_000.0, 7_950.0] {
            let (search, loads) = search(&[GOAL, STRICT], beyond(capacity));
            for goal in [GOAL, STRICT] {
                let (lower, upper) = rates(&search, &goal);
                assert!(
                    lower <= capacity && capacity < upper,
                    "{capacity}: {lower} {upper}"
                );
                assert!(upper / lower < 1.0103, "{capacity}: {lower} {upper}");
                assert!(search.is_reached(&goal));
            }
            assert!(loads.len() < 140, "{capacity}: {}", loads.len());
            let throughput = search.throughput(&GOAL).unwrap();
            assert_eq!(throughput, rates(&search, &GOAL).0);
        }
    }

    #[test]
    fn goals_share_their_trials() {
        let alone = |goal| search(&[goal], beyond(777.0)).1.len();
        let together = search(&[GOAL, STRICT], beyond(777.0)).1.len();
        assert!(together < alone(GOAL) + alone(STRICT));
    }

    #[test]
    fn both_ends_of_the_range_are_tried() {
        let (all, loads) = search(&[GOAL], |_, _| 0.0);
        assert_eq!(all.rate_per_s(all.bounds(&GOAL).lower.unwrap()), 8_000.0);
        assert!(all.is_at_top(all.bounds(&GOAL)) && loads.is_sorted());
        let (none, loads) = search(&[GOAL], |_, _| 1.0);
        assert!(none.is_at_bottom(none.bounds(&GOAL)));
        assert_eq!(loads.last(), Some(&10.0));
        assert_eq!(none.throughput(&GOAL), None);
    }

    /// The strict goal counts every trial that exceeds, the other one the typical one.
    #[test]
    fn rare_events_affect_only_the_strict_goal() {
        let loss = |rate: f64, number: usize| match rate {
            _ if rate > 900.0 => 0.5,
            _ if rate > 600.0 && number.is_multiple_of(4) => 0.5,
            _ => 0.0,
        };
        let (search, _) = search(&[GOAL, STRICT], loss);
        let (lower, _) = rates(&search, &GOAL);
        let (_, upper) = rates(&search, &STRICT);
        assert!(lower > 880.0 && upper < 700.0, "{lower} {upper}");
    }

    /// What the first trials at a load call wrongly is corrected when it is a bound.
    #[test]
    fn an_outlier_at_the_beginning_is_corrected() {
        let loss = |rate: f64, number: usize| match number {
            0..3 => 1.0,
            _ => beyond(777.0)(rate, number),
        };
        let (search, _) = search(&[GOAL], loss);
        let (lower, upper) = rates(&search, &GOAL);
        assert!(lower <= 777.0 && 777.0 < upper, "{lower} {upper}");
    }

    #[test]
    fn a_search_that_is_cut_short_has_the_bounds_of_a_phase() {
        let mut search = Search::new(vec![GOAL], SPAN);
        assert_eq!(search.bounds_so_far(&GOAL), Bounds::default());
        for _ in 0..14 {
            let next = search.next().unwrap();
            let loss_ratio = beyond(777.0)(next.rate_per_s, 0);
            let seconds = next.seconds;
            search.add(
                next.index,
                Trial {
                    seconds,
                    loss_ratio,
                },
            );
        }
        let bounds = search.bounds_so_far(&GOAL);
        let rate = |index: Option<i32>| search.rate_per_s(index.unwrap());
        assert!(rate(bounds.lower) <= 777.0 && rate(bounds.upper) > 777.0);
        assert_ne!(search.bounds(&GOAL), bounds);
    }

    #[test]
    fn loads_are_round_numbers() {
        assert_eq!(rounded(12_345.678), 12_350.0);
        assert!((rounded(0.123_456) - 0.1235).abs() < 1e-12);
        let search = Search::new(vec![GOAL], SPAN);
        assert_eq!(search.rate_per_s(0), 500.0);
        assert_eq!(search.rate_per_s(1), 505.0);
    }
}
