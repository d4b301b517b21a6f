//! Which load is next: extension, then bisection, on a grid of loads that all goals share.
//!
//! Every goal goes through phases, each with more time at a load and bounds that lie closer
//! together. Loads that a phase has left as bounds are measured to the end first: what few trials
//! have called wrongly is corrected there. The goal with the coarsest phase has the next trial, and
//! of several in the same phase the one with the lowest load, so that bounds found early are
//! seldom overturned later.

use super::bounds::{Bounds, Class, Trial, Trials, classify, conditional_throughput};
use super::goal::{Goal, Phase};

/// Loads have so many digits.
const DIGITS: i32 = 4;

/// Where to search, in transactions a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub lowest: f64,
    /// The first load to be tried.
    pub start: f64,
    pub highest: f64,
}

/// The trial to carry out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    pub place: i32,
    pub rate_per_s: f64,
    pub seconds: f64,
}

pub struct Search {
    goals: Vec<Goal>,
    step: f64,
    span: Span,
    /// The places of the lowest and of the highest load; 0 is that of the start.
    bottom: i32,
    top: i32,
    trials: Trials,
}

impl Search {
    pub fn new(goals: Vec<Goal>, span: Span) -> Self {
        let step = goals.iter().map(|it| it.width).fold(1.0, f64::min);
        let places = |rate: f64| (rate / span.start).ln() / step.ln_1p();
        Self {
            bottom: places(span.lowest).floor().min(0.0) as i32,
            top: places(span.highest).ceil().max(0.0) as i32,
            goals,
            step,
            span,
            trials: Trials::default(),
        }
    }

    /// The load at a place.
    pub fn rate_per_s(&self, place: i32) -> f64 {
        let rate = self.span.start * (f64::from(place) * self.step.ln_1p()).exp();
        match place {
            _ if place == self.top => self.span.highest,
            _ if place == self.bottom => self.span.lowest,
            _ => rounded(rate),
        }
    }

    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    pub fn add(&mut self, place: i32, trial: Trial) {
        self.trials.add(place, trial);
    }

    /// The relevant bounds of a goal, as far as they are known.
    pub fn bounds(&self, goal: &Goal) -> Bounds {
        self.trials.bounds(goal)
    }

    /// The bounds of a goal while it is searched for: of its last phase that has both.
    pub fn bounds_so_far(&self, goal: &Goal) -> Bounds {
        let phases = goal.phases(self.step);
        let mut bounds = phases.iter().rev().map(|it| self.bounds(&it.goal));
        let has_both = |it: &Bounds| it.lower.is_some() && it.upper.is_some();
        bounds
            .find(has_both)
            .unwrap_or_else(|| self.bounds(&phases[0].goal))
    }

    /// What got through at the lower bound.
    pub fn throughput(&self, goal: &Goal) -> Option<f64> {
        let place = self.bounds(goal).lower?;
        conditional_throughput(self.rate_per_s(place), self.trials.at(place), goal)
    }

    /// Whether the highest load is a lower bound, or the lowest one an upper bound.
    pub fn is_at_top(&self, bounds: Bounds) -> bool {
        bounds.upper.is_none() && bounds.lower == Some(self.top)
    }

    pub fn is_at_bottom(&self, bounds: Bounds) -> bool {
        bounds.lower.is_none() && bounds.upper == Some(self.bottom)
    }

    /// Whether a goal needs no more trials.
    pub fn is_reached(&self, goal: &Goal) -> bool {
        self.wanted(goal).is_none()
    }

    /// The trial to carry out next. None when all goals are reached.
    pub fn next(&self) -> Option<Next> {
        let wanted = self.goals.iter().filter_map(|goal| {
            let (phase, place) = self.wanted(goal)?;
            Some((phase, place, goal.trial_s))
        });
        let (_, place, _) = wanted.clone().min_by_key(|it| (it.0, it.1))?;
        let seconds = wanted.filter(|it| it.1 == place).map(|it| it.2);
        Some(Next {
            place,
            rate_per_s: self.rate_per_s(place),
            seconds: seconds.fold(0.0, f64::max),
        })
    }

    /// The phase that a goal is in, and the place that it wants a trial at.
    fn wanted(&self, goal: &Goal) -> Option<(usize, i32)> {
        let mut earlier = Bounds::default();
        for (number, phase) in goal.phases(self.step).iter().enumerate() {
            let is_open =
                |place: &i32| classify(self.trials.at(*place), &phase.goal) == Class::Undecided;
            let mut left = [earlier.lower, earlier.upper].into_iter().flatten();
            let bounds = self.bounds(&phase.goal);
            let place = left.find(is_open).or_else(|| self.between(bounds, phase));
            if let Some(place) = place {
                return Some((number, place));
            }
            earlier = bounds;
        }
        None
    }

    /// A place that narrows the bounds, unless they are narrow enough for the phase.
    fn between(&self, bounds: Bounds, phase: &Phase) -> Option<i32> {
        match (bounds.lower, bounds.upper) {
            (None, None) => Some(0),
            // Ever larger steps away from the start.
            (Some(lower), None) => {
                let place = lower + phase.places.max(2 * lower);
                (lower < self.top).then_some(place.min(self.top))
            }
            (None, Some(upper)) => {
                let place = upper - phase.places.max(-2 * upper);
                (upper > self.bottom).then_some(place.max(self.bottom))
            }
            (Some(lower), Some(upper)) => {
                (upper - lower > phase.places).then_some(lower + (upper - lower) / 2)
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
                next.place,
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
        let rate = |place: Option<i32>| search.rate_per_s(place.unwrap());
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
    fn the_ends_of_the_span_are_tried_themselves() {
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
    fn rare_events_are_for_the_strict_goal() {
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
    fn a_fluke_at_the_beginning_does_not_last() {
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
                next.place,
                Trial {
                    seconds,
                    loss_ratio,
                },
            );
        }
        let bounds = search.bounds_so_far(&GOAL);
        let rate = |place: Option<i32>| search.rate_per_s(place.unwrap());
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
