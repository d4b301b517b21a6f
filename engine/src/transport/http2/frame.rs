//! Frames of HTTP/2 (RFC 9113, sections 4 and 6).

use crate::failure::Fault;

/// The length of a frame's header, in bytes.
pub const HEADER: usize = 9;
/// The largest payload that the engine accepts, in bytes: the default.
pub const LARGEST: usize = 16_384;

/// What a client sends first.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The types of frames.
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// The flags of frames.
pub mod flag {
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    pub const PADDED: u8 = 8;
    pub const PRIORITY: u8 = 32;
}

/// The error codes.
pub mod error {
    pub const CANCEL: u32 = 8;

    /// The name of an error code.
    pub fn name(code: u32) -> &'static str {
        match code {
            0 => "NO_ERROR",
            1 => "PROTOCOL_ERROR",
            2 => "INTERNAL_ERROR",
            3 => "FLOW_CONTROL_ERROR",
            4 => "SETTINGS_TIMEOUT",
            5 => "STREAM_CLOSED",
            6 => "FRAME_SIZE_ERROR",
            7 => "REFUSED_STREAM",
            8 => "CANCEL",
            9 => "COMPRESSION_ERROR",
            10 => "CONNECT_ERROR",
            11 => "ENHANCE_YOUR_CALM",
            12 => "INADEQUATE_SECURITY",
            13 => "HTTP_1_1_REQUIRED",
            _ => "an unknown error code",
        }
    }
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Reads a frame from the front, if it is complete. The fault is that it is oversized.
    #[inline]
    pub fn take(input: &mut &'a [u8]) -> Result<Option<Self>, Fault> {
        let Some((header, rest)) = input.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let [a, b, c, kind, flags, d, e, f, g] = *header;
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        if length > LARGEST {
            return Err(Fault::protocol(
                "a frame larger than allowed, or not HTTP/2 at all",
            ));
        }
        let Some((payload, rest)) = rest.split_at_checked(length) else {
            return Ok(None);
        };
        *input = rest;
        let stream = u32::from_be_bytes([d, e, f, g]) & 0x7fff_ffff;
        Ok(Some(Self {
            kind,
            flags,
            stream,
            payload,
        }))
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Its size in bytes, including the header.
    pub fn size(&self) -> usize {
        HEADER + self.payload.len()
    }

    /// The payload of DATA or HEADERS without padding and priority. The fault is that it is too
    /// short.
    pub fn content(&self) -> Result<&'a [u8], Fault> {
        const CUT: Fault = Fault::protocol("a frame shorter than its padding");
        let mut content = self.payload;
        let mut padding = 0;
        if self.has(flag::PADDED) {
            let (&length, rest) = content.split_first().ok_or(CUT)?;
            padding = usize::from(length);
            content = rest;
        }
        if self.kind == kind::HEADERS && self.has(flag::PRIORITY) {
            content = content.get(5..).ok_or(CUT)?;
        }
        let length = content.len().checked_sub(padding).ok_or(CUT)?;
        Ok(&content[..length])
    }

    /// The 32-bit number at an offset of the payload. The fault is that it is too short.
    pub fn number(&self, offset: usize) -> Result<u32, Fault> {
        let bytes = self
            .payload
            .get(offset..)
            .and_then(|bytes| bytes.first_chunk::<4>());
        let bytes = bytes.ok_or(Fault::protocol("a frame of the wrong size"))?;
        Ok(u32::from_be_bytes(*bytes))
    }
}

/// Appends the header of a frame.
#[inline]
pub fn write_header(out: &mut Vec<u8>, length: usize, kind: u8, flags: u8, stream: u32) {
    let [_, a, b, c] = (length as u32).to_be_bytes();
    let [d, e, f, g] = stream.to_be_bytes();
    out.extend_from_slice(&[a, b, c, kind, flags, d, e, f, g]);
}

/// Appends a WINDOW_UPDATE frame.
pub fn write_window_update(out: &mut Vec<u8>, stream: u32, increment: u32) {
    write_header(out, 4, kind::WINDOW_UPDATE, 0, stream);
    out.extend_from_slice(&increment.to_be_bytes());
}

/// Appends a RST_STREAM frame.
pub fn write_reset(out: &mut Vec<u8>, stream: u32, code: u32) {
    write_header(out, 4, kind::RST_STREAM, 0, stream);
    out.extend_from_slice(&code.to_be_bytes());
}
