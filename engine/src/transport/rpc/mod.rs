//! gRPC-Web and Connect: unary calls as plain HTTP requests, with a gRPC status.

mod connect;
mod grpc_web;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::Rpc;
use crate::transport::Conclusion;

/// The length of the prefix of a message, in bytes: a flag and its length.
pub const PREFIX: usize = 5;
const NOT_ASKED: Fault = Fault::protocol("an unexpected content type");

/// A protocol as a type, so that plain HTTP has no overhead.
pub trait Protocol: Send {
    const RPC: Rpc;
    /// Whether the body of a reply is the message itself.
    const IS_PLAIN: bool = false;
}

/// gRPC-Web.
pub struct GrpcWeb;
/// Connect.
pub struct Connect;

impl Protocol for GrpcWeb {
    const RPC: Rpc = Rpc::GrpcWeb;
}

impl Protocol for Connect {
    const RPC: Rpc = Rpc::Connect;
    const IS_PLAIN: bool = true;
}

/// The head of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub http_status: u16,
    pub content: Content,
    /// The encoding of the body as a whole.
    pub encoding: Encoding,
    /// The encoding of messages that are marked as compressed.
    pub message_encoding: Encoding,
    /// The status, if a gRPC-Web server sends it in a header, without a body.
    pub grpc_status: Option<u16>,
}

/// The content types that are distinguished.
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
    /// Parses a content type.
    pub fn new(value: &[u8]) -> Self {
        let Some(name) = value.strip_prefix(b"application/") else {
            return Self::Other;
        };
        // The most frequent case.
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

/// The headers of every request, unless the job sets them.
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

/// The header that sends the time-out to the server.
pub fn deadline(rpc: Rpc, ms: u64) -> (&'static str, String) {
    match rpc {
        Rpc::GrpcWeb => ("grpc-timeout", format!("{ms}m")),
        Rpc::Connect => ("connect-timeout-ms", ms.to_string()),
    }
}

/// The header with the accepted encodings.
pub const fn accept_encoding(rpc: Rpc) -> &'static str {
    match rpc {
        Rpc::GrpcWeb => "grpc-accept-encoding",
        Rpc::Connect => "accept-encoding",
    }
}

/// The body as sent.
pub fn body(rpc: Rpc, message: &[u8]) -> Vec<u8> {
    match rpc {
        Rpc::GrpcWeb => with_prefix(message),
        Rpc::Connect => message.to_vec(),
    }
}

/// A message with its flag and its length.
pub fn with_prefix(message: &[u8]) -> Vec<u8> {
    let mut body = vec![0];
    body.extend_from_slice(&(message.len() as u32).to_be_bytes());
    body.extend_from_slice(message);
    body
}

/// The fault of a reply whose HTTP status shows that it does not come from a gRPC server.
#[cold]
pub fn not_grpc(http_status: u16) -> Fault {
    let detail = match http_status {
        401 => "HTTP 401 Unauthorized instead of gRPC: the server requires credentials",
        403 => "HTTP 403 Forbidden instead of gRPC: the server forbids the call",
        404 => "HTTP 404 Not Found instead of gRPC: the server has no gRPC at this path",
        429 => "HTTP 429 Too Many Requests instead of gRPC: the server limits the rate",
        502 => "HTTP 502 Bad Gateway instead of gRPC: the server behind it does not answer",
        503 => "HTTP 503 Service Unavailable instead of gRPC: the server behind it does not answer",
        504 => "HTTP 504 Gateway Timeout instead of gRPC: the server behind it does not answer",
        _ => "an HTTP status other than 200 instead of gRPC",
    };
    Fault::new(Failure::Status, detail)
}

/// A status in digits, of gRPC or HTTP.
#[inline]
pub fn status(value: &[u8]) -> Option<u16> {
    if value.is_empty() {
        return None;
    }
    value.iter().try_fold(0_u16, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        let longer = number.checked_mul(10)?.checked_add(u16::from(digit));
        longer.filter(|_| digit < 10)
    })
}

/// The encoding of a message, from its flag and the header `grpc-encoding`. The fault is that they
/// are inconsistent.
pub fn encoding_of_message(flag: u8, named: Encoding) -> Result<Encoding, Fault> {
    match (flag, named) {
        (0, _) => Ok(Encoding::Identity),
        (1, Encoding::Identity) => Err(Fault::protocol(
            "a compressed message without a grpc-encoding",
        )),
        (1, named) => Ok(named),
        _ => Err(Fault::protocol("a message with an unknown flag")),
    }
}

/// The meaning of a reply.
pub fn read(rpc: Rpc, head: Head, body: &[u8]) -> Result<Conclusion<'_>, Fault> {
    match rpc {
        Rpc::GrpcWeb => grpc_web::read(head, body),
        Rpc::Connect => connect::read(head, body),
    }
}

#[cfg(test)]
mod tests;
