//! The options of a run without a job file.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::content::Content;
use super::streams::StreamOptions;
use super::values::{precision, rate, stages};
use crate::duration::seconds;
use crate::job::{PacerKind, Stage, Target};
use crate::result::text::duration;

#[derive(Args, Debug, PartialEq)]
pub struct Options {
    /// Number of connections
    #[arg(
        short,
        long,
        default_value_t = 10,
        value_name = "COUNT",
        allow_negative_numbers = true
    )]
    pub connections: u32,

    /// Stop after this time, such as 30s or 2m; with several servers it is their approximate total
    /// [default: 10s, unless -n is given]
    #[arg(short, long, value_parser = seconds, value_name = "TIME")]
    pub duration: Option<f64>,

    /// Stop after this many transactions
    #[arg(short = 'n', long, value_name = "COUNT", allow_negative_numbers = true)]
    pub transactions: Option<u64>,

    /// Stop when half the 95 % interval of a response-time statistic is at most this share of it,
    /// such as mean=2% or p99=5%; -d limits the time [default: 5m]
    #[arg(long, value_parser = precision, value_name = "FIGURE=SHARE")]
    pub precision: Option<(String, f64)>,

    /// Open load: transactions per second, whether the server keeps up or not [default: closed
    /// load, the next transaction on each connection as soon as the last one has ended]
    #[arg(short, long, value_parser = rate, value_name = "PER SECOND", group = "load", allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// With --rate or --find-capacity: Poisson arrivals, as of many independent users, instead of
    /// evenly spaced ones
    #[arg(long, requires = "load")]
    pub poisson: bool,

    /// Open load in stages, one after the other: TIME:RATE, or TIME:FROM..TO for a rate that
    /// changes linearly; the run ends with the last stage
    #[arg(long, value_parser = stages_of, value_name = "TIME:RATE,...", conflicts_with_all = ["rate", "duration", "precision"])]
    pub stages: Option<Stages>,

    /// Closed load: think time between an answer and the next request on each connection
    #[arg(long, value_parser = seconds, value_name = "TIME", conflicts_with_all = ["rate", "stages"])]
    pub think: Option<f64>,

    /// Concurrent requests per connection (not with HTTP/1.1)
    #[arg(short = 'm', long, default_value_t = 1, value_name = "COUNT")]
    pub streams: u32,

    /// Use HTTP/2 for an http:// address, with prior knowledge, or for an https:// one
    #[arg(long)]
    pub http2: bool,

    /// Use HTTP/3 over QUIC for an https:// address, with prior knowledge
    #[arg(long, conflicts_with = "http2")]
    pub http3: bool,

    /// PEM file of trusted certificates, instead of those that the system trusts
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,

    /// PEM file of the client certificate, for servers that request one, with the chain to its CA
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// PEM file of the private key of --cert
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Accept any certificate; the result says so
    #[arg(long)]
    pub insecure: bool,

    /// With TLS: a full handshake per connection, instead of resuming earlier sessions
    #[arg(long)]
    pub no_resumption: bool,

    /// Open a new connection for each request
    #[arg(long)]
    pub no_reuse: bool,

    #[command(flatten)]
    pub content: Content,

    /// Accepted encodings of bodies, such as gzip,br (also deflate and zstd), or of gRPC messages
    /// (not br); answers are timed before they are decoded and checked
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub accept_encoding: Vec<String>,

    /// Unary calls over HTTP: grpc_web or connect; the body is the message
    #[arg(long, value_name = "PROTOCOL")]
    pub rpc: Option<String>,

    #[command(flatten)]
    pub stream: StreamOptions,

    /// Time of the warm-up [default: none, or 1s for each of several servers]
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    pub warm_up: Option<f64>,

    /// Time-out of a request, from its actual start
    #[arg(long, value_parser = seconds, default_value = "10s", value_name = "TIME")]
    pub timeout: f64,

    /// CPUs to run on, one worker on each, such as 0,1 [default: one worker on any CPU, or on the
    /// last one with several servers]
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub cpus: Vec<usize>,

    /// Seed of random arrivals (--poisson), {uuid} and {random:...}, and the order of turns
    /// [default: 1; for placeholders a different one in each run]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,

    /// Folder for result.json and samples.parquet, which has every transaction
    #[arg(short = 'o', long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
}

/// A list that is a single value of an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages(pub Vec<Stage>);

fn stages_of(text: &str) -> Result<Stages, String> {
    stages(text).map(Stages)
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
            PacerKind::Closed { .. } => match self.think {
                Some(seconds) => format!("think time {}", duration(seconds * 1e6)),
                None => "closed load".into(),
            },
            PacerKind::Stages { stages } => format!("in {} stages", stages.len()),
            PacerKind::Poisson { rate_per_s, .. } => {
                format!("{rate_per_s} per second, Poisson arrivals")
            }
            _ => format!("{} per second", self.rate.unwrap_or_default()),
        };
        let values = match target.captured {
            None => "",
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
