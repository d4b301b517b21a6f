//! From the JSON text of a job to its values.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use serde_json::Value;

use super::load::{arrival, pacer, wait};
use super::requests::{
    accept_encoding, check_text, headers, is_visible, request, subscription, transaction,
};
use super::section::{Problems, Section};
use super::tls::tls;
use super::{Connections, Job, Order, PacerKind, Rpc, StopRule, Target, TransportKind, WarmUp};
use crate::precision::{Precision, Statistic};
use crate::wait::Wait;

const FORMAT: &str = "wirelab-job/1";
pub const MOST: u64 = 1 << 40;
const MOST_STREAMS: u64 = 1_000_000;
pub const YEAR_S: f64 = 31_536_000.0;

/// Reads a job file. The error is the list of all problems, each naming the file.
pub fn load(path: &Path) -> Result<Job, Vec<String>> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| vec![format!("{name}: cannot be read: {error}")])?;
    parse(&text).map_err(|problems| {
        problems
            .into_iter()
            .map(|problem| format!("{name}: {problem}"))
            .collect()
    })
}

/// Reads the JSON text of a job.
pub fn parse(text: &str) -> Result<Job, Vec<String>> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| vec![format!("not JSON: {error}")])?;
    check(&value, |root| {
        root.require("output", root.text("output"), "the folder for the result");
    })
}

/// Takes a job that the command line was turned into; it may go without an output folder.
pub fn from_command_line(value: &Value) -> Result<Job, Vec<String>> {
    check(value, |_| {})
}

fn check(value: &Value, more: impl Fn(&Section)) -> Result<Job, Vec<String>> {
    let problems = Problems::default();
    let job = {
        let root = Section::new(String::new(), Some(value), &problems);
        more(&root);
        job(&root)
    };
    let problems = problems.into_inner();
    match job {
        Some(job) if problems.is_empty() => Ok(job),
        _ => Err(problems),
    }
}

fn job(root: &Section) -> Option<Job> {
    root.require("format", root.choice("format", &[(FORMAT, ())]), FORMAT);
    let target = target(&root.section("target"));
    let connections = connections(&root.section("connections"), target.as_ref());
    let stop_section = root.section("stop");
    let per_client = stop_section.integer("transactions_per_client", 1..=MOST);
    let stop = StopRule {
        transactions: stop_section.integer("transactions", 1..=MOST),
        seconds: stop_section.number("seconds", 0.001..=YEAR_S),
        precision: precision(&stop_section.section("precision")),
    };
    if stop.precision.is_some() && !stop_section.gives("seconds") {
        let expected = "the longest time that the precision may take";
        stop_section.problem("seconds", "missing", expected);
    }
    let seed = root.integer("seed", 0..=u64::MAX).unwrap_or(1);
    let pacer = pacer(&root.section("pacer"), per_client, seed);
    let ends_by_itself = matches!(pacer, Some(PacerKind::Replay { .. }));
    let conditions = ["transactions", "seconds", "transactions_per_client"];
    let has_condition = conditions.iter().any(|key| stop_section.gives(key));
    if !has_condition && !ends_by_itself {
        let expected = "transactions, seconds or transactions_per_client";
        root.problem("stop", "without any condition", expected);
    }
    if per_client.is_some() && pacer.as_ref().is_some_and(PacerKind::is_open) {
        let found = "given for a pacer without clients";
        stop_section.problem("transactions_per_client", found, "a pacer of kind closed");
    }
    let requests: Vec<_> = root
        .sections("requests")
        .iter()
        .map(|section| request(section, target.as_ref().map(|target| target.transport)))
        .collect();
    let has_encoding = target
        .as_ref()
        .is_some_and(|target| target.accept_encoding.is_some());
    let has_rpc = target.as_ref().is_some_and(|target| target.rpc.is_some());
    for (index, request) in requests.iter().enumerate() {
        if has_encoding && request.as_ref().is_some_and(|it| it.stream.is_some()) {
            let place = format!("requests[{index}].stream");
            root.problem(&place, "given", "none with target.accept_encoding");
        }
        if has_rpc && request.as_ref().is_some_and(|it| it.stream.is_some()) {
            let place = format!("requests[{index}].stream");
            root.problem(&place, "given", "none with target.rpc: calls are unary");
        }
    }
    let transactions: Vec<_> = root
        .sections("transactions")
        .iter()
        .map(|section| transaction(section, requests.len()))
        .collect();
    if transactions.is_empty() {
        root.problem("transactions", "none", "at least one transaction");
    }
    let cpus = root.items("cpus", "the number of a CPU", |value| {
        value
            .as_u64()
            .filter(|&cpu| cpu < 1024)
            .map(|cpu| cpu as usize)
    });
    let wait = wait(root);
    let arrival = arrival(root, pacer.as_ref());
    let warm_up = warm_up(&root.section("warm_up"));
    let order = order(&root.section("order"), seed);
    let real_time = root.flag("real_time", false);
    if real_time && cpus.is_empty() {
        root.problem(
            "real_time",
            "true without cpus",
            "true with cpus that nothing else needs",
        );
    }
    let (handshake, samples) = (root.flag("handshake", false), root.flag("samples", true));
    let output = root.text("output").map(Into::into);
    Some(Job {
        target: target?,
        connections,
        pacer: pacer?,
        wait,
        arrival,
        warm_up,
        stop,
        order,
        requests: requests.into_iter().collect::<Option<_>>()?,
        transactions: transactions.into_iter().collect::<Option<_>>()?,
        cpus,
        // The kernel stops whoever never sleeps for some milliseconds of each second.
        real_time: real_time && wait != Wait::Spin,
        handshake,
        output,
        samples,
        seed,
    })
}

fn target(section: &Section) -> Option<Target> {
    let transports = [
        ("http1", TransportKind::Http1),
        ("http2", TransportKind::Http2),
        ("grpc", TransportKind::Grpc),
        ("websocket", TransportKind::Websocket),
        ("http3", TransportKind::Http3),
    ];
    let transport = section.choice("transport", &transports);
    let expected = "http1, http2, http3, grpc or websocket";
    let transport = section.require("transport", transport, expected);
    let over_quic = transport == Some(TransportKind::Http3);
    if over_quic && !cfg!(feature = "http3") {
        let expected = "another one, or a wirelab-load built with the feature http3";
        section.problem("transport", "http3, which is not in this build", expected);
    }
    let rpc = section.choice(
        "rpc",
        &[
            ("grpc_web", Rpc::GrpcWeb),
            ("grpc_web_text", Rpc::GrpcWebText),
            ("connect", Rpc::Connect),
        ],
    );
    let over_http = [TransportKind::Http1, TransportKind::Http2];
    if rpc.is_some() && transport.is_some_and(|it| !over_http.contains(&it)) {
        section.problem("rpc", "given", "none but with http1 and http2");
    }
    let address = section.require("address", section.text("address"), "host:port");
    let authority = section.text("authority").or(address);
    if let Some(authority) = authority {
        check_text(section, "authority", authority, is_visible);
    }
    let path = section.text("path").unwrap_or("/");
    check_text(section, "path", path, is_visible);
    let headers = headers(section, transport);
    let accept_encoding = accept_encoding(section, transport, rpc);
    let tls = tls(&section.section("tls"), authority, over_quic);
    let subscribe = subscription(&section.section("subscribe"), transport);
    let mut addresses = address.map(resolve).unwrap_or_default().into_iter();
    let resolved = addresses.next();
    if let (Some(address), None) = (address, resolved) {
        let expected = "host:port that can be resolved";
        section.problem("address", format!("{address:?}"), expected);
    }
    Some(Target {
        transport: transport?,
        rpc,
        address: resolved?,
        other_addresses: addresses.collect(),
        authority: authority?.into(),
        path: path.into(),
        headers,
        accept_encoding,
        tls,
        subscribe,
    })
}

/// All addresses of a name, in the order in which they are to be tried.
fn resolve(address: &str) -> Vec<SocketAddr> {
    if cfg!(any(test, feature = "fuzzing")) {
        return address.parse().into_iter().collect(); // noise must not become questions to a name server
    }
    address.to_socket_addrs().into_iter().flatten().collect()
}

fn connections(section: &Section, target: Option<&Target>) -> Connections {
    let connections = Connections {
        count: section.integer("count", 1..=60_000).unwrap_or(1) as u32,
        streams_per_connection: section
            .integer("streams_per_connection", 1..=100_000)
            .unwrap_or(1) as u32,
        reuse: section.flag("reuse", true),
        connect_timeout_ms: section
            .integer("connect_timeout_ms", 1..=3_600_000)
            .unwrap_or(5_000),
        request_timeout_ms: section
            .integer("request_timeout_ms", 1..=3_600_000)
            .unwrap_or(10_000),
    };
    let one_at_a_time = target.is_some_and(|target| target.transport == TransportKind::Http1);
    if connections.streams_per_connection > 1 && (one_at_a_time || !connections.reuse) {
        let expected = "1 with http1, and with fresh connections (reuse = false)";
        section.problem(
            "streams_per_connection",
            connections.streams_per_connection,
            expected,
        );
    }
    let together = u64::from(connections.count) * u64::from(connections.streams_per_connection);
    if together > MOST_STREAMS {
        let expected = format!("at most {MOST_STREAMS} over all connections");
        section.problem(
            "streams_per_connection",
            format!("{together} in all"),
            expected,
        );
    }
    connections
}

fn precision(section: &Section) -> Option<Precision> {
    if section.is_absent() {
        return None;
    }
    let of = section.choice("of", &Statistic::NAMES);
    let half_width = section.number("half_width", 0.0001..=0.5);
    let expected = "half the interval's width as a share, such as 0.02";
    Some(Precision {
        of: of.unwrap_or(Statistic::Mean),
        half_width: section.require("half_width", half_width, expected)?,
    })
}

fn warm_up(section: &Section) -> WarmUp {
    WarmUp {
        transactions: section.integer("transactions", 0..=MOST).unwrap_or(0),
        seconds: section.number("seconds", 0.0..=YEAR_S).unwrap_or(0.0),
    }
}

fn order(section: &Section, seed: u64) -> Order {
    match section.choice("kind", &[("cycle", false), ("shuffle", true)]) {
        Some(true) => Order::Shuffle {
            seed: section.integer("seed", 0..=u64::MAX).unwrap_or(seed),
        },
        _ => Order::Cycle,
    }
}
