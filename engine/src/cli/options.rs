//! The options of a run without a job file.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::content::Content;
use super::duration::seconds;
use super::streams::StreamOptions;
use super::values::{precision, rate, stages};
use crate::job::{PacerKind, Stage, Target};
use crate::result::text::duration;

#[derive(Args, Debug, PartialEq)]
pub struct Options {
    /// How many connections to keep open
    #[arg(
        short,
        long,
        default_value_t = 10,
        value_name = "COUNT",
        allow_negative_numbers = true
    )]
    pub connections: u32,

    /// Stop after this time, such as 30s or 2m; with several servers after about so much in all
    /// [default: 10s, unless -n is given]
    #[arg(short, long, value_parser = seconds, value_name = "TIME")]
    pub duration: Option<f64>,

    /// Stop after this many transactions
    #[arg(short = 'n', long, value_name = "COUNT", allow_negative_numbers = true)]
    pub transactions: Option<u64>,

    /// Stop when a figure of the response times is known to within so much, such as
    /// mean=2% or p99=5%; -d is the longest that may take [default: 5m]
    #[arg(long, value_parser = precision, value_name = "FIGURE=SHARE")]
    pub precision: Option<(String, f64)>,

    /// Transactions a second, whether the server keeps up or not [default: the next one on each
    /// connection as soon as the last one is answered]
    #[arg(short, long, value_parser = rate, value_name = "PER SECOND", group = "load", allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// With --rate or --find-capacity: arrivals at random, as of many independent users, instead of
    /// evenly spaced
    #[arg(long, requires = "load")]
    pub poisson: bool,

    /// Rates one after the other: TIME:RATE, or TIME:FROM..TO for one that changes evenly; with the
    /// last one the run ends
    #[arg(long, value_parser = stages_of, value_name = "TIME:RATE,...", conflicts_with_all = ["rate", "duration", "precision"])]
    pub stages: Option<Stages>,

    /// Without a rate: the time between an answer and the next request on each connection
    #[arg(long, value_parser = seconds, value_name = "TIME", conflicts_with_all = ["rate", "stages"])]
    pub think: Option<f64>,

    /// How many requests at once on each connection (not with HTTP/1.1)
    #[arg(short = 'm', long, default_value_t = 1, value_name = "COUNT")]
    pub streams: u32,

    /// Speak HTTP/2 to an http:// address, without asking first, or to an https:// one
    #[arg(long)]
    pub http2: bool,

    /// Speak HTTP/3, over QUIC, to an https:// address, without asking first
    #[arg(long, conflicts_with = "http2")]
    pub http3: bool,

    /// PEM file of the certificates to trust, instead of those that the system trusts
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,

    /// PEM file of our own certificate, for servers that ask for one; with the chain to its CA
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// PEM file of its private key
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Accept any certificate; the result says so
    #[arg(long)]
    pub insecure: bool,

    /// With TLS: a full handshake for each connection, instead of resuming earlier sessions
    #[arg(long)]
    pub no_resumption: bool,

    /// A fresh connection for each request
    #[arg(long)]
    pub no_reuse: bool,

    #[command(flatten)]
    pub content: Content,

    /// Encodings of bodies to ask for, such as gzip,br (also deflate and zstd), or of gRPC's
    /// messages (not br); answers are decoded before they are checked, after their time was taken
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub accept_encoding: Vec<String>,

    /// Unary calls over HTTP: grpc_web, grpc_web_text or connect; the body is the message
    #[arg(long, value_name = "PROTOCOL")]
    pub rpc: Option<String>,

    #[command(flatten)]
    pub stream: StreamOptions,

    /// Time before the measurement in which load runs already [default: none, or 1s on each of
    /// several servers]
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    pub warm_up: Option<f64>,

    /// A request without an answer after this time has failed
    #[arg(long, value_parser = seconds, default_value = "10s", value_name = "TIME")]
    pub timeout: f64,

    /// Processors to run on, one worker on each, such as 0,1 [default: one worker anywhere, or on
    /// the last one for several servers]
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub cpus: Vec<usize>,

    /// Of whatever is random: arrivals with --poisson, {uuid} and {random:...}, and the orders in
    /// which several servers take turns [default: 1; placeholders are others in each run]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,

    /// Folder for result.json and samples.parquet, with every single transaction
    #[arg(short = 'o', long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
}

/// One value of an option, though it is a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages(pub Vec<Stage>);

fn stages_of(text: &str) -> Result<Stages, String> {
    stages(text).map(Stages)
}

impl Options {
    /// What they are when none is given.
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
            PacerKind::Closed { .. } => match self.think {
                Some(seconds) => format!("{} between them", duration(seconds * 1e6)),
                None => "one after the other".into(),
            },
            PacerKind::Stages { stages } => format!("in {} stages", stages.len()),
            PacerKind::Poisson { rate_per_s, .. } => format!("{rate_per_s} a second at random"),
            _ => format!("{} a second", self.rate.unwrap_or_default()),
        };
        let values = match target.captured {
            None => "",
            Some(_) => ", with values from earlier answers",
        };
        format!("{}, {load}{values}", self.describe_connections(target))
    }

    /// The loads of a search in words.
    pub fn describe_search(&self, target: &Target) -> String {
        let arrivals = match target.pacer {
            PacerKind::Poisson { .. } => "requests at random times",
            _ => "requests evenly spaced",
        };
        format!("{}, {arrivals}", self.describe_connections(target))
    }

    fn describe_connections(&self, target: &Target) -> String {
        let connections = match (self.connections, self.streams) {
            (1, 1) => "1 connection".into(),
            (count, 1) => format!("{count} connections"),
            (count, streams) => format!("{count} connections of {streams} streams"),
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
