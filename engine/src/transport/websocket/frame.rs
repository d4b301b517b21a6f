//! Frames of the WebSocket protocol (RFC 6455, section 5).

use crate::allowance::LONGEST;
use crate::failure::{Failure, Fault};

/// The opcodes of frames.
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
/// The longest control frame, in bytes.
const SHORT: usize = 125;

/// A frame, or its beginning.
pub struct Frame<'a> {
    pub is_final: bool,
    pub opcode: u8,
    pub payload: &'a [u8],
    /// The number of missing bytes of the payload.
    pub missing: usize,
    /// The number of received bytes, including the header.
    pub size: usize,
}

impl<'a> Frame<'a> {
    /// Reads a frame of the server from the front: a complete one, or the received part of one that
    /// is longer than `whole`. The fault is that it is invalid.
    #[inline]
    pub fn take(input: &mut &'a [u8], whole: usize) -> Result<Option<Self>, Fault> {
        let Some((&[first, second], rest)) = input.split_first_chunk::<2>() else {
            return Ok(None);
        };
        if first & RESERVED != 0 {
            return Err(Fault::protocol(
                "a frame of an extension that was not negotiated",
            ));
        }
        if second & MASKED != 0 {
            return Err(Fault::protocol("a masked frame from a server"));
        }
        let (is_final, opcode) = (first & FINAL != 0, first & 0x0f);
        if opcode >= opcode::CLOSE && (!is_final || usize::from(second) > SHORT) {
            return Err(Fault::protocol(
                "a control frame that is too long or fragmented",
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

/// Whether an incomplete frame belongs to a message.
pub fn begins_message(input: &[u8]) -> bool {
    input
        .first()
        .is_some_and(|first| first & 0x0f < opcode::CLOSE)
}

/// Whether a message begins after control frames, of which the last may be incomplete.
pub fn leads_to_message(mut input: &[u8]) -> bool {
    while let Some(&[first, length]) = input.first_chunk::<2>()
        && first & 0x0f >= opcode::CLOSE
        && let Some(rest) = input.get(2 + usize::from(length)..)
    {
        input = rest;
    }
    begins_message(input)
}

/// Appends a frame of the client: unfragmented, and masked as the protocol requires.
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

/// Eight bytes at a time, which the compiler vectorises further.
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
