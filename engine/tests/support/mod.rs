//! Running the engine as a separate program against servers in this process.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod captures;
pub mod connections;
pub mod driver;
pub mod folder;
pub mod grpc_server;
pub mod h2_server;
pub mod http_server;
pub mod null_server;
pub mod queues;
pub mod quic_server;
pub mod raw_server;
pub mod samples;
pub mod seen;
pub mod tls_front;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub use folder::Folder;

/// What a target has beside where it is.
const LOAD: [&str; 8] = [
    "connections",
    "pacer",
    "wait",
    "arrival",
    "order",
    "requests",
    "transactions",
    "roles",
];

/// A job with one target, one request, one transaction and one client; tests change what they are
/// about. It is flat: what belongs to the target is put there by `start`.
pub fn job(transport: &str, address: SocketAddr) -> Value {
    json!({
        "format": "wirelab-job/2",
        "target": { "transport": transport, "address": address.to_string() },
        "connections": { "count": 1, "request_timeout_ms": 5000, "connect_timeout_ms": 5000 },
        "pacer": { "kind": "closed", "clients": 1 },
        "warm_up": { "transactions": 5 },
        "stop": { "transactions": 50 },
        "requests": [{ "path": "/test.Test/Echo" }],
        "transactions": [{ "operation": "test", "parameter_set": 7, "rounds": [[0]] }],
    })
}

/// The target of a flat job, under another name.
pub fn target(name: &str, job: &Value) -> Value {
    let mut target = job["target"].clone();
    target["name"] = json!(name);
    for key in LOAD {
        if let Some(value) = job.get(key) {
            target[key] = value.clone();
        }
    }
    target
}

/// A job as the engine reads it.
fn whole(mut job: Value) -> Value {
    if job.get("target").is_some() {
        job["targets"] = json!([target("only", &job)]);
        let keys = job.as_object_mut().unwrap();
        keys.retain(|key, _| key != "target" && !LOAD.contains(&key.as_str()));
    }
    job
}

pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub fn xxh3(bytes: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes))
}

/// An engine at work.
pub struct Running {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    pub stdout: BufReader<std::process::ChildStdout>,
    folder: Folder,
}

/// What a run has left.
pub struct Finished {
    pub code: i32,
    pub events: Vec<Value>,
    pub stderr: String,
    /// The result file.
    pub whole: Value,
    /// What it says of the first target, and of the engine as a whole.
    pub result: Value,
    pub folder: Folder,
}

pub fn start(job: Value) -> Running {
    let mut job = whole(job);
    let folder = Folder::new();
    job["output"] = json!(folder.0.join("out"));
    let path = folder.0.join("job.json");
    std::fs::write(&path, job.to_string()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_wirelab-engine"))
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    Running {
        child,
        stdin,
        stdout,
        folder,
    }
}

pub fn run(job: Value) -> Finished {
    start(job).finish()
}

/// Runs a job that must come to its end in this time, whatever the server does.
pub fn run_within(limit: Duration, job: Value) -> Finished {
    let running = start(job);
    let id = running.child.id() as i32;
    let (done, awaited) = mpsc::channel();
    let watch = std::thread::spawn(move || {
        let hangs = awaited.recv_timeout(limit).is_err();
        if hangs {
            // SAFETY: this process started the child, and waits for it only after its output.
            unsafe { libc::kill(id, libc::SIGKILL) };
        }
        hangs
    });
    let finished = running.finish();
    let _ = done.send(());
    assert!(!watch.join().unwrap(), "no end within {limit:?}");
    finished
}

impl Running {
    /// The next event; none at the end.
    pub fn next_event(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Reads events up to one of this name.
    pub fn await_event(&mut self, name: &str) -> Value {
        while let Some(event) = self.next_event() {
            if event["event"] == name {
                return event;
            }
        }
        panic!("no event {name}");
    }

    pub fn say(&mut self, line: &str) {
        self.stdin
            .as_mut()
            .unwrap()
            .write_all(line.as_bytes())
            .unwrap();
    }

    pub fn signal(&self, signal: i32) {
        // SAFETY: this process started the child and has not waited for it: the id is valid.
        unsafe { libc::kill(self.child.id() as i32, signal) };
    }

    pub fn finish(mut self) -> Finished {
        let mut events = Vec::new();
        while let Some(event) = self.next_event() {
            events.push(event);
        }
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let path = self.folder.0.join("out/result.json");
        let whole: Value =
            std::fs::read(path).map_or(Value::Null, |it| serde_json::from_slice(&it).unwrap());
        Finished {
            code,
            events,
            stderr,
            result: about_the_first(&whole),
            whole,
            folder: self.folder,
        }
    }
}

/// What a result says of the first target, and of the engine as a whole.
pub fn about_the_first(whole: &Value) -> Value {
    let mut result = whole["targets"][0].clone();
    if let (Some(engine), Some(both)) = (
        whole["engine"].as_object(),
        result["engine"].as_object_mut(),
    ) {
        both.extend(engine.clone());
        result["interrupted"] = whole["interrupted"].clone();
    }
    result
}

impl Finished {
    /// A number in the result, by its path in dots.
    pub fn number(&self, path: &str) -> f64 {
        let pointer = format!("/{}", path.replace('.', "/"));
        let value = self.result.pointer(&pointer).and_then(Value::as_f64);
        value.unwrap_or_else(|| panic!("no number {path} in {:#}; {}", self.result, self.stderr))
    }

    /// Checks the counts of transactions and of errors, and that the program ended well.
    pub fn assert_counts(&self, transactions: u64, errors: Value) {
        assert_eq!(self.code, 0, "{}", self.stderr);
        let counts = &self.result["counts"];
        assert_eq!(counts["errors"], errors, "{:#}", self.result);
        assert_eq!(counts["transactions"], transactions);
        let failed: u64 = errors
            .as_object()
            .unwrap()
            .values()
            .map(|it| it.as_u64().unwrap())
            .sum();
        assert_eq!(counts["failed"], failed);
        assert_eq!(counts["succeeded"], transactions - failed);
    }

    pub fn samples(&self) -> Vec<samples::Row> {
        samples::read(&self.folder.0.join("out/samples.parquet"))
    }
}
