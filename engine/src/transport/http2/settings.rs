//! Settings of both sides (RFC 9113, section 6.5).

use crate::failure::Fault;

use super::frame::{self, Frame, flag, kind};

/// How much a server may send on one stream, and on the connection, before it hears from us.
pub const STREAM_WINDOW: u32 = 4 << 20;
pub const CONNECTION_WINDOW: u32 = 64 << 20;
/// What both windows are before anything has been said.
pub const DEFAULT_WINDOW: u32 = 65_535;

const HEADER_TABLE_SIZE: u16 = 1;
const ENABLE_PUSH: u16 = 2;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;

/// What the server has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerSettings {
    pub header_table_size: usize,
    pub max_concurrent_streams: usize,
    pub initial_window: i64,
    pub max_frame: usize,
}

impl Default for PeerSettings {
    fn default() -> Self {
        Self {
            header_table_size: 4096,
            max_concurrent_streams: usize::MAX,
            initial_window: i64::from(DEFAULT_WINDOW),
            max_frame: frame::LARGEST,
        }
    }
}

impl PeerSettings {
    /// Takes over what a SETTINGS frame says.
    pub fn update(&mut self, frame: &Frame) -> Result<(), Fault> {
        let (entries, rest) = frame.payload.as_chunks::<6>();
        if !rest.is_empty() || frame.stream != 0 {
            return Err(Fault::protocol("malformed settings"));
        }
        for &[a, b, c, d, e, f] in entries {
            let value = u32::from_be_bytes([c, d, e, f]);
            match u16::from_be_bytes([a, b]) {
                HEADER_TABLE_SIZE => self.header_table_size = value as usize,
                MAX_CONCURRENT_STREAMS => self.max_concurrent_streams = value as usize,
                INITIAL_WINDOW_SIZE if value > 0x7fff_ffff => {
                    return Err(Fault::protocol("an initial window beyond 2^31 - 1"));
                }
                INITIAL_WINDOW_SIZE => self.initial_window = i64::from(value),
                MAX_FRAME_SIZE if !(16_384..=16_777_215).contains(&value) => {
                    return Err(Fault::protocol("a largest frame beyond the allowed range"));
                }
                MAX_FRAME_SIZE => self.max_frame = value as usize,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Appends what opens a connection: the preface, our settings, and the connection's window.
pub fn write_opening(out: &mut Vec<u8>) {
    out.extend_from_slice(frame::PREFACE);
    let settings = [(ENABLE_PUSH, 0), (INITIAL_WINDOW_SIZE, STREAM_WINDOW)];
    frame::write_header(out, settings.len() * 6, kind::SETTINGS, 0, 0);
    for (setting, value) in settings {
        out.extend_from_slice(&setting.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
    frame::write_window_update(out, 0, CONNECTION_WINDOW - DEFAULT_WINDOW);
}

pub fn write_acknowledgement(out: &mut Vec<u8>) {
    frame::write_header(out, 0, kind::SETTINGS, flag::ACK, 0);
}
