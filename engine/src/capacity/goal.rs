//! Search goals of RFC 9971.

/// A search goal: the highest load at which at most a share of the trials exceeds a loss ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// A trial that loses more than this share of its requests is a high-loss trial.
    pub loss_ratio: f64,
    /// The share of the time of all trials at a load that high-loss trials may take.
    pub exceed_ratio: f64,
    /// The length of a full trial; shorter ones count only against each other.
    pub trial_s: f64,
    /// The time in trials after which a load is always classified.
    pub sum_s: f64,
    /// The largest distance between the bounds, as a share of the load.
    pub width: f64,
}

/// An intermediate goal that is easier to reach: less time at each load, and wider bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    pub goal: Goal,
    /// The width in steps of the grid of loads.
    pub steps: i32,
}

/// For each phase, its share of the time and its multiple of the width.
const PHASES: [(f64, i32); 3] = [(1.0 / 7.0, 16), (3.0 / 7.0, 4), (1.0, 1)];

impl Goal {
    /// The phases of a search on a grid with this relative `step`. The last one is the goal.
    pub fn phases(self, step: f64) -> [Phase; 3] {
        let finest = (self.width.ln_1p() / step.ln_1p() + 1e-9).floor().max(1.0) as i32;
        PHASES.map(|(share, times)| Phase {
            goal: Self {
                sum_s: self.sum_s * share,
                ..self
            },
            steps: finest * times,
        })
    }
}
