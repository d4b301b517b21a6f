//! The options of a search for capacity.

use std::sync::Arc;

use clap::Args;

use super::build;
use super::options::Options;
use super::values::rate;
use crate::arrival::Arrival;
use crate::capacity::Question;
use crate::duration::seconds;
use crate::job::command::SEARCH_S;
use crate::job::{Job, PacerKind};
use crate::objective::Objective;

const WARM_UP_S: f64 = 1.0;
/// The rate of the target before the first trial.
const NOMINAL_PER_S: f64 = 1.0;
const SHORTEST_TRIAL_S: f64 = 0.05;

#[derive(Args, Debug, PartialEq)]
pub struct CapacityOptions {
    /// Search for the highest rate that keeps an objective
    ///
    /// Such as p99<50ms or p99<50ms,failed<0.1%; -d limits the time [default: 5m], -c the
    /// connections, -m the streams of each.
    #[arg(
        long = "find-capacity",
        value_parser = Objective::parse,
        value_name = "GOAL",
        group = "load",
        conflicts_with_all = ["rate", "transactions", "precision", "stages", "think", "keep", "replay"]
    )]
    pub objective: Option<Objective>,

    /// With --find-capacity: the highest rate to try
    ///
    /// [default: far beyond what the server can do]
    #[arg(long, value_parser = rate, value_name = "PER SECOND")]
    max_rate: Option<f64>,

    /// With --find-capacity: length of a trial [default: 1s]
    ///
    /// Of which up to 21 test a rate. The default is longer for limits above 50ms and where a
    /// second has too few requests.
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    trial: Option<f64>,
}

impl CapacityOptions {
    /// The options when none is given.
    pub const NONE: Self = Self {
        objective: None,
        max_rate: None,
        trial: None,
    };

    /// The job for a server, and the search. The error is the list of all problems.
    pub fn question(&self, url: &str, options: &Options) -> Result<(Job, Question), Vec<String>> {
        let mut job = build::window(options, url)?;
        let target = Arc::make_mut(&mut job.targets[0]);
        target.pacer = match options.load.poisson {
            true => PacerKind::Poisson {
                rate_per_s: NOMINAL_PER_S,
                seed: 0,
            },
            false => PacerKind::Constant {
                rate_per_s: NOMINAL_PER_S,
            },
        };
        target.arrival = Arrival::Kernel;
        let Some(objective) = self.objective.clone() else {
            return Err(vec!["expected --find-capacity".into()]);
        };
        if self.trial.is_some_and(|trial_s| trial_s < SHORTEST_TRIAL_S) {
            return Err(vec!["--trial: expected at least 50ms".into()]);
        }
        let question = Question {
            target: 0,
            url: url.into(),
            load: options.describe_search(&job.targets[0]),
            objective,
            most_clients: u32::try_from(options.load.clients()).unwrap_or(u32::MAX),
            max_rate: self.max_rate,
            seconds: options.load.duration.unwrap_or(SEARCH_S),
            trial_s: self.trial,
            warm_up_s: options.load.warm_up.unwrap_or(WARM_UP_S),
            seed: options.load.seed.unwrap_or(1),
        };
        Ok((job, question))
    }
}
