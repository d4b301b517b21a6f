//! Builds the target of a job from the options.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::load::{LoadOptions, Stages};
use super::options::Options;
use super::prepared::Prepared;
use super::url::Url;
use crate::job::Stage;

/// The transport, by its name in a job.
pub fn transport(options: &Options, url: &Url) -> &'static str {
    match url.transport {
        "http1" if options.connect.http2 => "http2",
        "http1" if options.connect.http3 => "http3",
        transport => transport,
    }
}

/// The problems of options that do not suit the address.
pub fn check(options: &Options, url: &Url) -> Vec<String> {
    let mut problems = Vec::new();
    if options.connect.needs_tls() && !url.is_secure {
        problems.push(
            "--ca, --cert, --insecure, --server-name and --no-resumption require TLS; expected an \
             https://, h2://, h3://, grpcs:// or wss:// address"
                .into(),
        );
    }
    let is_https = url.is_secure && matches!(url.transport, "http1" | "http3");
    if options.connect.http3 && !is_https {
        problems.push("--http3 requires TLS; expected an https:// address".into());
    }
    problems
}

/// The target in JSON.
pub fn target(
    options: &Options,
    url: &Url,
    transport: &str,
    name: &str,
    headers: &[(String, String)],
    prepared: &Prepared,
) -> Value {
    let first = prepared.first();
    let tls = url.is_secure.then(|| {
        json!({
            "ca": options.connect.ca,
            "insecure": options.connect.insecure,
            "certificate": options.connect.cert,
            "key": options.connect.key,
            "server_name": options.connect.server_name,
            "resumption": !options.connect.no_resumption,
        })
    });
    let milliseconds = |seconds: f64| (seconds * 1e3).ceil() as u64;
    json!({
        "name": name,
        "transport": transport,
        "address": url.address,
        "sources": options.connect.source,
        "authority": url.authority,
        "path": (transport == "websocket").then_some(&first.path),
        "headers": headers,
        "accept_encoding": options.content.accept_encoding,
        "tls": tls,
        "rpc": options.content.rpc,
        "connections": {
            "count": options.load.connections,
            "streams_per_connection": options.load.streams,
            "reuse": !options.connect.no_reuse,
            "connect_timeout_ms": milliseconds(options.connect.connect_timeout),
            "request_timeout_ms": milliseconds(options.connect.timeout),
        },
        "pacer": pacer(&options.load, &prepared.times_us),
        "requests": [{
            "method": first.method,
            "path": first.path,
            "body": STANDARD.encode(&first.body),
            "binary": first.binary,
            "stream": options.content.stream.json(),
        }],
        "transactions": [{ "operation": prepared.first_operation(), "rounds": [[0]] }],
    })
}

fn pacer(load: &LoadOptions, times_us: &[f64]) -> Value {
    if !times_us.is_empty() {
        return json!({ "kind": "replay", "times_us": times_us });
    }
    if let Some(Stages(stages)) = &load.stages {
        let stage = |stage: &Stage| {
            json!({
                "from_rate_per_s": stage.from_per_s,
                "to_rate_per_s": stage.to_per_s,
                "seconds": stage.seconds,
            })
        };
        let stages: Vec<Value> = stages.iter().map(stage).collect();
        return json!({ "kind": "stages", "stages": stages });
    }
    match load.rate {
        None => {
            let think_us = load.think.map(|seconds| (seconds * 1e6).round() as u64);
            json!({ "kind": "closed", "clients": load.clients(), "think_time_us": think_us })
        }
        Some(rate) if load.poisson => json!({ "kind": "poisson", "rate_per_s": rate }),
        Some(rate) => json!({ "kind": "constant", "rate_per_s": rate }),
    }
}
