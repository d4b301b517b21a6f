//! Searches for the capacity of the simulated server: that of RFC 9971, and bisection with a fixed
//! number of trials at each rate.

use super::server::Server;
use super::{Goal, Search, Span, Trial};

pub const LOSS_RATIO: f64 = 0.01;
pub const HEADLINE: f64 = 0.5;
pub const STRICT: f64 = 0.05;
const TRIALS: u32 = 21;
const WIDTH: f64 = 0.01;
/// Where both searches start, of what the server does at most.
const START: f64 = 0.6;

/// What a search came to.
pub struct Found {
    /// For each exceed ratio, the middle of its bounds.
    pub rates: Vec<f64>,
    pub trial_s: f64,
}

/// The search of wirelab-load, for some exceed ratios at once.
pub fn shared(exceed_ratios: &[f64], seed: u64) -> Found {
    let mut server = Server::new(seed);
    let busiest = server.busiest_per_s();
    let goal = |exceed_ratio: &f64| Goal {
        loss_ratio: LOSS_RATIO,
        exceed_ratio: *exceed_ratio,
        trial_s: 1.0,
        sum_s: f64::from(TRIALS),
        width: WIDTH,
    };
    let goals: Vec<Goal> = exceed_ratios.iter().map(goal).collect();
    let span = Span {
        lowest: 100.0,
        start: START * busiest,
        highest: 64.0 * busiest,
    };
    let mut search = Search::new(goals.clone(), span);
    let mut trial_s = 0.0;
    while let Some(next) = search.next() {
        trial_s += next.seconds;
        let loss_ratio = server.trial(next.rate_per_s, next.seconds);
        let seconds = next.seconds;
        search.add(
            next.index,
            Trial {
                seconds,
                loss_ratio,
            },
        );
    }
    let middle = |goal: &Goal| {
        let bounds = search.bounds(goal);
        let rate = |index: Option<i32>| index.map_or(f64::NAN, |it| search.rate_per_s(it));
        (rate(bounds.lower) * rate(bounds.upper)).sqrt()
    };
    Found {
        rates: goals.iter().map(middle).collect(),
        trial_s,
    }
}

/// The same rates doubled until one is not sustained, then halved, each with all of its trials;
/// and all of that for each exceed ratio.
pub fn bisection(exceed_ratios: &[f64], seed: u64) -> Found {
    let mut server = Server::new(seed);
    let mut trial_s = 0.0;
    let mut search = |exceed_ratio: f64| {
        let mut is_sustained = |rate: f64| {
            trial_s += f64::from(TRIALS);
            let exceeds = |_: &u32| server.trial(rate, 1.0) > LOSS_RATIO;
            let exceeding = (0..TRIALS).filter(exceeds).count();
            exceeding as f64 <= exceed_ratio * f64::from(TRIALS)
        };
        let mut low = START * Server::new(0).busiest_per_s();
        while !is_sustained(low) {
            low /= 2.0;
        }
        let mut high = 2.0 * low;
        while is_sustained(high) {
            (low, high) = (high, 2.0 * high);
        }
        while high / low > 1.0 + WIDTH {
            let middle = (low * high).sqrt();
            match is_sustained(middle) {
                true => low = middle,
                false => high = middle,
            }
        }
        (low * high).sqrt()
    };
    let rates = exceed_ratios.iter().map(|ratio| search(*ratio)).collect();
    Found { rates, trial_s }
}
