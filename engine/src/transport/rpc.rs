//! gRPC-Web and Connect: unary calls as plain HTTP requests, whose status is not HTTP's.

use memchr::memchr;
use serde::Deserialize;

use crate::failure::{Failure, Fault};
use crate::job::{Request, Rpc};

/// A message is preceded by a flag and its length.
const PREFIX: usize = 5;
const TRAILERS: u8 = 0x80;
const NOT_ASKED: Fault = Fault::protocol("a content type other than the one asked for");

/// One of the two, as a type: transports that speak neither pay nothing for them.
pub trait Protocol: Send {
    const RPC: Rpc;
}

pub struct GrpcWeb;
pub struct Connect;

impl Protocol for GrpcWeb {
    const RPC: Rpc = Rpc::GrpcWeb;
}

impl Protocol for Connect {
    const RPC: Rpc = Rpc::Connect;
}

/// What there is besides the body of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub http_status: u16,
    pub content: Content,
    /// Where a gRPC-Web server has nothing else to say, it says so in a header.
    pub grpc_status: Option<u16>,
}

/// The content types that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    Grpc,
    GrpcWeb,
    Proto,
    Json,
    #[default]
    Other,
}

impl Content {
    pub fn new(value: &[u8]) -> Self {
        let Some(name) = value.strip_prefix(b"application/") else {
            return Self::Other;
        };
        // Nearly always it is nothing else.
        if name == b"grpc" {
            return Self::Grpc;
        }
        let end = name.iter().position(|byte| b"+; ".contains(byte));
        match &name[..end.unwrap_or(name.len())] {
            b"grpc" => Self::Grpc,
            b"grpc-web" => Self::GrpcWeb,
            b"proto" => Self::Proto,
            b"json" => Self::Json,
            _ => Self::Other,
        }
    }
}

/// What a reply means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Of gRPC, in both protocols.
    pub status: u16,
    pub body: &'a [u8],
    /// The server's words about a failure.
    pub message: &'a [u8],
}

/// Headers that every request has, unless the job gives them.
pub const fn headers(rpc: Rpc) -> &'static [(&'static str, &'static str)] {
    match rpc {
        Rpc::GrpcWeb => &[
            ("content-type", "application/grpc-web+proto"),
            ("accept", "application/grpc-web+proto"),
            ("x-grpc-web", "1"),
        ],
        Rpc::Connect => &[
            ("content-type", "application/proto"),
            ("connect-protocol-version", "1"),
        ],
    }
}

/// The header that tells the server how much time it has.
pub fn deadline(rpc: Rpc, ms: u64) -> (&'static str, String) {
    match rpc {
        Rpc::GrpcWeb => ("grpc-timeout", format!("{ms}m")),
        Rpc::Connect => ("connect-timeout-ms", ms.to_string()),
    }
}

/// The body as it goes over the wire.
pub fn body(rpc: Rpc, request: &Request) -> Vec<u8> {
    match rpc {
        Rpc::GrpcWeb => with_prefix(&request.body),
        Rpc::Connect => request.body.clone(),
    }
}

/// A message with its flag and its length.
pub fn with_prefix(message: &[u8]) -> Vec<u8> {
    let mut body = vec![0];
    body.extend_from_slice(&(message.len() as u32).to_be_bytes());
    body.extend_from_slice(message);
    body
}

pub fn read(rpc: Rpc, head: Head, body: &[u8]) -> Result<Answer<'_>, Fault> {
    match rpc {
        Rpc::GrpcWeb => read_grpc_web(head, body),
        Rpc::Connect => read_connect(head, body),
    }
}

/// One message and the trailers, each with a prefix; without a message when the call has failed.
fn read_grpc_web(head: Head, body: &[u8]) -> Result<Answer<'_>, Fault> {
    if head.http_status != 200 {
        let detail = "a gRPC-Web server whose HTTP status is not 200";
        return Err(Fault::new(Failure::Status, detail));
    }
    if head.content != Content::GrpcWeb {
        return Err(NOT_ASKED);
    }
    let (mut message, mut trailers) = (None, None);
    let mut rest = body;
    while !rest.is_empty() {
        let (flag, content) = take_frame(&mut rest)?;
        match flag {
            _ if trailers.is_some() => {
                return Err(Fault::protocol("something after the trailers"));
            }
            0 if message.is_none() => message = Some(content),
            0 => return Err(Fault::protocol("several messages in answer to one")),
            TRAILERS => trailers = Some(content),
            _ => {
                return Err(Fault::protocol(
                    "a compressed message, which nobody asked for",
                ));
            }
        }
    }
    let status = trailers.and_then(|block| number(field(block, b"grpc-status")));
    let status = status
        .or(head.grpc_status)
        .ok_or(Fault::protocol("trailers without a grpc-status"))?;
    if status == 0 && message.is_none() {
        return Err(Fault::protocol("success without a message"));
    }
    Ok(Answer {
        status,
        body: message.filter(|_| status == 0).unwrap_or_default(),
        message: trailers.map_or(&[], |block| field(block, b"grpc-message")),
    })
}

fn take_frame<'a>(rest: &mut &'a [u8]) -> Result<(u8, &'a [u8]), Fault> {
    const CUT: Fault = Fault::protocol("a body that ends within a message");
    let (&[flag, a, b, c, d], after) = rest.split_first_chunk::<PREFIX>().ok_or(CUT)?;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    let (content, after) = after.split_at_checked(length).ok_or(CUT)?;
    *rest = after;
    Ok((flag, content))
}

/// The value of a field in a block of `name: value` lines.
fn field<'a>(block: &'a [u8], wanted: &[u8]) -> &'a [u8] {
    let found = block.split(|&byte| byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(memchr(b':', line)?)?;
        let is_wanted = name.trim_ascii().eq_ignore_ascii_case(wanted);
        is_wanted.then(|| value[1..].trim_ascii())
    });
    found.unwrap_or_default()
}

fn number(text: &[u8]) -> Option<u16> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The message itself, or an error in JSON with an HTTP status that goes with it.
fn read_connect(head: Head, body: &[u8]) -> Result<Answer<'_>, Fault> {
    match (head.http_status, head.content) {
        (200, Content::Proto | Content::Json) => Ok(Answer {
            status: 0,
            body,
            message: &[],
        }),
        (200, _) => Err(NOT_ASKED),
        (http_status, content) => {
            let error = (content == Content::Json)
                .then(|| serde_json::from_slice::<ConnectError>(body).ok())
                .flatten();
            let told = error.and_then(|error| code(&error.code));
            Ok(Answer {
                status: told.unwrap_or(inferred(http_status)),
                body: &[],
                message: body,
            })
        }
    }
}

#[derive(Deserialize)]
struct ConnectError {
    code: String,
}

/// The number that gRPC has for an error of Connect's.
fn code(name: &str) -> Option<u16> {
    const NAMES: [&str; 16] = [
        "canceled",
        "unknown",
        "invalid_argument",
        "deadline_exceeded",
        "not_found",
        "already_exists",
        "permission_denied",
        "resource_exhausted",
        "failed_precondition",
        "aborted",
        "out_of_range",
        "unimplemented",
        "internal",
        "unavailable",
        "data_loss",
        "unauthenticated",
    ];
    let place = NAMES.iter().position(|known| *known == name)?;
    Some(place as u16 + 1)
}

/// The error that an answer stands for which does not come from a server of the protocol.
fn inferred(http_status: u16) -> u16 {
    match http_status {
        400 => 13,
        401 => 16,
        403 => 7,
        404 => 12,
        429 | 502 | 503 | 504 => 14,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEB: Head = Head {
        http_status: 200,
        content: Content::GrpcWeb,
        grpc_status: None,
    };

    #[test]
    fn content_types_are_told_apart() {
        for (text, expected) in [
            ("application/grpc", Content::Grpc),
            ("application/grpc+proto", Content::Grpc),
            ("application/grpc-web+proto", Content::GrpcWeb),
            ("application/grpc-web; charset=x", Content::GrpcWeb),
            ("application/grpc-web-text", Content::Other),
            ("application/proto", Content::Proto),
            ("application/json;charset=utf-8", Content::Json),
            ("text/html", Content::Other),
        ] {
            assert_eq!(Content::new(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn grpc_web_has_its_trailers_in_the_body() {
        let body = b"\0\0\0\0\x02hi\x80\0\0\0\x0fgrpc-status:0\r\n";
        let answer = read(Rpc::GrpcWeb, WEB, body).unwrap();
        assert_eq!((answer.status, answer.body), (0, &b"hi"[..]));
        let body = b"\x80\0\0\0\x24Grpc-Status: 5\r\ngrpc-message: no\r\n\r\n";
        let answer = read(Rpc::GrpcWeb, WEB, body).unwrap();
        assert_eq!((answer.status, answer.message), (5, &b"no"[..]));
        let head = Head {
            grpc_status: Some(7),
            ..WEB
        };
        assert_eq!(read(Rpc::GrpcWeb, head, b"").unwrap().status, 7);
    }

    #[test]
    fn what_is_not_grpc_web_is_refused() {
        for body in [
            &b""[..],
            b"\0\0\0\0\x05hi",
            b"\x80\0\0\0\0",
            b"\x80\0\0\0\x0fgrpc-status:0\r\n",
            b"\x01\0\0\0\0",
            b"\0\0\0\0\0\0\0\0\0\0\x80\0\0\0\x0fgrpc-status:0\r\n",
            b"\0\0\0\0\0\x80\0\0\0\x0fgrpc-status:0\r\n\0\0\0\0\0",
        ] {
            let fault = read(Rpc::GrpcWeb, WEB, body).unwrap_err();
            assert_eq!(fault.failure, Failure::ProtocolError, "{body:?}");
        }
    }

    #[test]
    fn connect_tells_its_errors_in_json() {
        let head = |http_status, content| Head {
            http_status,
            content,
            grpc_status: None,
        };
        let status = |head, body: &'static [u8]| read(Rpc::Connect, head, body).map(|it| it.status);
        let (json, html) = (Content::Json, Content::Other);
        assert_eq!(status(head(200, Content::Proto), b"\x08\x01"), Ok(0));
        let error = br#"{"code":"not_found","message":"no"}"#;
        assert_eq!(status(head(404, json), error), Ok(5));
        assert_eq!(status(head(404, html), b"<html>"), Ok(12));
        assert_eq!(status(head(503, json), b"{"), Ok(14));
        assert!(status(head(200, html), b"<html>").is_err());
    }
}
