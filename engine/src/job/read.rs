//! From the JSON text of a job to its values.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::section::{Problems, Section, show};
use super::{
    Connections, Expectation, Header, Job, Order, PacerKind, Request, StopRule, Target,
    Transaction, TransportKind, WarmUp,
};
use crate::wait::Wait;

const FORMAT: &str = "wirelab-job/1";
const MOST: u64 = 1 << 40;
const YEAR_S: f64 = 31_536_000.0;

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
    let problems = Problems::default();
    let job = job(&Section::new(String::new(), Some(&value), &problems));
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
    };
    let seed = root.integer("seed", 0..=u64::MAX).unwrap_or(1);
    let pacer = pacer(&root.section("pacer"), per_client, seed);
    if per_client.is_none() && stop.transactions.is_none() && stop.seconds.is_none() {
        let expected = "transactions, seconds or transactions_per_client";
        root.problem("stop", "without any condition", expected);
    }
    if per_client.is_some() && pacer.is_some_and(|pacer| pacer.offered_rate_per_s().is_some()) {
        let found = "given for a pacer without clients";
        stop_section.problem("transactions_per_client", found, "a pacer of kind closed");
    }
    let requests: Vec<_> = root
        .sections("requests")
        .iter()
        .map(|section| request(section, target.as_ref().map(|target| target.transport)))
        .collect();
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
    let output = root.require("output", root.text("output"), "the folder for the result");
    let wait = wait(root);
    let warm_up = warm_up(&root.section("warm_up"));
    let order = order(&root.section("order"), seed);
    let (handshake, samples) = (root.flag("handshake", false), root.flag("samples", true));
    Some(Job {
        target: target?,
        connections,
        pacer: pacer?,
        wait,
        warm_up,
        stop,
        order,
        requests: requests.into_iter().collect::<Option<_>>()?,
        transactions: transactions.into_iter().collect::<Option<_>>()?,
        cpus,
        handshake,
        output: output?.into(),
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
    ];
    let transport = section.choice("transport", &transports);
    let transport = section.require("transport", transport, "http1, http2, grpc or websocket");
    let address = section.require("address", section.text("address"), "host:port");
    let authority = section.text("authority").or(address);
    if let Some(authority) = authority {
        check_text(section, "authority", authority, is_visible);
    }
    let path = section.text("path").unwrap_or("/");
    check_text(section, "path", path, is_visible);
    let headers = headers(section);
    section.must_be_null("tls", "null: this version speaks clear text only");
    let resolved = address.and_then(|address| {
        let resolved = resolve(address);
        if resolved.is_none() {
            section.problem(
                "address",
                format!("{address:?}"),
                "host:port that can be resolved",
            );
        }
        resolved
    });
    Some(Target {
        transport: transport?,
        address: resolved?,
        authority: authority?.into(),
        path: path.into(),
        headers,
    })
}

fn resolve(address: &str) -> Option<SocketAddr> {
    address.to_socket_addrs().ok()?.next()
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
    connections
}

#[derive(Clone, Copy)]
enum PacerWord {
    Closed,
    Constant,
    Poisson,
}

fn pacer(section: &Section, per_client: Option<u64>, seed: u64) -> Option<PacerKind> {
    let words = [
        ("closed", PacerWord::Closed),
        ("constant", PacerWord::Constant),
        ("poisson", PacerWord::Poisson),
    ];
    let word = section.choice("kind", &words);
    let word = section.require("kind", word, "closed, constant or poisson")?;
    let rate = || {
        let rate = section.number("rate_per_s", 0.001..=1e8);
        section.require("rate_per_s", rate, "transactions a second")
    };
    Some(match word {
        PacerWord::Closed => PacerKind::Closed {
            clients: section.integer("clients", 1..=1_000_000).unwrap_or(1) as u32,
            think_time_us: section
                .integer("think_time_us", 0..=3_600_000_000)
                .unwrap_or(0),
            transactions_per_client: per_client,
        },
        PacerWord::Constant => PacerKind::Constant {
            rate_per_s: rate()?,
        },
        PacerWord::Poisson => {
            let seed = section.integer("seed", 0..=u64::MAX).unwrap_or(seed);
            PacerKind::Poisson {
                rate_per_s: rate()?,
                seed,
            }
        }
    })
}

fn wait(root: &Section) -> Wait {
    let waits = [
        ("precise", Wait::Precise),
        ("tick", Wait::Tick),
        ("spin", Wait::Spin),
        ("sleep_then_spin", Wait::SleepThenSpin),
    ];
    root.choice("wait", &waits).unwrap_or_default()
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

fn request(section: &Section, transport: Option<TransportKind>) -> Option<Request> {
    let method = section.text("method").unwrap_or("GET");
    check_text(section, "method", method, |byte| byte.is_ascii_alphabetic());
    let path = section.text("path").unwrap_or("/");
    check_text(section, "path", path, is_visible);
    if transport == Some(TransportKind::Grpc) && !path.starts_with('/') {
        section.problem("path", format!("{path:?}"), "/package.Service/Method");
    }
    let body = section.text("body").unwrap_or("");
    let decoded = STANDARD.decode(body).ok();
    if decoded.is_none() {
        section.problem("body", show(&body.into()), "base64");
    }
    let headers = headers(section);
    for (name, _) in &headers {
        if ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str()) {
            section.problem(
                "headers",
                format!("{name:?}"),
                "other headers: the engine sets this",
            );
        }
    }
    let binary = section.flag("binary", false);
    let expect = expectation(&section.section("expect"));
    Some(Request {
        method: method.into(),
        path: path.into(),
        headers,
        body: decoded?,
        binary,
        expect,
    })
}

fn expectation(section: &Section) -> Expectation {
    let hash = section.text("body_xxh3").and_then(|text| {
        let hash = u64::from_str_radix(text, 16)
            .ok()
            .filter(|_| text.len() == 16);
        if hash.is_none() {
            section.problem("body_xxh3", format!("{text:?}"), "16 hexadecimal digits");
        }
        hash
    });
    Expectation {
        status: section
            .integer("status", 0..=999)
            .map(|status| status as u16),
        body_xxh3: hash,
        body_length: section.integer("body_length", 0..=MOST),
        must_not_contain: section.items("must_not_contain", "a text that is not empty", |value| {
            value
                .as_str()
                .filter(|text| !text.is_empty())
                .map(String::from)
        }),
    }
}

fn transaction(section: &Section, requests: usize) -> Option<Transaction> {
    let operation = section.require("operation", section.text("operation"), "a name");
    let parameter_set = section
        .integer("parameter_set", 0..=u64::from(u32::MAX))
        .unwrap_or(0);
    let expected = format!("a list, not empty, of indices into the {requests} requests");
    let index = |value: &Value| {
        value
            .as_u64()
            .filter(|&index| index < requests as u64)
            .map(|index| index as u32)
    };
    let rounds: Vec<Vec<u32>> = section.items("rounds", &expected, |value| {
        let round: Option<Vec<u32>> = value.as_array()?.iter().map(index).collect();
        round.filter(|round| !round.is_empty())
    });
    if section.list("rounds").is_empty() && !section.is_absent() {
        section.problem("rounds", "none", "at least one round");
    }
    Some(Transaction {
        operation: operation?.into(),
        parameter_set: parameter_set as u32,
        rounds,
    })
}

fn headers(section: &Section) -> Vec<Header> {
    let expected = "[name, value] of visible characters";
    section.items("headers", expected, |value| {
        let [name, value] = value.as_array()?.as_slice() else {
            return None;
        };
        let (name, value) = (name.as_str()?, value.as_str()?);
        let named = !name.is_empty() && name.bytes().all(is_token);
        let valued = value
            .bytes()
            .all(|byte| is_visible(byte) || byte == b' ' || byte == b'\t');
        (named && valued).then(|| (name.into(), value.into()))
    })
}

fn check_text(section: &Section, key: &str, text: &str, allowed: impl Fn(u8) -> bool) {
    if text.is_empty() || !text.bytes().all(allowed) {
        section.problem(
            key,
            format!("{text:?}"),
            "visible characters without spaces",
        );
    }
}

fn is_visible(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{
        "format": "wirelab-job/1",
        "target": { "transport": "http1", "address": "127.0.0.1:80", "authority": "localhost",
                    "path": "/", "headers": [["x-a", "b c"]], "tls": null },
        "connections": { "count": 2 },
        "pacer": { "kind": "poisson", "rate_per_s": 10 },
        "warm_up": { "transactions": 5, "seconds": 0.5 },
        "stop": { "seconds": 5 },
        "order": { "kind": "shuffle" },
        "requests": [{ "method": "POST", "path": "/a", "body": "aGk=",
                       "expect": { "status": 201, "body_xxh3": "00000000000000ff",
                                   "body_length": null, "must_not_contain": ["error"] } }],
        "transactions": [{ "operation": "create", "parameter_set": 3, "rounds": [[0, 0], [0]] }],
        "cpus": [1], "handshake": true, "output": "out", "samples": false, "seed": 11
    }"#;

    #[test]
    fn a_good_job_is_read_whole() {
        let job = parse(GOOD).unwrap();
        assert_eq!(job.target.transport, TransportKind::Http1);
        assert_eq!(job.target.headers, [("x-a".to_string(), "b c".to_string())]);
        assert_eq!((job.connections.count, job.connections.reuse), (2, true));
        assert!(matches!(
            job.pacer,
            PacerKind::Poisson {
                rate_per_s: 10.0,
                seed: 11
            }
        ));
        assert!(matches!(job.order, Order::Shuffle { seed: 11 }));
        assert_eq!(job.requests[0].body, b"hi");
        assert_eq!(job.requests[0].expect.body_xxh3, Some(255));
        assert_eq!(job.transactions[0].rounds, [vec![0, 0], vec![0]]);
        assert_eq!(
            (job.cpus.as_slice(), job.handshake, job.samples),
            ([1].as_slice(), true, false)
        );
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let text = GOOD
            .replace(r#""transport": "http1""#, r#""transport": "http9""#)
            .replace(r#""count": 2"#, r#""count": 0, "cuont": 2"#)
            .replace(r#""rate_per_s": 10"#, r#""rate_per_s": "fast""#)
            .replace(r#""seconds": 5 "#, "")
            .replace("aGk=", "!")
            .replace("00000000000000ff", "ff")
            .replace("[0, 0], [0]", "[0, 1], []")
            .replace(r#""tls": null"#, r#""tls": {}"#)
            .replace(r#""output": "out", "#, "");
        let problems = parse(&text).unwrap_err();
        for place in [
            "target.transport: \"http9\"; expected one of http1, http2, grpc, websocket",
            "connections.count: 0; expected a whole number from 1 to 60000",
            "connections.cuont: unknown key",
            "pacer.rate_per_s: \"fast\"; expected a number",
            "stop: without any condition",
            "requests[0].body",
            "requests[0].expect.body_xxh3: \"ff\"; expected 16 hexadecimal digits",
            "transactions[0].rounds[0]: [0,1]; expected a list, not empty, of indices",
            "transactions[0].rounds[1]: []",
            "target.tls",
            "output: missing",
        ] {
            assert!(
                problems.iter().any(|it| it.starts_with(place)),
                "{place} in {problems:#?}"
            );
        }
        assert_eq!(problems.len(), 11, "{problems:#?}");
    }

    #[test]
    fn headers_cannot_smuggle_lines() {
        let text = GOOD
            .replace("b c", "b\\r\\nx-evil: 1")
            .replace("\"/a\"", "\"/a b\"");
        let problems = parse(&text).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:#?}");
    }

    #[test]
    fn clients_need_a_closed_pacer() {
        let text = GOOD.replace(r#""seconds": 5 "#, r#""transactions_per_client": 5 "#);
        assert!(parse(&text).unwrap_err()[0].starts_with("stop.transactions_per_client"));
    }

    #[test]
    fn what_is_not_json_is_named() {
        assert!(parse("{").unwrap_err()[0].starts_with("not JSON"));
        assert!(parse("[]").unwrap_err()[0].contains("expected an object"));
    }
}
