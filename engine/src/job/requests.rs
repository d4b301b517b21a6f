//! Reads the requests and transactions of a job.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::section::MOST;
use super::section::{Section, show};
use super::{Expectation, Header, Message, Request, Rpc, Transaction, TransportKind, stream};
use crate::encoding::Encoding;
use crate::secrets::HIDDEN;

/// Headers that the engine sets itself, or that the protocol does not allow.
const RESERVED_HTTP1: &[&str] = &["content-length", "transfer-encoding"];
const RESERVED_HTTP2: &[&str] = &[
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
];
const RESERVED_WEBSOCKET: &[&str] = &[
    "connection",
    "content-length",
    "sec-websocket-extensions",
    "sec-websocket-key",
    "sec-websocket-version",
    "transfer-encoding",
    "upgrade",
];

/// Reads a request.
pub fn request(section: &Section, transport: Option<TransportKind>) -> Option<Request> {
    let method = section.text("method").unwrap_or("GET");
    if !is_text(method, is_token) {
        section.problem("method", format!("{method:?}"), METHOD);
    }
    let path = section.text("path").unwrap_or("/");
    check_text(section, "path", path, is_visible);
    if transport == Some(TransportKind::Grpc) && !path.starts_with('/') {
        section.problem("path", format!("{path:?}"), "/package.Service/Method");
    }
    let body = body(section);
    let headers = headers(section, transport);
    let binary = section.flag("binary", false);
    let stream = section.section("stream");
    let stream = (!stream.is_absent()).then(|| stream::read(&stream, transport));
    let deadline_ms = section.integer("deadline_ms", 1..=3_600_000);
    let is_timed = stream.as_ref().is_some_and(|it| it.until_ms.is_some());
    if let (Some(deadline), true) = (deadline_ms, is_timed) {
        let expected = "none with stream.until_ms, which ends the request";
        section.problem("deadline_ms", deadline, expected);
    }
    let expect = expectation(&section.section("expect"), transport);
    if let (Some(items), None) = (expect.items, &stream) {
        section.problem("expect.items", items, "none without a stream");
    }
    Some(Request {
        method: method.into(),
        path: path.into(),
        headers,
        body: body?,
        binary,
        stream,
        deadline_ms,
        expect,
        ..Request::default()
    })
}

fn body(section: &Section) -> Option<Vec<u8>> {
    let body = section.text("body").unwrap_or("");
    let decoded = STANDARD.decode(body).ok();
    if decoded.is_none() {
        section.problem("body", show(&body.into()), "base64");
    }
    decoded
}

/// Reads the message of a subscription.
pub fn subscription(section: &Section, transport: Option<TransportKind>) -> Option<Message> {
    if section.is_absent() {
        return None;
    }
    if transport.is_some_and(|it| it != TransportKind::Websocket) {
        section.problem("body", "given", "none, except with websocket");
    }
    let binary = section.flag("binary", false);
    Some(Message {
        body: body(section)?,
        binary,
        answers: section.integer("answers", 0..=1_000).unwrap_or(0) as u32,
    })
}

fn expectation(section: &Section, transport: Option<TransportKind>) -> Expectation {
    let hash = section.text("body_xxh3").and_then(|text| {
        let digits = Some(text).filter(|text| text.len() == 16);
        let hash = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        if hash.is_none() {
            section.problem("body_xxh3", format!("{text:?}"), "16 hexadecimal digits");
        }
        hash
    });
    let status = section.integer("status", 0..=999);
    if let (Some(status), Some(TransportKind::Websocket)) = (status, transport) {
        section.problem("status", status, "none: WebSocket messages have no status");
    }
    let text = |value: &Value| {
        value
            .as_str()
            .filter(|text| !text.is_empty())
            .map(String::from)
    };
    Expectation {
        status: status.map(|status| status as u16),
        body_xxh3: hash,
        body_length: section.integer("body_length", 0..=MOST),
        items: section
            .integer("items", 0..=u64::from(u32::MAX))
            .map(|it| it as u32),
        must_not_contain: section.items("must_not_contain", "a text that is not empty", text),
        sample: section.flag("sample", false),
    }
}

/// Reads a transaction of a job with this number of requests.
pub fn transaction(section: &Section, requests: usize) -> Option<Transaction> {
    let operation = section.require("operation", section.text("operation"), "a name");
    let parameter_set = section.integer("parameter_set", 0..=u64::from(u32::MAX));
    let expected = format!("a list, not empty, of indices into the {requests} requests");
    let index = |value: &Value| {
        let index = value.as_u64().filter(|&index| index < requests as u64)?;
        Some(index as u32)
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
        parameter_set: parameter_set.unwrap_or(0) as u32,
        rounds,
    })
}

/// Reads the headers of a request or an endpoint.
pub fn headers(section: &Section, transport: Option<TransportKind>) -> Vec<Header> {
    let mut headers = Vec::new();
    for (index, value) in section.list("headers").iter().enumerate() {
        match header(value) {
            Some(header) => headers.push(header),
            // The value of a header may be a secret.
            None => {
                let name = value.get(0).map_or("without a name".into(), show);
                let expected = "[name, value] of visible characters";
                section.problem(&format!("headers[{index}]"), name, expected);
            }
        }
    }
    for (name, value) in &headers {
        if value == HIDDEN {
            let expected = "the value that --print-job replaced";
            section.problem("headers", format!("{name:?} with {value:?}"), expected);
        }
        if is_reserved(name, transport) {
            section.problem("headers", format!("{name:?}"), NOT_RESERVED);
        }
    }
    headers
}

/// A problem with a request that was not read from a job, if there is one.
pub fn flaw(request: &Request, transport: TransportKind) -> Option<String> {
    let Request { method, path, .. } = request;
    if !is_text(method, is_token) {
        return Some(format!("the method {method:?}; expected {METHOD}"));
    }
    if !is_text(path, is_visible) {
        return Some(format!("the path {path:?}; expected {VISIBLE}"));
    }
    request.headers.iter().find_map(|(name, value)| {
        if is_reserved(name, Some(transport)) {
            return Some(format!("the header {name:?}; expected {NOT_RESERVED}"));
        }
        // The value of a header may be a secret.
        let expected = "visible characters on one line";
        (!is_header(name, value)).then(|| format!("the header {name:?}; expected {expected}"))
    })
}

const NOT_RESERVED: &str = "other headers: the engine sets this one itself";

fn is_reserved(name: &str, transport: Option<TransportKind>) -> bool {
    let reserved = match transport {
        Some(TransportKind::Http2 | TransportKind::Http3 | TransportKind::Grpc) => RESERVED_HTTP2,
        Some(TransportKind::Websocket) => RESERVED_WEBSOCKET,
        Some(TransportKind::Http1) | None => RESERVED_HTTP1,
    };
    reserved.contains(&name.to_ascii_lowercase().as_str())
}

fn header(value: &Value) -> Option<Header> {
    let [name, value] = value.as_array()?.as_slice() else {
        return None;
    };
    let (name, value) = (name.as_str()?, value.as_str()?);
    is_header(name, value).then(|| (name.into(), value.into()))
}

fn is_header(name: &str, value: &str) -> bool {
    let named = is_text(name, is_token);
    let allowed = |byte| is_visible(byte) || byte == b' ' || byte == b'\t';
    named && value.bytes().all(allowed)
}

/// Reads the accepted encodings; returns the value of the header.
pub fn accept_encoding(
    section: &Section,
    transport: Option<TransportKind>,
    rpc: Option<Rpc>,
) -> Option<String> {
    let names: Vec<&str> = Encoding::NAMES.iter().map(|(name, _)| *name).collect();
    let expected = format!("one of {}", names.join(", "));
    let wanted = section.items("accept_encoding", &expected, |value| {
        value.as_str().filter(|name| names.contains(name))
    });
    if wanted.is_empty() {
        return None;
    }
    if transport == Some(TransportKind::Websocket) {
        section.problem("accept_encoding", "given", "none with websocket");
    }
    let compresses_messages = transport == Some(TransportKind::Grpc) || rpc == Some(Rpc::GrpcWeb);
    if compresses_messages && wanted.contains(&"br") {
        let expected = "gzip, deflate or zstd, the encodings of gRPC messages";
        section.problem("accept_encoding", "\"br\"", expected);
    }
    Some(wanted.join(", "))
}

/// Reports a text that is empty or has a byte that is not allowed.
pub fn check_text(section: &Section, key: &str, text: &str, allowed: impl Fn(u8) -> bool) {
    if !is_text(text, allowed) {
        section.problem(key, format!("{text:?}"), VISIBLE);
    }
}

/// A token (RFC 9110, section 9.1).
const METHOD: &str = "letters, digits and !#$%&'*+-.^_`|~";
const VISIBLE: &str = "visible characters without spaces";

fn is_text(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

/// Whether a byte is a visible character, or part of one.
pub fn is_visible(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
