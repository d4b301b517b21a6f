//! gRPC-Web and Connect: unary calls as plain HTTP requests, whose status is not HTTP's.

mod connect;
mod grpc_web;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Request, Rpc};
use crate::transport::Conclusion;

/// A message is preceded by a flag and its length.
pub const PREFIX: usize = 5;
const NOT_ASKED: Fault = Fault::protocol("a content type other than the one asked for");

/// One of them, as a type: transports that speak neither pay nothing for them.
pub trait Protocol: Send {
    const RPC: Rpc;
    /// Whether the body of a reply is the message, as it is.
    const IS_PLAIN: bool = false;
}

pub struct GrpcWeb;
/// In base64, for clients that cannot read bytes.
pub struct GrpcWebText;
pub struct Connect;

impl Protocol for GrpcWeb {
    const RPC: Rpc = Rpc::GrpcWeb;
}

impl Protocol for GrpcWebText {
    const RPC: Rpc = Rpc::GrpcWebText;
}

impl Protocol for Connect {
    const RPC: Rpc = Rpc::Connect;
    const IS_PLAIN: bool = true;
}

/// What there is besides the body of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub http_status: u16,
    pub content: Content,
    /// Of the body as a whole, and of the messages in it that are marked as compressed.
    pub encoding: Encoding,
    pub message_encoding: Encoding,
    /// Where a gRPC-Web server has nothing else to say, it says so in a header.
    pub grpc_status: Option<u16>,
}

/// The content types that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    Grpc,
    GrpcWeb,
    GrpcWebText,
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
            b"grpc-web-text" => Self::GrpcWebText,
            b"proto" => Self::Proto,
            b"json" => Self::Json,
            _ => Self::Other,
        }
    }
}

/// Headers that every request has, unless the job gives them.
pub const fn headers(rpc: Rpc) -> &'static [(&'static str, &'static str)] {
    match rpc {
        Rpc::GrpcWeb => &[
            ("content-type", "application/grpc-web+proto"),
            ("accept", "application/grpc-web+proto"),
            ("x-grpc-web", "1"),
        ],
        Rpc::GrpcWebText => &[
            ("content-type", "application/grpc-web-text+proto"),
            ("accept", "application/grpc-web-text+proto"),
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
        Rpc::GrpcWeb | Rpc::GrpcWebText => ("grpc-timeout", format!("{ms}m")),
        Rpc::Connect => ("connect-timeout-ms", ms.to_string()),
    }
}

/// The header that asks for compression.
pub const fn accept_encoding(rpc: Rpc) -> &'static str {
    match rpc {
        Rpc::GrpcWeb | Rpc::GrpcWebText => "grpc-accept-encoding",
        Rpc::Connect => "accept-encoding",
    }
}

/// The body as it goes over the wire.
pub fn body(rpc: Rpc, request: &Request) -> Vec<u8> {
    match rpc {
        Rpc::GrpcWeb => with_prefix(&request.body),
        Rpc::GrpcWebText => STANDARD.encode(with_prefix(&request.body)).into_bytes(),
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

/// A reply whose HTTP status says that it does not come from a server of gRPC.
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

/// How a message is encoded, by the flag before it and the header `grpc-encoding`.
pub fn encoding_of_message(flag: u8, named: Encoding) -> Result<Encoding, Fault> {
    match (flag, named) {
        (0, _) => Ok(Encoding::Identity),
        (1, Encoding::Identity) => Err(Fault::protocol(
            "a compressed message, and no grpc-encoding that says how",
        )),
        (1, named) => Ok(named),
        _ => Err(Fault::protocol("a message with a flag that is not known")),
    }
}

/// What a reply means. `text` is memory for what is decoded of its base64.
pub fn read<'a>(
    rpc: Rpc,
    head: Head,
    body: &'a [u8],
    text: &'a mut Vec<u8>,
) -> Result<Conclusion<'a>, Fault> {
    match rpc {
        Rpc::GrpcWeb => grpc_web::read(head, body),
        Rpc::GrpcWebText => grpc_web::read_text(head, body, text),
        Rpc::Connect => connect::read(head, body),
    }
}

#[cfg(test)]
mod tests;
