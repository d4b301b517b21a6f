//! The options of a run without a job file. They are turned into the JSON of a job, so that they
//! mean, and are checked as, exactly what they would in a file.

use std::io::Read;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use serde_json::{Value, json};

use super::duration::seconds;
use super::streams::StreamOptions;
use super::url;
use super::values::{header, precision, rate};
use crate::job::{self, Job, PacerKind};

const DURATION_S: f64 = 10.0;
/// With a precision to be reached.
const LONGEST_S: f64 = 300.0;

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
    connections: u32,

    /// Stop after this time, such as 30s or 2m [default: 10s, unless -n is given]
    #[arg(short, long, value_parser = seconds, value_name = "TIME")]
    duration: Option<f64>,

    /// Stop after this many transactions
    #[arg(short = 'n', long, value_name = "COUNT", allow_negative_numbers = true)]
    transactions: Option<u64>,

    /// Stop when a figure of the response times is known to within so much, such as
    /// mean=2% or p99=5%; -d is the longest that may take [default: 5m]
    #[arg(long, value_parser = precision, value_name = "FIGURE=SHARE")]
    precision: Option<(String, f64)>,

    /// Transactions a second, whether the server keeps up or not [default: the next one on each
    /// connection as soon as the last one is answered]
    #[arg(short, long, value_parser = rate, value_name = "PER SECOND", allow_negative_numbers = true)]
    rate: Option<f64>,

    /// With --rate: arrivals at random, as of many independent users, instead of evenly spaced
    #[arg(long, requires = "rate")]
    poisson: bool,

    /// How many requests at once on each connection (not with HTTP/1.1)
    #[arg(short = 'm', long, default_value_t = 1, value_name = "COUNT")]
    streams: u32,

    /// Speak HTTP/2 to an http:// address, without asking first, or to an https:// one
    #[arg(long)]
    http2: bool,

    /// Speak HTTP/3, over QUIC, to an https:// address, without asking first
    #[arg(long, conflicts_with = "http2")]
    http3: bool,

    /// PEM file of the certificates to trust, instead of those that the system trusts
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    ca: Option<PathBuf>,

    /// Accept any certificate; the result says so
    #[arg(long)]
    insecure: bool,

    /// With TLS: a full handshake for each connection, instead of resuming earlier sessions
    #[arg(long)]
    no_resumption: bool,

    /// A fresh connection for each request
    #[arg(long)]
    no_reuse: bool,

    /// HTTP method [default: GET, or POST with --body]
    #[arg(short = 'X', long, value_name = "METHOD")]
    method: Option<String>,

    /// A header 'name: value' of every request, or of the WebSocket handshake; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,

    /// File with the body or message, or @- for standard input; raw bytes: with grpc:// the
    /// encoded message without its prefix [default: empty; ws://: the text "hello"]
    #[arg(long, value_name = "FILE")]
    body: Option<PathBuf>,

    /// Encodings of bodies to ask for, such as gzip,br (also deflate and zstd), or of gRPC's
    /// messages (not br); answers are decoded before they are checked, after their time was taken
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    accept_encoding: Vec<String>,

    /// Unary calls over HTTP: grpc_web, grpc_web_text or connect; the body is the message
    #[arg(long, value_name = "PROTOCOL")]
    rpc: Option<String>,

    #[command(flatten)]
    stream: StreamOptions,

    /// Time before the measurement in which load runs already
    #[arg(long, value_parser = seconds, default_value = "0s", value_name = "TIME")]
    warm_up: f64,

    /// A request without an answer after this time has failed
    #[arg(long, value_parser = seconds, default_value = "10s", value_name = "TIME")]
    timeout: f64,

    /// Processors to run on, one worker on each, such as 0,1 [default: one worker anywhere]
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    cpus: Vec<usize>,

    /// Folder for result.json and samples.parquet, with every single transaction
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

impl Options {
    /// What they are when none is given.
    pub fn default_for_job_file() -> Self {
        Self {
            connections: 10,
            duration: None,
            transactions: None,
            precision: None,
            rate: None,
            poisson: false,
            streams: 1,
            http2: false,
            http3: false,
            ca: None,
            insecure: false,
            no_resumption: false,
            no_reuse: false,
            method: None,
            headers: Vec::new(),
            body: None,
            accept_encoding: Vec::new(),
            rpc: None,
            stream: StreamOptions::default(),
            warm_up: 0.0,
            timeout: 10.0,
            cpus: Vec::new(),
            output: None,
        }
    }

    /// The job that the options describe. The error is the list of all problems.
    pub fn job(&self, url: &str) -> Result<Job, Vec<String>> {
        let mut problems = Vec::new();
        let mut keep = |problem: String| problems.push(problem);
        let url = url::parse(url).map_err(&mut keep).ok();
        let body = self.body().map_err(&mut keep).ok();
        let headers: Vec<Value> = self
            .headers
            .iter()
            .filter_map(|text| header(text).map_err(&mut keep).ok())
            .collect();
        let has_tls_options = self.ca.is_some() || self.insecure || self.no_resumption;
        if has_tls_options && url.as_ref().is_some_and(|url| !url.is_secure) {
            keep(
                "--ca, --insecure and --no-resumption are for TLS; expected an https://, h2://, \
                  h3://, grpcs:// or wss:// address"
                    .into(),
            );
        }
        let is_https = |url: &url::Url| url.is_secure && matches!(url.transport, "http1" | "http3");
        if self.http3 && !url.as_ref().is_some_and(is_https) {
            keep("--http3 is always over TLS; expected an https:// address".into());
        }
        let (Some(url), Some(body), true) = (url, body, problems.is_empty()) else {
            return Err(problems);
        };
        let transport = match url.transport {
            "http1" if self.http2 => "http2",
            "http1" if self.http3 => "http3",
            transport => transport,
        };
        let body = match (body, transport) {
            (None, "websocket") => b"hello".to_vec(),
            (body, _) => body.unwrap_or_default(),
        };
        let default_method = if self.body.is_some() { "POST" } else { "GET" };
        let duration = match (self.duration, self.transactions, &self.precision) {
            (None, _, Some(_)) => Some(LONGEST_S),
            (None, None, None) => Some(DURATION_S),
            (duration, _, _) => duration,
        };
        let tls = url.is_secure.then(|| {
            json!({
                "ca": self.ca,
                "insecure": self.insecure,
                "resumption": !self.no_resumption,
            })
        });
        let precision = self.precision.as_ref();
        let precision = precision.map(|(of, share)| json!({ "of": of, "half_width": share }));
        let timeout_ms = (self.timeout * 1e3).ceil();
        job::from_command_line(&json!({
            "format": "wirelab-job/1",
            "target": {
                "transport": transport,
                "address": url.address,
                "authority": url.authority,
                "path": (transport == "websocket").then_some(&url.path),
                "headers": headers,
                "accept_encoding": self.accept_encoding,
                "tls": tls,
                "rpc": self.rpc,
            },
            "connections": {
                "count": self.connections,
                "streams_per_connection": self.streams,
                "reuse": !self.no_reuse,
                "request_timeout_ms": timeout_ms as u64,
            },
            "pacer": self.pacer(),
            "warm_up": { "seconds": self.warm_up },
            "stop": {
                "seconds": duration,
                "transactions": self.transactions,
                "precision": precision,
            },
            "requests": [{
                "method": self.method.as_deref().unwrap_or(default_method),
                "path": url.path,
                "body": STANDARD.encode(&body),
                "binary": std::str::from_utf8(&body).is_err(),
                "stream": self.stream.json(),
            }],
            "transactions": [{ "operation": transport, "rounds": [[0]] }],
            "cpus": self.cpus,
            "output": self.output,
            "samples": self.output.is_some(),
        }))
    }

    fn pacer(&self) -> Value {
        match self.rate {
            None => {
                let clients = u64::from(self.connections) * u64::from(self.streams);
                json!({ "kind": "closed", "clients": clients })
            }
            Some(rate) if self.poisson => json!({ "kind": "poisson", "rate_per_s": rate }),
            Some(rate) => json!({ "kind": "constant", "rate_per_s": rate }),
        }
    }

    fn body(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(path) = &self.body else {
            return Ok(None);
        };
        let mut body = Vec::new();
        let read = if path.as_os_str() == "@-" {
            std::io::stdin().read_to_end(&mut body).map(|_| body)
        } else {
            std::fs::read(path)
        };
        let failed = |error| format!("--body {}: cannot be read: {error}", path.display());
        read.map(Some).map_err(failed)
    }

    /// The load in words.
    pub fn describe(&self, job: &Job) -> String {
        let connections = match (self.connections, self.streams) {
            (1, 1) => "1 connection".into(),
            (count, 1) => format!("{count} connections"),
            (count, streams) => format!("{count} connections of {streams} streams"),
        };
        let load = match &job.pacer {
            PacerKind::Closed { .. } => "one after the other".into(),
            PacerKind::Poisson { rate_per_s, .. } => format!("{rate_per_s} a second at random"),
            _ => format!("{} a second", self.rate.unwrap_or_default()),
        };
        let tls = if job.target.tls.is_some() {
            " over TLS"
        } else {
            ""
        };
        let rpc = job
            .target
            .rpc
            .map_or("".into(), |rpc| format!("{} over ", rpc.name()));
        let transport = job.target.transport.name();
        format!("{rpc}{transport}{tls}, {connections}, {load}")
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(words: &[&str]) -> Options {
        let line = [&["x"], words].concat();
        Line::try_parse_from(line).unwrap().options
    }

    #[test]
    fn the_defaults_are_those_that_a_job_file_may_have_beside_it() {
        assert_eq!(options(&[]), Options::default_for_job_file());
    }

    #[test]
    fn options_become_a_job() {
        let words = "-c 4 -m 8 -n 100 -r 50 --poisson --http2 -X PUT --cpus 0,1";
        let mut words: Vec<&str> = words.split(' ').collect();
        words.extend(["-H", "x-token: a: b"]);
        let job = options(&words).job("http://127.0.0.1:8080/a?b").unwrap();
        assert_eq!(job.target.transport, job::TransportKind::Http2);
        assert_eq!(job.target.headers, [("x-token".into(), "a: b".into())]);
        assert_eq!(
            (
                job.requests[0].method.as_str(),
                job.requests[0].path.as_str()
            ),
            ("PUT", "/a?b")
        );
        assert!(matches!(
            job.pacer,
            PacerKind::Poisson {
                rate_per_s: 50.0,
                ..
            }
        ));
        assert_eq!((job.stop.transactions, job.stop.seconds), (Some(100), None));
        assert_eq!(
            (job.cpus, job.output, job.samples),
            (vec![0, 1], None, false)
        );
    }

    #[test]
    fn a_bare_address_is_enough() {
        let job = options(&[]).job("ws://127.0.0.1:1").unwrap();
        assert_eq!(job.stop.seconds, Some(DURATION_S));
        assert_eq!(
            (job.requests[0].body.as_slice(), job.requests[0].binary),
            (&b"hello"[..], false)
        );
        assert!(matches!(job.pacer, PacerKind::Closed { clients: 10, .. }));
    }

    #[test]
    #[cfg(feature = "http3")]
    fn http3_is_for_https() {
        let words = ["--http3", "--insecure"];
        let job = options(&words).job("https://127.0.0.1:1").unwrap();
        assert_eq!(job.target.transport, job::TransportKind::Http3);
        for url in ["http://127.0.0.1:1", "grpcs://127.0.0.1:1"] {
            let problems = options(&["--http3"]).job(url).unwrap_err();
            assert_eq!(problems.len(), 1, "{problems:?}");
        }
    }

    #[test]
    #[cfg(not(feature = "http3"))]
    fn without_http3_its_absence_is_told() {
        for url in ["https://127.0.0.1:1", "h3://127.0.0.1:1"] {
            let words = ["--http3", "--insecure"];
            let problems = options(&words).job(url).unwrap_err();
            assert!(problems[0].contains("feature http3"), "{problems:?}");
        }
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let options = options(&["-H", "nonsense", "--body", "/no/such/file"]);
        let problems = options.job("ftp://x").unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:?}");
    }
}
