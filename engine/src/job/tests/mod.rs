//! Jobs, good and bad.

mod defaults;
mod tasks;

use super::*;
use crate::job::{Precision, Statistic};

const GOOD: &str = r#"{
    "format": "wirelab-job/2",
    "targets": [{
        "name": "rest", "transport": "http1", "address": "127.0.0.1:80", "authority": "localhost",
        "path": "/", "headers": [["x-a", "b c"]], "tls": null,
        "connections": { "count": 2 },
        "pacer": { "kind": "poisson", "rate_per_s": 10 },
        "order": { "kind": "shuffle" },
        "requests": [{ "method": "POST", "path": "/a", "body": "aGk=",
                       "expect": { "status": 201, "body_xxh3": "00000000000000ff",
                                   "body_length": null, "must_not_contain": ["error"] } }],
        "transactions": [{ "operation": "create", "parameter_set": 3, "rounds": [[0, 0], [0]] }],
        "roles": { "contender": { "pid": 123 }, "proxy": { "cgroup": "/sys/x/cpu.stat" } }
    }],
    "roles": { "store": { "cgroup": "/sys/y/cpuacct.usage" } },
    "warm_up": { "transactions": 5, "seconds": 0.5 },
    "stop": { "seconds": 5 },
    "cpus": [1], "real_time": true, "output": "out", "samples": false, "seed": 11
}"#;

#[test]
fn a_valid_job_is_read_completely() {
    let job = parse(GOOD).unwrap();
    let target = &job.targets[0];
    assert_eq!(target.endpoint.transport, TransportKind::Http1);
    assert_eq!(
        target.endpoint.headers,
        [("x-a".to_string(), "b c".to_string())]
    );
    let connections = target.connections;
    assert_eq!((connections.count, connections.reuse), (2, true));
    assert!(matches!(
        target.pacer,
        PacerKind::Poisson {
            rate_per_s: 10.0,
            seed: 11
        }
    ));
    assert!(matches!(target.order, Order::Shuffle { seed: 11 }));
    assert_eq!(target.requests[0].body, b"hi");
    assert_eq!(target.requests[0].expect.body_xxh3, Some(255));
    assert_eq!(target.transactions[0].rounds, [vec![0, 0], vec![0]]);
    assert_eq!(
        (job.cpus.as_slice(), job.real_time, job.samples),
        ([1].as_slice(), true, false)
    );
    let counted: Vec<_> = target.roles.iter().chain(&job.roles).collect();
    let expected = [
        ("contender", Counted::Tree { root: 123 }),
        ("proxy", Counted::CgroupStat("/sys/x/cpu.stat".into())),
        (
            "store",
            Counted::CgroupNanoseconds("/sys/y/cpuacct.usage".into()),
        ),
    ];
    for (role, (name, found)) in counted.iter().zip(expected) {
        assert_eq!((role.name.as_str(), &role.counted), (name, &found));
    }
    let (warm_up, stop) = windows(&job);
    assert_eq!((warm_up.transactions, warm_up.seconds), (5, 0.5));
    assert_eq!(stop.seconds, Some(5.0));
}

fn windows(job: &Job) -> (WarmUp, StopRule) {
    match job.task {
        Task::Windows { warm_up, stop } => (warm_up, stop),
        _ => panic!("{:?}", job.task),
    }
}

#[test]
fn a_job_that_spins_does_not_run_in_real_time() {
    for (wait, real_time) in [("spin", false), ("precise", true)] {
        let wait = format!(r#""wait": "{wait}", "order""#);
        let job = parse(&GOOD.replace(r#""order""#, &wait)).unwrap();
        assert_eq!(job.real_time, real_time, "{wait}");
    }
}

fn with_pacer(pacer: &str) -> Result<Job, Vec<String>> {
    let text = GOOD.replace(r#"{ "kind": "poisson", "rate_per_s": 10 }"#, pacer);
    parse(&text.replace(r#""stop": { "seconds": 5 },"#, r#""stop": {},"#))
}

#[test]
fn a_replay_ends_by_itself_and_a_rate_does_not() {
    let replay = with_pacer(r#"{ "kind": "replay", "times_us": [0, 1.5, 1.5, 9] }"#).unwrap();
    let PacerKind::Replay { times_ns } = &replay.targets[0].pacer else {
        panic!("{:?}", replay.targets[0].pacer)
    };
    assert_eq!(**times_ns, [0, 1_500, 1_500, 9_000]);
    let rate = r#"{ "kind": "constant", "rate_per_s": 9 }"#;
    assert!(with_pacer(rate).unwrap_err()[0].starts_with("stop"));
}

#[test]
fn everything_missing_or_wrong_in_a_pacer_is_named() {
    let stages = with_pacer(r#"{ "kind": "stages", "stages": [{}] }"#).unwrap_err();
    assert_eq!(stages.len(), 3, "{stages:?}");
    for times in ["[]", "[3, 2]", "[-1]"] {
        let replay = format!(r#"{{ "kind": "replay", "times_us": {times} }}"#);
        let problems = with_pacer(&replay).unwrap_err();
        assert!(
            problems[0].starts_with("targets[0].pacer.times_us"),
            "{problems:?}"
        );
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = GOOD
        .replace(r#""transport": "http1""#, r#""transport": "http9""#)
        .replace(r#""count": 2"#, r#""count": 0, "cuont": 2"#)
        .replace(r#""rate_per_s": 10"#, r#""rate_per_s": "fast""#)
        .replace(r#""seconds": 5 "#, "")
        .replace(r#""name": "rest""#, r#""name": """#)
        .replace("aGk=", "!")
        .replace("00000000000000ff", "ff")
        .replace("[0, 0], [0]", "[0, 1], []")
        .replace(
            r#""tls": null"#,
            r#""tls": {"ca": "/no/such.pem", "version": "1.1"}"#,
        )
        .replace(r#""output": "out", "#, "");
    let problems = parse(&text).unwrap_err();
    for path in [
        "targets[0].transport: \"http9\"; expected one of http1, http2, grpc, websocket",
        "targets[0].connections.count: 0; expected an integer from 1 to 60000",
        "targets[0].connections.cuont: unknown key",
        "targets[0].pacer.rate_per_s: \"fast\"; expected a number",
        "stop: has no condition",
        "targets[0].requests[0].body",
        "targets[0].requests[0].expect.body_xxh3: \"ff\"; expected 16 hexadecimal digits",
        "targets[0].transactions[0].rounds[0]: [0,1]; expected a list, not empty, of indices",
        "targets[0].transactions[0].rounds[1]: []",
        "targets[0].tls.ca",
        "targets[0].tls.version",
        "targets[0].name: \"\"; expected",
        "output: missing",
    ] {
        assert!(
            problems.iter().any(|it| it.starts_with(path)),
            "{path} in {problems:#?}"
        );
    }
    assert_eq!(problems.len(), 13, "{problems:#?}");
}

#[test]
fn headers_cannot_contain_line_ends() {
    let text = GOOD
        .replace("b c", "b\\r\\nx-evil: 1")
        .replace("\"/a\"", "\"/a b\"");
    let problems = parse(&text).unwrap_err();
    assert_eq!(problems.len(), 2, "{problems:#?}");
}

#[test]
fn the_kernel_stamps_answers_unless_clients_wait_for_them() {
    let arrival = |pacer: &str, more: &str| {
        let text = GOOD.replace(r#"{ "kind": "poisson", "rate_per_s": 10 }"#, pacer);
        let text = text.replace(r#""order""#, &format!(r#"{more} "order""#));
        parse(&text).map(|job| job.targets[0].arrival)
    };
    let (open, closed) = (
        r#"{ "kind": "constant", "rate_per_s": 1 }"#,
        r#"{ "kind": "closed" }"#,
    );
    let (kernel, engine) = (r#""arrival": "kernel","#, r#""arrival": "engine","#);
    for more in ["", kernel] {
        assert_eq!(arrival(open, more), Ok(Arrival::Kernel));
    }
    for (pacer, more) in [(closed, ""), (closed, engine), (open, engine)] {
        assert_eq!(arrival(pacer, more), Ok(Arrival::Engine));
    }
    let problems = |pacer, more| arrival(pacer, more).unwrap_err();
    assert_eq!(
        problems(closed, kernel),
        [
            "targets[0].arrival: \"kernel\" with a closed load; expected \"engine\", or a pacer with a schedule"
        ]
    );
    assert_eq!(
        problems(open, r#""arrival": "nic","#),
        ["targets[0].arrival: \"nic\"; expected one of kernel, engine"]
    );
}

#[test]
fn clients_need_a_closed_pacer() {
    let text = GOOD.replace(r#""seconds": 5 "#, r#""transactions_per_client": 5 "#);
    assert!(parse(&text).unwrap_err()[0].starts_with("stop.transactions_per_client"));
}

#[test]
fn invalid_json_is_reported() {
    assert!(parse("{").unwrap_err()[0].starts_with("not JSON"));
    assert!(parse("[]").unwrap_err()[0].contains("expected an object"));
}

#[test]
fn settings_that_a_protocol_does_not_have_are_refused() {
    let text = GOOD.replace("http1", "websocket");
    let problems = parse(&text).unwrap_err();
    assert!(
        problems[0].starts_with("targets[0].requests[0].expect.status: 201"),
        "{problems:?}"
    );
    let text = GOOD.replace("http1", "grpc").replace("x-a", "Connection");
    let problems = parse(&text).unwrap_err();
    assert!(
        problems[0].starts_with("targets[0].headers: \"Connection\""),
        "{problems:?}"
    );
}

#[test]
fn a_precision_needs_a_longest_time() {
    let stop = |stop: &str| parse(&GOOD.replace(r#""stop": { "seconds": 5 }"#, stop));
    let precision = r#""precision": { "of": "p99", "half_width": 0.05 }"#;
    let job = stop(&format!(r#""stop": {{ "seconds": 9, {precision} }}"#)).unwrap();
    let expected = Precision {
        of: Statistic::Quantile(0.99),
        half_width: 0.05,
    };
    assert_eq!(windows(&job).1.precision, Some(expected));
    let problems = stop(&format!(r#""stop": {{ "transactions": 9, {precision} }}"#)).unwrap_err();
    assert!(
        problems[0].starts_with("stop.seconds: missing"),
        "{problems:?}"
    );
    let problems = stop(r#""stop": { "seconds": 9, "precision": { "of": "sd" } }"#).unwrap_err();
    assert!(problems[0].starts_with("stop.precision.of"), "{problems:?}");
    assert!(
        problems[1].starts_with("stop.precision.half_width: missing"),
        "{problems:?}"
    );
}

/// What is wrong with a job over this transport that streams like this.
fn stream_problems(transport: &str, stream: &str) -> Vec<String> {
    let expected = r#""expect": { "status": 201, "body_xxh3": "00000000000000ff","#;
    let text = GOOD.replace("http1", transport).replace(
        expected,
        &format!(r#""stream": {stream}, "expect": {{ "items": 3,"#),
    );
    parse(&text).err().unwrap_or_default()
}

#[test]
fn streams_are_what_their_protocol_allows() {
    for (transport, stream) in [
        ("http1", r#"{}"#),
        (
            "http1",
            r#"{ "items": "chunks", "until_items": 2, "until_ms": 5 }"#,
        ),
        ("http2", r#"{ "items": "lines" }"#),
        ("grpc", r#"{ "send": 0 }"#),
        (
            "grpc",
            r#"{ "items": "messages", "send": 9, "in_turn": true }"#,
        ),
        ("websocket", r#"{ "send": 0, "until_ms": 100 }"#),
        ("websocket", r#"{ "until_texts": ["end"] }"#),
    ] {
        let problems = stream_problems(transport, stream);
        assert!(problems.is_empty(), "{transport} {stream}: {problems:?}");
    }
    for (transport, stream, path) in [
        ("http1", r#"{ "items": "messages" }"#, "items"),
        ("http2", r#"{ "send": 2 }"#, "send"),
        ("http1", r#"{ "until_texts": ["end"] }"#, "until_texts"),
        (
            "websocket",
            r#"{ "until_items": 2, "until_texts": [""] }"#,
            "until_texts",
        ),
        ("http2", r#"{ "in_turn": true }"#, "in_turn"),
        ("grpc", r#"{ "items": "events" }"#, "items"),
        ("grpc", r#"{ "until_items": 0 }"#, "until_items"),
        ("websocket", r#"{}"#, "until_items"),
        ("websocket", r#"{ "send": 2, "until_items": 2 }"#, "send"),
    ] {
        let problems = stream_problems(transport, stream);
        let path = format!("targets[0].requests[0].stream.{path}");
        assert_eq!(problems.len(), 1, "{transport} {stream}: {problems:?}");
        assert!(problems[0].starts_with(&path), "{problems:?}");
    }
    let problems = stream_problems("http1", "null");
    assert!(problems[0].starts_with("targets[0].requests[0].expect.items"));
}

#[test]
fn calls_over_http_are_unary() {
    let text = GOOD.replace(r#""tls": null"#, r#""rpc": "connect""#);
    let job = parse(&text).unwrap();
    assert_eq!(job.targets[0].endpoint.rpc, Some(Rpc::Connect));
    let streaming = text.replace(r#""path": "/a","#, r#""path": "/a", "stream": {},"#);
    let problems = parse(&streaming).unwrap_err();
    assert!(
        problems[0].starts_with("targets[0].requests[0].stream"),
        "{problems:?}"
    );
    let problems = parse(&text.replace("http1", "grpc")).unwrap_err();
    assert!(problems[0].starts_with("targets[0].rpc"), "{problems:?}");
}

#[test]
fn each_protocol_has_its_own_compression() {
    let asking = |transport: &str, encoding: &str| {
        let asked = format!(r#""accept_encoding": ["{encoding}"]"#);
        let text = GOOD.replace(r#""tls": null"#, &asked);
        parse(&text.replace("http1", transport)).err()
    };
    for transport in ["http1", "http2", "grpc"] {
        assert_eq!(asking(transport, "zstd"), None, "{transport}");
    }
    for (transport, encoding) in [("grpc", "br"), ("websocket", "gzip"), ("http1", "lzw")] {
        let problems = asking(transport, encoding).unwrap().concat();
        assert!(
            problems.contains("targets[0].accept_encoding"),
            "{problems}"
        );
    }
}

#[test]
fn an_agent_has_a_number_and_its_own_connections() {
    let with = |agent: &str| {
        parse(&GOOD.replace(
            "\"cpus\": [1]",
            &format!("\"agent\": {agent}, \"cpus\": [1]"),
        ))
    };
    assert_eq!(parse(GOOD).unwrap().agent, Agent::ALONE);
    let agent = with(r#"{ "number": 1, "of": 2 }"#).unwrap().agent;
    assert_eq!(agent, Agent { number: 1, of: 2 });
    for (agent, message) in [
        (r#"{ "number": 2, "of": 2 }"#, "agent.number: 2; expected"),
        (r#"{ "number": 1 }"#, "agent.of: missing"),
        (r#"{ "of": 2 }"#, "agent.number: missing"),
        (
            r#"{ "number": 0, "of": 3 }"#,
            "agent.of: 3; expected at most the number of connections",
        ),
    ] {
        let problems = with(agent).unwrap_err();
        assert!(
            problems.iter().any(|it| it.contains(message)),
            "{agent}: {problems:?}"
        );
    }
}
