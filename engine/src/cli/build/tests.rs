//! What options become, as a job.

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
fn a_load_may_be_written_as_a_job_file() {
    let words = "-c 4 -d 3s --warm-up 1s -X POST --data {seq} --prepare 3 --items lines";
    let options = options(&words.split(' ').collect::<Vec<_>>());
    let url = "http://127.0.0.1:8080/a";
    let value = written(&options, url, true).unwrap();
    let read = job::parse(&value.to_string()).unwrap();
    let built = window(&options, url).unwrap();
    let bodies = |job: &Job| -> Vec<Vec<u8>> {
        let requests = job.targets[0].requests.iter();
        requests.map(|it| it.body.clone()).collect()
    };
    assert_eq!(bodies(&read), [b"1", b"2", b"3"]);
    assert_eq!(bodies(&read), bodies(&built));
    assert_eq!(read.targets[0].transactions.len(), 3);
    assert_eq!(read.targets[0].pacer, built.targets[0].pacer);
    assert!(read.targets[0].has_streams());
    assert_eq!(stop(&read), stop(&built));
    assert_eq!(read.output, Some(".".into()));
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
fn options_apply_to_all_servers() {
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
fn all_problems_are_reported_at_once() {
    let options = options(&["-H", "nonsense", "--body", "/no/such/file"]);
    let problems = window(&options, "ftp://x").unwrap_err();
    assert_eq!(problems.len(), 3, "{problems:?}");
}
