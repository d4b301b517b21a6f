//! The options of servers that take turns.

use clap::Args;

use super::build;
use super::options::Options;
use super::values::margin;
use crate::compare::Question;
use crate::job::Job;

const DURATION_S: f64 = 10.0;
const WARM_UP_S: f64 = 1.0;
const MARGIN: f64 = 0.05;

#[derive(Args, Debug, PartialEq)]
pub struct TurnOptions {
    /// Also compare the first server with itself
    ///
    /// As if it were another one: the difference is the resolution of this session.
    #[arg(long)]
    pub twin: bool,

    /// Difference that is practically none [default: 5%]
    ///
    /// Servers whose times differ by less than this share are practically the same.
    #[arg(long, value_parser = margin, value_name = "SHARE")]
    margin: Option<f64>,
}

impl TurnOptions {
    /// The options when none is given.
    pub const NONE: Self = Self {
        twin: false,
        margin: None,
    };

    /// The job for these servers, and the comparison. The error is the list of all problems.
    pub fn question(
        &self,
        urls: &[String],
        options: &Options,
    ) -> Result<(Job, Question), Vec<String>> {
        let twin = self.twin.then(|| urls[0].clone());
        let urls: Vec<String> = urls.iter().cloned().chain(twin).collect();
        let mut question = Question {
            urls,
            has_twin: self.twin,
            load: String::new(),
            seconds: options.load.duration.unwrap_or(DURATION_S),
            warm_up_s: options.load.warm_up.unwrap_or(WARM_UP_S),
            margin: self.margin.unwrap_or(MARGIN),
            seed: options.load.seed.unwrap_or(1),
        };
        let named = question.urls.iter().enumerate();
        let servers: Vec<(&str, String)> = named
            .map(|(index, url)| (url.as_str(), question.label(index)))
            .collect();
        let job = build::turns(options, &servers)?;
        let mut loads: Vec<String> = job
            .targets
            .iter()
            .map(|target| options.describe(target))
            .collect();
        loads.dedup();
        question.load = loads.join("; ");
        Ok((job, question))
    }
}
