//! The options of a run without a job file.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::duration::seconds;
use super::streams::StreamOptions;
use super::values::{precision, rate};
use crate::job::{PacerKind, Target};

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
    #[arg(short, long, value_parser = rate, value_name = "PER SECOND", allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// With --rate: arrivals at random, as of many independent users, instead of evenly spaced
    #[arg(long, requires = "rate")]
    pub poisson: bool,

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

    /// Accept any certificate; the result says so
    #[arg(long)]
    pub insecure: bool,

    /// With TLS: a full handshake for each connection, instead of resuming earlier sessions
    #[arg(long)]
    pub no_resumption: bool,

    /// A fresh connection for each request
    #[arg(long)]
    pub no_reuse: bool,

    /// HTTP method [default: GET, or POST with --body]
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub method: Option<String>,

    /// A header 'name: value' of every request, or of the WebSocket handshake; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,

    /// File with the body or message, or @- for standard input; raw bytes: with grpc:// the
    /// encoded message without its prefix [default: empty; ws://: the text "hello"]
    #[arg(long, value_name = "FILE")]
    pub body: Option<PathBuf>,

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

    /// Folder for result.json and samples.parquet, with every single transaction
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
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
        let connections = match (self.connections, self.streams) {
            (1, 1) => "1 connection".into(),
            (count, 1) => format!("{count} connections"),
            (count, streams) => format!("{count} connections of {streams} streams"),
        };
        let load = match &target.pacer {
            PacerKind::Closed { .. } => "one after the other".into(),
            PacerKind::Poisson { rate_per_s, .. } => format!("{rate_per_s} a second at random"),
            _ => format!("{} a second", self.rate.unwrap_or_default()),
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
        format!("{rpc}{transport}{tls}, {connections}, {load}")
    }
}
