//! A null server for WebSocket: it answers each message with a number of messages.

use super::{Answering, Then};
use crate::transport::websocket::accept;
use crate::transport::websocket::frame::opcode;

const MAX_HEADERS: usize = 64;
const HEAD_LIMIT: usize = 64 << 10;
const REFUSAL: &[u8] = b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n\
    Connection: Upgrade, close\r\nContent-Length: 0\r\n\r\n";
const FINAL: u8 = 0x80;
const MASKED: u8 = 0x80;
/// The longest control frame, in bytes.
const SHORT: u64 = 125;

/// The state of one connection.
pub struct Websocket {
    answer: Vec<u8>,
    /// The length of each message of an answer.
    message: usize,
    is_open: bool,
    /// The remaining bytes of a message, and whether it is answered after them.
    unread: Option<(u64, bool)>,
}

/// The beginning of a client's frame.
struct Header {
    is_final: bool,
    opcode: u8,
    length: u64,
    mask: [u8; 4],
}

impl Websocket {
    /// Answers each message with `messages` ones.
    pub fn new(body: &[u8], messages: u32) -> Self {
        let mut message = Vec::new();
        write(&mut message, opcode::TEXT, body);
        Self {
            message: message.len(),
            answer: message.repeat(messages as usize),
            is_open: false,
            unread: None,
        }
    }

    /// Answers the handshake. `None` if it is not complete yet.
    fn open(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Option<Then> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let parsed = request.parse(input);
        let key = request.headers.iter().find_map(|header| {
            let is_key = header.name.eq_ignore_ascii_case("sec-websocket-key");
            is_key.then(|| std::str::from_utf8(header.value).ok())?
        });
        match (parsed, key) {
            (Ok(httparse::Status::Partial), _) if input.len() < HEAD_LIMIT => None,
            (Ok(httparse::Status::Complete(length)), Some(key)) => {
                let accept = accept(key.trim());
                let head = format!(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\
                     Connection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
                );
                out.extend_from_slice(head.as_bytes());
                *input = &input[length..];
                self.is_open = true;
                Some(Then::Keep)
            }
            _ => {
                out.extend_from_slice(REFUSAL);
                Some(Then::Close)
            }
        }
    }

    /// Skips the rest of a message. False if more of it must arrive.
    fn skip(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> bool {
        let Some((unread, is_final)) = self.unread else {
            return true;
        };
        let skipped = unread.min(input.len() as u64);
        *input = &input[skipped as usize..];
        if skipped < unread {
            self.unread = Some((unread - skipped, is_final));
            return false;
        }
        self.unread = None;
        if is_final {
            out.extend_from_slice(&self.answer);
        }
        true
    }
}

impl Answering for Websocket {
    fn items(&self) -> Option<(usize, usize)> {
        self.is_open.then_some((0, self.message))
    }

    fn answer(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Then {
        if !self.is_open && self.open(input, out) != Some(Then::Keep) {
            return if out.ends_with(REFUSAL) {
                Then::Close
            } else {
                Then::Keep
            };
        }
        while self.skip(input, out) {
            let mut rest = *input;
            let Some(header) = Header::take(&mut rest) else {
                return Then::Keep;
            };
            if header.opcode < opcode::CLOSE {
                *input = rest;
                self.unread = Some((header.length, header.is_final));
                continue;
            }
            if header.length > SHORT {
                return Then::Close;
            }
            let Some((payload, rest)) = rest.split_at_checked(header.length as usize) else {
                return Then::Keep;
            };
            *input = rest;
            let masks = header.mask.iter().cycle();
            let payload: Vec<u8> = payload.iter().zip(masks).map(|(a, b)| a ^ b).collect();
            match header.opcode {
                opcode::PING => write(out, opcode::PONG, &payload),
                opcode::CLOSE => {
                    write(out, opcode::CLOSE, &payload);
                    return Then::Close;
                }
                _ => {}
            }
        }
        Then::Keep
    }
}

impl Header {
    /// Reads a header from the front of `input`, if it is complete.
    fn take(input: &mut &[u8]) -> Option<Self> {
        let (&[first, second], rest) = input.split_first_chunk::<2>()?;
        let (length, rest) = match second & !MASKED {
            126 => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                (u64::from(u16::from_be_bytes(*length)), rest)
            }
            127 => {
                let (length, rest) = rest.split_first_chunk::<8>()?;
                (u64::from_be_bytes(*length), rest)
            }
            short => (u64::from(short), rest),
        };
        let (mask, rest) = if second & MASKED == 0 {
            ([0; 4], rest)
        } else {
            let (mask, rest) = rest.split_first_chunk::<4>()?;
            (*mask, rest)
        };
        *input = rest;
        Some(Self {
            is_final: first & FINAL != 0,
            opcode: first & 0x0f,
            length,
            mask,
        })
    }
}

/// Appends a frame of the server, which is not masked.
fn write(out: &mut Vec<u8>, opcode: u8, payload: &[u8]) {
    out.push(FINAL | opcode);
    match payload.len() {
        length if length as u64 <= SHORT => out.push(length as u8),
        length if length <= usize::from(u16::MAX) => {
            out.push(126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(payload);
}
