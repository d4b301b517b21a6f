//! The opening handshake (RFC 6455, section 4): an HTTP/1.1 request to change the protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

use crate::failure::{Failure, Fault};
use crate::job::Endpoint;
use crate::random::Random;
use crate::transport::http1::with_head;

/// Fixed by the specification: proves that the server supports WebSocket.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const HEAD_LIMIT: usize = 64 << 10;

/// The request up to the key, which differs for each connection.
pub struct Invitation(Vec<u8>);

/// A handshake that waits for its answer.
pub struct Handshake {
    accept: String,
}

impl Invitation {
    /// The handshake of an endpoint.
    pub fn new(endpoint: &Endpoint) -> Self {
        let mut head = format!("GET {} HTTP/1.1\r\n", endpoint.path);
        if !endpoint
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            head.push_str(&format!("Host: {}\r\n", endpoint.authority));
        }
        head.push_str("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
        for (name, value) in &endpoint.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("Sec-WebSocket-Key: ");
        Self(head.into_bytes())
    }

    /// Appends the request with a new key.
    pub fn write(&self, random: &mut Random, out: &mut Vec<u8>) -> Handshake {
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&random.next().to_ne_bytes());
        nonce[8..].copy_from_slice(&random.next().to_ne_bytes());
        let key = STANDARD.encode(nonce);
        out.extend_from_slice(&self.0);
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
        Handshake {
            accept: accept(&key),
        }
    }
}

/// The Sec-WebSocket-Accept for a key.
pub fn accept(key: &str) -> String {
    STANDARD.encode(Sha1::new().chain_update(key).chain_update(MAGIC).finalize())
}

impl Handshake {
    /// Reads the answer from the front. False if it is incomplete. The fault is that it is not
    /// accepted.
    pub fn read(&self, input: &mut &[u8]) -> Result<bool, Fault> {
        let answered = with_head(input, |parsed, response| match parsed {
            Ok(httparse::Status::Complete(length)) => self.check(response).map(|()| Some(length)),
            Ok(httparse::Status::Partial) if input.len() < HEAD_LIMIT => Ok(None),
            _ => Err(refused("the handshake was not answered in HTTP")),
        })?;
        let Some(length) = answered else {
            return Ok(false);
        };
        *input = &input[length..];
        Ok(true)
    }

    fn check(&self, response: &httparse::Response) -> Result<(), Fault> {
        if response.code != Some(101) {
            return Err(refused(refusal(response.code.unwrap_or(0))));
        }
        let field = |name: &str| {
            let found = response
                .headers
                .iter()
                .find(|it| it.name.eq_ignore_ascii_case(name));
            found.map_or(&b""[..], |header| header.value.trim_ascii())
        };
        let names = |list: &[u8], word: &str| {
            let mut words = list.split(|&byte| byte == b',');
            words.any(|it| it.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
        };
        if !names(field("upgrade"), "websocket") || !names(field("connection"), "upgrade") {
            return Err(refused("the server changed to another protocol"));
        }
        if field("sec-websocket-accept") != self.accept.as_bytes() {
            return Err(refused("the server's Sec-WebSocket-Accept is wrong"));
        }
        if !field("sec-websocket-extensions").is_empty() {
            return Err(refused(
                "the server chose an extension that was not offered",
            ));
        }
        Ok(())
    }
}

const fn refused(detail: &'static str) -> Fault {
    Fault::new(Failure::HandshakeFailed, detail)
}

fn refusal(status: u16) -> &'static str {
    match status {
        400 => "the handshake was answered with status 400",
        401 => "the handshake was answered with status 401",
        403 => "the handshake was answered with status 403",
        404 => "the handshake was answered with status 404: the path is wrong",
        405 => "the handshake was answered with status 405",
        426 => "the handshake was answered with status 426",
        500 => "the handshake was answered with status 500",
        502 => "the handshake was answered with status 502",
        503 => "the handshake was answered with status 503",
        _ => "the handshake was answered with a status other than 101",
    }
}
