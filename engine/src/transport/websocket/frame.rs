//! Frames of the WebSocket protocol (RFC 6455, section 5).

use crate::failure::{Failure, Fault};
use crate::allowance::LONGEST;

pub mod opcode {
    pub const CONTINUATION: u8 = 0;
    pub const TEXT: u8 = 1;
    pub const BINARY: u8 = 2;
    pub const CLOSE: u8 = 8;
    pub const PING: u8 = 9;
    pub const PONG: u8 = 10;
}

/// Status code 1000.
pub const NORMAL_CLOSURE: [u8; 2] = 1000u16.to_be_bytes();

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
/// Control frames are no longer than this.
const SHORT: usize = 125;

pub struct Frame<'a> {
    pub is_final: bool,
    pub opcode: u8,
    pub payload: &'a [u8],
    /// How much of the payload is still to come.
    pub missing: usize,
    /// Its size on the wire, as far as it has come.
    pub size: usize,
}

impl<'a> Frame<'a> {
    /// Takes a frame of the server's off the front, if one is there: as a whole, or with what has
    /// come of it if it is longer than `whole`.
    #[inline]
    pub fn take(input: &mut &'a [u8], whole: usize) -> Result<Option<Self>, Fault> {
        let Some((&[first, second], rest)) = input.split_first_chunk::<2>() else {
            return Ok(None);
        };
        if first & RESERVED != 0 {
            return Err(Fault::protocol(
                "a frame of an extension that nobody asked for",
            ));
        }
        if second & MASKED != 0 {
            return Err(Fault::protocol("a masked frame from a server"));
        }
        let (is_final, opcode) = (first & FINAL != 0, first & 0x0f);
        if opcode >= opcode::CLOSE && (!is_final || usize::from(second) > SHORT) {
            return Err(Fault::protocol(
                "a control frame that is long or in fragments",
            ));
        }
        let (length, rest) = match second {
            126 => match rest.split_first_chunk::<2>() {
                Some((length, rest)) => (usize::from(u16::from_be_bytes(*length)), rest),
                None => return Ok(None),
            },
            127 => match rest.split_first_chunk::<8>() {
                Some((length, rest)) => (u64::from_be_bytes(*length) as usize, rest),
                None => return Ok(None),
            },
            short => (usize::from(short), rest),
        };
        if length > LONGEST {
            return Err(Fault::new(
                Failure::Oversized,
                "a message of more than 4 GiB",
            ));
        }
        if length > rest.len() && length <= whole {
            return Ok(None);
        }
        let (payload, rest) = rest.split_at(length.min(rest.len()));
        let size = input.len() - rest.len();
        *input = rest;
        Ok(Some(Self {
            is_final,
            opcode,
            payload,
            missing: length - payload.len(),
            size,
        }))
    }
}

/// Whether a frame that is not whole yet belongs to a message.
pub fn begins_message(input: &[u8]) -> bool {
    input
        .first()
        .is_some_and(|first| first & 0x0f < opcode::CLOSE)
}

/// Appends a frame of the client's: whole, and masked, as the protocol demands of clients.
#[inline]
pub fn write(out: &mut Vec<u8>, opcode: u8, payload: &[u8], mask: u32) {
    out.push(FINAL | opcode);
    match payload.len() {
        length if length <= SHORT => out.push(MASKED | length as u8),
        length if length <= usize::from(u16::MAX) => {
            out.push(MASKED | 126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(MASKED | 127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    let mask = mask.to_ne_bytes();
    out.extend_from_slice(&mask);
    let begin = out.len();
    out.extend_from_slice(payload);
    apply_mask(&mut out[begin..], mask);
}

/// Eight bytes at a time, which the compiler turns into wider steps still.
fn apply_mask(payload: &mut [u8], mask: [u8; 4]) {
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (chunks, rest) = payload.as_chunks_mut::<8>();
    for chunk in chunks {
        *chunk = (u64::from_ne_bytes(*chunk) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(mask.into_iter().cycle()) {
        *byte ^= mask;
    }
}
