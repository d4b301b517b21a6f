//! What a search for capacity is asked, and the goals and rates that follow from it.

use super::goal::Goal;
use super::search::{Search, Span};
use crate::objective::Objective;

/// The shares of a rate's trials that may miss the objective: of the typical capacity, and of the
/// strict one, at which nearly every trial keeps it.
const EXCEED_RATIOS: [f64; 2] = [0.5, 0.05];
/// This many full trials always classify a rate.
const TRIALS: f64 = 21.0;
/// The largest distance between the bounds, as a share of the rate.
const WIDTH: f64 = 0.01;
/// By default, a trial takes at least this long, ...
const SHORTEST_TRIAL_S: f64 = 1.0;
/// ... long enough that the objective allows this many of its requests to be lost, ...
const LEAST_LOST: f64 = 5.0;
/// ... and this many times the objective's limit, because a queue that grows slowly takes time to
/// reach the limit.
const LIMITS: f64 = 20.0;
/// The first rate of the search, as a share of the best rate of the ladder.
const START: f64 = 0.6;
/// The highest rate of the search, as a multiple of the best rate of the ladder.
const HIGHEST: f64 = 64.0;
/// The highest rate that the engine offers, in requests per second.
const FASTEST_PER_S: f64 = 1e8;

/// A search for capacity: the target, the objective, and the limits of the search.
pub struct Question {
    /// Index into the job's targets.
    pub target: usize,
    /// The server's address or name, for messages.
    pub url: String,
    /// The load in words.
    pub load: String,
    pub objective: Objective,
    /// The most requests that can be under way at once.
    pub most_clients: u32,
    /// The highest rate to try, in requests per second; absent: far above the ladder's best rate.
    pub max_rate: Option<f64>,
    /// The longest time that the search may take.
    pub seconds: f64,
    /// The length of a trial; absent: derived from the objective and the ladder's best rate.
    pub trial_s: Option<f64>,
    pub warm_up_s: f64,
    pub seed: u64,
}

impl Question {
    /// The search for both goals, around the best rate of the ladder in requests per second.
    pub fn search(&self, best_per_s: f64) -> Search {
        let finest = self.objective.finest();
        let enough_s = LEAST_LOST / (finest * best_per_s.max(1e-3));
        let limit_ns = self.objective.longest_ns();
        let patient_s = LIMITS * limit_ns as f64 / 1e9;
        let usual_s = SHORTEST_TRIAL_S.max(enough_s).max(patient_s);
        let trial_s = self.trial_s.unwrap_or(usual_s);
        let highest = self
            .max_rate
            .unwrap_or(HIGHEST * best_per_s)
            .min(FASTEST_PER_S);
        // With fewer requests in a trial, none may be lost.
        let lowest = (1.0 / (finest * trial_s)).min(highest);
        let start = (START * best_per_s).clamp(lowest, highest);
        let goals = EXCEED_RATIOS.map(|exceed_ratio| Goal {
            loss_ratio: self.objective.allowed(),
            exceed_ratio,
            trial_s,
            sum_s: TRIALS * trial_s,
            width: WIDTH,
        });
        Search::new(
            goals.into(),
            Span {
                lowest,
                start,
                highest,
            },
        )
    }
}
