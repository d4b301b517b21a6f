//! From options to a job. They are turned into the JSON of one, so that they mean, and are checked
//! as, exactly what they would in a file.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::options::Options;
use super::url::{self, Url};
use super::values::header;
use crate::job::{self, Job};

const DURATION_S: f64 = 10.0;
/// With a precision to be reached.
const LONGEST_S: f64 = 300.0;

/// A job with one window for one server. The error is the list of all problems.
pub fn window(options: &Options, url: &str) -> Result<Job, Vec<String>> {
    let duration = match (options.duration, options.transactions, &options.precision) {
        (None, _, Some(_)) => Some(LONGEST_S),
        (None, None, None) => Some(DURATION_S),
        (duration, _, _) => duration,
    };
    let precision = options.precision.as_ref();
    let precision = precision.map(|(of, share)| json!({ "of": of, "half_width": share }));
    let task = json!({
        "warm_up": { "seconds": options.warm_up.unwrap_or(0.0) },
        "stop": {
            "seconds": duration,
            "transactions": options.transactions,
            "precision": precision,
        },
    });
    job(options, &[(url, url.into())], task)
}

/// A job for several servers, each with its name, that are to take turns.
pub fn turns(options: &Options, servers: &[(&str, String)]) -> Result<Job, Vec<String>> {
    if options.transactions.is_some() || options.precision.is_some() {
        let expected = "expected -d, the time for all of them together";
        return Err(vec![format!(
            "-n and --precision are for one server; {expected}"
        )]);
    }
    job(options, servers, json!({ "control": true }))
}

fn job(options: &Options, servers: &[(&str, String)], mut task: Value) -> Result<Job, Vec<String>> {
    let mut problems = Vec::new();
    let mut keep = |problem: String| {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    };
    let body = body(options).map_err(&mut keep).ok().flatten();
    let headers: Vec<Value> = options
        .headers
        .iter()
        .filter_map(|text| header(text).map_err(&mut keep).ok())
        .collect();
    let mut targets = Vec::new();
    for (url, name) in servers {
        let Ok(url) = url::parse(url).map_err(&mut keep) else {
            continue;
        };
        check(options, &url).into_iter().for_each(&mut keep);
        targets.push(target(options, &url, name, &headers, body.as_deref()));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let common = json!({
        "format": "wirelab-job/2",
        "targets": targets,
        "cpus": options.cpus,
        "output": options.output,
        "samples": options.output.is_some(),
    });
    if let (Some(task), Value::Object(common)) = (task.as_object_mut(), common) {
        task.extend(common);
    }
    job::from_command_line(&task)
}

/// What does not go together with the address.
fn check(options: &Options, url: &Url) -> Vec<String> {
    let mut problems = Vec::new();
    let has_tls_options = options.ca.is_some() || options.insecure || options.no_resumption;
    if has_tls_options && !url.is_secure {
        problems.push(
            "--ca, --insecure and --no-resumption are for TLS; expected an https://, h2://, \
             h3://, grpcs:// or wss:// address"
                .into(),
        );
    }
    let is_https = url.is_secure && matches!(url.transport, "http1" | "http3");
    if options.http3 && !is_https {
        problems.push("--http3 is always over TLS; expected an https:// address".into());
    }
    problems
}

fn target(
    options: &Options,
    url: &Url,
    name: &str,
    headers: &[Value],
    body: Option<&[u8]>,
) -> Value {
    let transport = match url.transport {
        "http1" if options.http2 => "http2",
        "http1" if options.http3 => "http3",
        transport => transport,
    };
    let default_method = if body.is_some() { "POST" } else { "GET" };
    let body = match (body, transport) {
        (None, "websocket") => b"hello",
        (body, _) => body.unwrap_or_default(),
    };
    let tls = url.is_secure.then(|| {
        json!({
            "ca": options.ca,
            "insecure": options.insecure,
            "resumption": !options.no_resumption,
        })
    });
    let timeout_ms = (options.timeout * 1e3).ceil();
    json!({
        "name": name,
        "transport": transport,
        "address": url.address,
        "authority": url.authority,
        "path": (transport == "websocket").then_some(&url.path),
        "headers": headers,
        "accept_encoding": options.accept_encoding,
        "tls": tls,
        "rpc": options.rpc,
        "connections": {
            "count": options.connections,
            "streams_per_connection": options.streams,
            "reuse": !options.no_reuse,
            "request_timeout_ms": timeout_ms as u64,
        },
        "pacer": pacer(options),
        "requests": [{
            "method": options.method.as_deref().unwrap_or(default_method),
            "path": url.path,
            "body": STANDARD.encode(body),
            "binary": std::str::from_utf8(body).is_err(),
            "stream": options.stream.json(),
        }],
        "transactions": [{ "operation": transport, "rounds": [[0]] }],
    })
}

fn pacer(options: &Options) -> Value {
    match options.rate {
        None => {
            let clients = u64::from(options.connections) * u64::from(options.streams);
            json!({ "kind": "closed", "clients": clients })
        }
        Some(rate) if options.poisson => json!({ "kind": "poisson", "rate_per_s": rate }),
        Some(rate) => json!({ "kind": "constant", "rate_per_s": rate }),
    }
}

fn body(options: &Options) -> Result<Option<Vec<u8>>, String> {
    let Some(path) = &options.body else {
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::job::{PacerKind, StopRule, Task, TransportKind};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(words: &[&str]) -> Options {
        let line = [&["x"], words].concat();
        Line::try_parse_from(line).unwrap().options
    }

    fn stop(job: &Job) -> StopRule {
        match job.task {
            Task::Windows { stop, .. } => stop,
            _ => panic!("{:?}", job.task),
        }
    }

    #[test]
    fn options_become_a_job() {
        let words = "-c 4 -m 8 -n 100 -r 50 --poisson --http2 -X PUT --cpus 0,1";
        let mut words: Vec<&str> = words.split(' ').collect();
        words.extend(["-H", "x-token: a: b"]);
        let job = window(&options(&words), "http://127.0.0.1:8080/a?b").unwrap();
        let target = &job.targets[0];
        assert_eq!(target.endpoint.transport, TransportKind::Http2);
        assert_eq!(target.endpoint.headers, [("x-token".into(), "a: b".into())]);
        let request = &target.requests[0];
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("PUT", "/a?b")
        );
        assert!(matches!(
            target.pacer,
            PacerKind::Poisson {
                rate_per_s: 50.0,
                ..
            }
        ));
        let stop = stop(&job);
        assert_eq!((stop.transactions, stop.seconds), (Some(100), None));
        assert_eq!(
            (job.cpus, job.output, job.samples),
            (vec![0, 1], None, false)
        );
    }

    #[test]
    fn a_bare_address_is_enough() {
        let job = window(&options(&[]), "ws://127.0.0.1:1").unwrap();
        assert_eq!(stop(&job).seconds, Some(DURATION_S));
        let target = &job.targets[0];
        assert_eq!(
            (
                target.requests[0].body.as_slice(),
                target.requests[0].binary
            ),
            (&b"hello"[..], false)
        );
        assert!(matches!(
            target.pacer,
            PacerKind::Closed { clients: 10, .. }
        ));
    }

    #[test]
    fn options_hold_for_all_servers() {
        let servers = [
            ("http://127.0.0.1:1/a", "A".into()),
            ("grpc://127.0.0.1:2/b.C/D", "B".into()),
        ];
        let job = turns(&options(&["-c", "3", "-H", "x-a: b"]), &servers).unwrap();
        let names: Vec<&str> = job.targets.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        for target in &job.targets {
            assert_eq!(target.connections.count, 3);
            assert_eq!(target.endpoint.headers.len(), 1);
        }
        let problems = turns(&options(&["-n", "5"]), &servers).unwrap_err();
        assert!(problems[0].contains("expected -d"), "{problems:?}");
        let problems = turns(&options(&["--insecure"]), &servers).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
    }

    #[test]
    #[cfg(feature = "http3")]
    fn http3_is_for_https() {
        let words = ["--http3", "--insecure"];
        let job = window(&options(&words), "https://127.0.0.1:1").unwrap();
        assert_eq!(job.targets[0].endpoint.transport, TransportKind::Http3);
        for url in ["http://127.0.0.1:1", "grpcs://127.0.0.1:1"] {
            let problems = window(&options(&["--http3"]), url).unwrap_err();
            assert_eq!(problems.len(), 1, "{problems:?}");
        }
    }

    #[test]
    #[cfg(not(feature = "http3"))]
    fn without_http3_its_absence_is_told() {
        for url in ["https://127.0.0.1:1", "h3://127.0.0.1:1"] {
            let words = ["--http3", "--insecure"];
            let problems = window(&options(&words), url).unwrap_err();
            assert!(problems[0].contains("feature http3"), "{problems:?}");
        }
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let options = options(&["-H", "nonsense", "--body", "/no/such/file"]);
        let problems = window(&options, "ftp://x").unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:?}");
    }
}
