//! The result of a search for capacity.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::goal::Goal;
use super::ladder::{Rung, wants_more};
use super::question::Question;
use super::search::Search;
use crate::objective::Judged;
use crate::result::text::{busy, plural};

/// If the rate of the ladder's best rung has changed by more than this factor at the end, the
/// server has changed during the search.
const CHANGED: f64 = 1.3;

/// The result of a search, as it is printed in JSON.
#[derive(Serialize)]
pub struct Capacity {
    format: &'static str,
    pub interrupted: bool,
    /// Whether the time ended before the bounds were found.
    pub out_of_time: bool,
    pub url: String,
    pub load: String,
    pub objective: String,
    /// The share of requests of a trial that may be late, failed or never sent.
    pub allowed_loss_ratio: f64,
    pub trial_s: f64,
    pub duration_sum_s: f64,
    pub seed: u64,
    pub seconds: f64,
    pub ladder: Vec<Rung>,
    pub goals: Vec<Found>,
    pub trials: Vec<Measured>,
    /// The rate of the ladder's best rung at the end over that at the beginning.
    pub change: Option<f64>,
    pub warnings: Vec<String>,
}

/// The bounds of one goal.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The share of a rate's trials that may miss the objective.
    pub exceed_ratio: f64,
    /// The highest sustained rate, in requests per second.
    pub lower_per_s: Option<f64>,
    /// The lowest rate that is not sustained, in requests per second.
    pub upper_per_s: Option<f64>,
    /// The RFC's conditional throughput at the lower bound, in requests per second.
    pub throughput_per_s: Option<f64>,
    pub outcome: Outcome,
}

/// How the search for a goal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Found,
    /// Even the highest rate of the search is sustained.
    EveryRate,
    NoRate,
    Unfinished,
}

impl Outcome {
    /// The name in results.
    pub fn words(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::EveryRate => "every rate",
            Self::NoRate => "no rate",
            Self::Unfinished => "unfinished",
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.words())
    }
}

/// One trial.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Its start, in seconds since the search began.
    pub at_s: f64,
    pub rate_per_s: f64,
    pub seconds: f64,
    #[serde(flatten)]
    pub judged: Judged,
    pub failed: u64,
    pub never_sent: u64,
    pub errors: BTreeMap<&'static str, u64>,
    pub median_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub engine_busy_share: f64,
}

impl Capacity {
    /// The result of a search so far; the caller adds how it ended.
    pub fn new(
        question: &Question,
        search: &Search,
        ladder: Vec<Rung>,
        trials: Vec<Measured>,
    ) -> Self {
        let goals: Vec<Found> = search
            .goals()
            .iter()
            .map(|it| Found::new(it, search))
            .collect();
        let first = search.goals()[0];
        let shares = trials.iter().map(|it| it.engine_busy_share);
        let busiest = shares.fold(0.0, f64::max);
        let mut warnings = Vec::from_iter(busy(busiest, " in a trial"));
        if wants_more(&ladder, question.most_clients) {
            warnings.push(format!(
                "{} requests in flight at once did not saturate the server, so the result may be the \
                 limit of the connections: allow more with -c or -m",
                question.most_clients
            ));
        }
        Self {
            format: "wirelab-capacity/1",
            interrupted: false,
            out_of_time: false,
            url: question.url.clone(),
            load: question.load.clone(),
            objective: question.objective.written.clone(),
            allowed_loss_ratio: first.loss_ratio,
            trial_s: first.trial_s,
            duration_sum_s: first.sum_s,
            seed: question.seed,
            seconds: 0.0,
            ladder,
            goals,
            trials,
            change: None,
            warnings,
        }
    }

    /// Compares the best rung of the ladder with its repetition at the end, and warns if the server
    /// has changed.
    pub fn compare_rungs(&mut self, before: Rung, after: Option<Rung>) {
        let Some(after) = after.filter(|_| before.rate_per_s > 0.0) else {
            return;
        };
        self.change = Some(after.rate_per_s / before.rate_per_s);
        if self.has_changed() {
            let word = match after.rate_per_s < before.rate_per_s {
                true => "slower",
                false => "faster",
            };
            self.warnings.push(format!(
                "the server became {word} during the search: {} reached {:.1}/s at its \
                 beginning and {:.1}/s at its end; the bounds mix both, so search again",
                plural(before.clients.into(), "client"),
                before.rate_per_s,
                after.rate_per_s
            ));
        }
    }

    /// Whether the server has changed during the search.
    fn has_changed(&self) -> bool {
        self.change
            .is_some_and(|it| !(1.0 / CHANGED..=CHANGED).contains(&it))
    }

    /// Whether all bounds were found and the server has not changed.
    pub fn is_settled(&self) -> bool {
        let is_open = |found: &Found| found.outcome == Outcome::Unfinished;
        !self.goals.iter().any(is_open) && !self.has_changed()
    }

    /// Whether even the lowest rate misses the objective in most trials.
    pub fn is_hopeless(&self) -> bool {
        self.goals.first().map(|it| it.outcome) == Some(Outcome::NoRate)
    }

    /// The result as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Found {
    fn new(goal: &Goal, search: &Search) -> Self {
        let bounds = search.bounds(goal);
        let outcome = match bounds {
            _ if search.is_at_top(bounds) => Outcome::EveryRate,
            _ if search.is_at_bottom(bounds) => Outcome::NoRate,
            _ if search.is_reached(goal) => Outcome::Found,
            _ => Outcome::Unfinished,
        };
        let shown = match outcome {
            Outcome::Unfinished => search.bounds_so_far(goal),
            _ => bounds,
        };
        let rate = |index: i32| search.rate_per_s(index);
        Self {
            exceed_ratio: goal.exceed_ratio,
            lower_per_s: shown.lower.map(rate),
            upper_per_s: shown.upper.map(rate),
            throughput_per_s: search.throughput(goal),
            outcome,
        }
    }
}
