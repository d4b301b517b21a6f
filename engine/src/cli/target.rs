//! Builds the target of a job from the options.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::options::{Options, Stages};
use super::prepared::Prepared;
use super::url::Url;
use crate::job::Stage;

/// The transport, by its name in a job.
pub fn transport(options: &Options, url: &Url) -> &'static str {
    match url.transport {
        "http1" if options.http2 => "http2",
        "http1" if options.http3 => "http3",
        transport => transport,
    }
}

/// The problems of options that do not suit the address.
pub fn check(options: &Options, url: &Url) -> Vec<String> {
    let mut problems = Vec::new();
    let has_tls_options =
        options.ca.is_some() || options.cert.is_some() || options.insecure || options.no_resumption;
    if has_tls_options && !url.is_secure {
        problems.push(
            "--ca, --cert, --insecure and --no-resumption require TLS; expected an https://, \
             h2://, h3://, grpcs:// or wss:// address"
                .into(),
        );
    }
    let is_https = url.is_secure && matches!(url.transport, "http1" | "http3");
    if options.http3 && !is_https {
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
            "ca": options.ca,
            "insecure": options.insecure,
            "certificate": options.cert,
            "key": options.key,
            "resumption": !options.no_resumption,
        })
    });
    let timeout_ms = (options.timeout * 1e3).ceil();
    json!({
        "name": name,
        "transport": transport,
        "address": url.address,
        "authority": url.authority,
        "path": (transport == "websocket").then_some(&first.path),
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
            "method": first.method,
            "path": first.path,
            "body": STANDARD.encode(&first.body),
            "binary": first.binary,
            "stream": options.stream.json(),
        }],
        "transactions": [{ "operation": prepared.first_operation(), "rounds": [[0]] }],
    })
}

fn pacer(options: &Options) -> Value {
    if let Some(Stages(stages)) = &options.stages {
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
    match options.rate {
        None => {
            let clients = u64::from(options.connections) * u64::from(options.streams);
            let think_us = options.think.map(|seconds| (seconds * 1e6).round() as u64);
            json!({ "kind": "closed", "clients": clients, "think_time_us": think_us })
        }
        Some(rate) if options.poisson => json!({ "kind": "poisson", "rate_per_s": rate }),
        Some(rate) => json!({ "kind": "constant", "rate_per_s": rate }),
    }
}
