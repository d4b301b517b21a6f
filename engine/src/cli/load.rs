//! The options of the load: how many requests, how fast, how long.

use clap::Args;

use super::values::{precision, rate, stages};
use crate::duration::seconds;
use crate::job::Stage;

#[derive(Args, Debug, PartialEq)]
pub struct LoadOptions {
    /// Number of connections
    #[arg(
        short,
        long,
        default_value_t = 10,
        value_name = "COUNT",
        allow_negative_numbers = true
    )]
    pub connections: u32,

    /// Concurrent requests per connection (not with HTTP/1.1)
    #[arg(short = 'm', long, default_value_t = 1, value_name = "COUNT")]
    pub streams: u32,

    /// Stop after this time, such as 30s or 2m [default: 10s]
    ///
    /// With several servers it is their approximate total. With -n there is no default.
    #[arg(short, long, value_parser = seconds, value_name = "TIME")]
    pub duration: Option<f64>,

    /// Stop after this many transactions
    #[arg(short = 'n', long, value_name = "COUNT", allow_negative_numbers = true)]
    pub transactions: Option<u64>,

    /// Stop at a precision, such as mean=2% or p99=5%
    ///
    /// Half the 95 % interval of the statistic of response times is then at most this share of it;
    /// -d limits the time [default: 5m].
    #[arg(long, value_parser = precision, value_name = "SHARE")]
    pub precision: Option<(String, f64)>,

    /// Transactions per second, whether the server keeps up or not
    ///
    /// An open load. Without it the load is closed: the next transaction starts on each connection
    /// as soon as the last one has ended.
    #[arg(short, long, value_parser = rate, value_name = "PER SECOND", group = "load", allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// Random arrivals at --rate, as of independent users
    ///
    /// Poisson arrivals instead of evenly spaced ones, also with --find-capacity.
    #[arg(long, requires = "load")]
    pub poisson: bool,

    /// Rates one after the other, such as 10s:100,30s:100..500
    ///
    /// An open load in stages: TIME:RATE, or TIME:FROM..TO for a rate that changes linearly. The
    /// run ends with the last stage.
    #[arg(long, value_parser = stages_of, value_name = "STAGES", conflicts_with_all = ["rate", "duration", "precision"])]
    pub stages: Option<Stages>,

    /// Pause between an answer and the next request of a client
    #[arg(long, value_parser = seconds, value_name = "TIME", conflicts_with_all = ["rate", "stages"])]
    pub think: Option<f64>,

    /// Time of the warm-up, which is not measured
    ///
    /// [default: none, or 1s for each of several servers]
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    pub warm_up: Option<f64>,

    /// CPUs to run on, such as 0,1, one worker on each
    ///
    /// [default: one worker on any CPU, or on the last one with several servers]
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub cpus: Vec<usize>,

    /// Seed of random values, arrivals and turns
    ///
    /// Of --poisson, {uuid} and {random:...}, and the order of turns [default: 1; for placeholders
    /// a different one in each run].
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// A list that is a single value of an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages(pub Vec<Stage>);

fn stages_of(text: &str) -> Result<Stages, String> {
    stages(text).map(Stages)
}

impl LoadOptions {
    /// The number of concurrent requests.
    pub fn clients(&self) -> u64 {
        u64::from(self.connections) * u64::from(self.streams)
    }
}
