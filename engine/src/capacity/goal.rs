//! What is searched for: a search goal of RFC 9971.

/// The highest load of whose trials not more than a share may lose more than a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// A trial that loses more than this share of its requests is a high-loss trial.
    pub loss_ratio: f64,
    /// Of the time of all trials at a load, high-loss ones may take this share.
    pub exceed_ratio: f64,
    /// A trial that is shorter than this counts only against other short ones.
    pub trial_s: f64,
    /// With so much time in trials a load is classified, whatever they came to.
    pub sum_s: f64,
    /// The bounds that are found lie apart by this share at most.
    pub width: f64,
}

/// A goal that is easier to reach, on the way to the real one: less time at each load, and bounds
/// that lie farther apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    pub goal: Goal,
    /// The width once more, in places of the grid of loads.
    pub places: i32,
}

/// Of each phase, the share of the sum and how often the width.
const PHASES: [(f64, i32); 3] = [(1.0 / 7.0, 16), (3.0 / 7.0, 4), (1.0, 1)];

impl Goal {
    /// The phases of a search on a grid whose loads lie apart by `step`. The last one is the goal.
    pub fn phases(self, step: f64) -> [Phase; 3] {
        let finest = (self.width.ln_1p() / step.ln_1p() + 1e-9).floor().max(1.0) as i32;
        PHASES.map(|(share, times)| Phase {
            goal: Self {
                sum_s: self.sum_s * share,
                ..self
            },
            places: finest * times,
        })
    }
}
