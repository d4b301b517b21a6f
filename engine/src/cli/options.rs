//! The options of a run without a job file, in the groups of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::connect::ConnectOptions;
use super::content::Content;
use super::expect::ExpectOptions;
use super::load::LoadOptions;
use crate::job::{PacerKind, Target};
use crate::result::text::{count, duration, plural};

/// The headings of `--help`.
pub const CONTENT: &str = "What to request";
pub const LOAD: &str = "How much";
pub const CONNECT: &str = "Connections and TLS";
pub const VERDICT: &str = "Verdict";
pub const OUTPUT: &str = "Output";

#[derive(Args, Debug, PartialEq)]
pub struct Options {
    #[command(flatten, next_help_heading = CONTENT)]
    pub content: Content,

    #[command(flatten, next_help_heading = LOAD)]
    pub load: LoadOptions,

    #[command(flatten, next_help_heading = CONNECT)]
    pub connect: ConnectOptions,

    #[command(flatten, next_help_heading = VERDICT)]
    pub expect: ExpectOptions,

    /// Folder for result.json and samples.parquet
    ///
    /// The samples have every transaction.
    #[arg(short = 'o', long, value_name = "FOLDER", help_heading = OUTPUT)]
    pub keep: Option<PathBuf>,
}

impl Options {
    /// The options when none is given.
    pub fn none() -> Self {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            options: Options,
        }
        Line::parse_from([""]).options
    }

    /// The load in words.
    pub fn describe(&self, target: &Target) -> String {
        let load = match &target.pacer {
            PacerKind::Closed { .. } => match self.load.think {
                Some(seconds) => format!("think time {}", duration(seconds * 1e6)),
                None => "closed load".into(),
            },
            PacerKind::Stages { stages } => format!("in {} stages", stages.len()),
            PacerKind::Replay { times_ns } => format!(
                "{} as recorded, over {}",
                plural(times_ns.len() as u64, "request"),
                duration(times_ns.last().map_or(0.0, |&last| last as f64 / 1e3))
            ),
            PacerKind::Poisson { rate_per_s, .. } => {
                format!("{rate_per_s} per second, Poisson arrivals")
            }
            _ => format!("{} per second", self.load.rate.unwrap_or_default()),
        };
        let values = match target.captured {
            None => "",
            Some(_) if self.content.first.is_none() && self.content.capture.is_empty() => "",
            Some(_) => ", with captured values",
        };
        format!("{}, {load}{values}", self.describe_connections(target))
    }

    /// The loads of a search in words.
    pub fn describe_search(&self, target: &Target) -> String {
        let arrivals = match target.pacer {
            PacerKind::Poisson { .. } => "Poisson arrivals",
            _ => "evenly spaced arrivals",
        };
        format!("{}, {arrivals}", self.describe_connections(target))
    }

    fn describe_connections(&self, target: &Target) -> String {
        let connections = match (u64::from(self.load.connections), self.load.streams) {
            (connections, 1) => plural(connections, "connection"),
            (connections, streams) => {
                format!("{} connections of {streams} streams", count(connections))
            }
        };
        let tls = if target.endpoint.tls.is_some() {
            " over TLS"
        } else {
            ""
        };
        let rpc = target
            .endpoint
            .rpc
            .map_or("".into(), |rpc| format!("{} over ", rpc.name()));
        let transport = target.endpoint.transport.name();
        format!("{rpc}{transport}{tls}, {connections}")
    }
}
