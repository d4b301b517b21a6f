//! The settings of both sides (RFC 9113, section 6.5).

use crate::failure::Fault;

use super::frame::{self, Frame, flag, kind};

/// The receive window of a stream, in bytes.
pub const STREAM_WINDOW: u32 = 4 << 20;
/// The receive window of the connection, in bytes.
pub const CONNECTION_WINDOW: u32 = 64 << 20;
/// Both windows before any setting, in bytes.
pub const DEFAULT_WINDOW: u32 = 65_535;

const HEADER_TABLE_SIZE: u16 = 1;
const ENABLE_PUSH: u16 = 2;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;

/// The settings of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerSettings {
    pub header_table_size: usize,
    /// The smallest of the sizes that the last frame has set one after the other: a decoder must be
    /// told of it, too (RFC 7541, section 4.2).
    pub smallest_header_table: usize,
    pub max_concurrent_streams: usize,
    pub initial_window: i64,
    pub max_frame: usize,
}

impl Default for PeerSettings {
    fn default() -> Self {
        Self {
            header_table_size: 4096,
            smallest_header_table: 4096,
            max_concurrent_streams: usize::MAX,
            initial_window: i64::from(DEFAULT_WINDOW),
            max_frame: frame::LARGEST,
        }
    }
}

impl PeerSettings {
    /// Applies a SETTINGS frame. The fault is that it is invalid.
    pub fn update(&mut self, frame: &Frame) -> Result<(), Fault> {
        let (entries, rest) = frame.payload.as_chunks::<6>();
        if !rest.is_empty() || frame.stream != 0 {
            return Err(Fault::protocol("malformed settings"));
        }
        self.smallest_header_table = usize::MAX;
        for &[a, b, c, d, e, f] in entries {
            let value = u32::from_be_bytes([c, d, e, f]);
            match u16::from_be_bytes([a, b]) {
                HEADER_TABLE_SIZE => {
                    self.header_table_size = value as usize;
                    self.smallest_header_table = self.smallest_header_table.min(value as usize);
                }
                MAX_CONCURRENT_STREAMS => self.max_concurrent_streams = value as usize,
                INITIAL_WINDOW_SIZE if value > 0x7fff_ffff => {
                    return Err(Fault::protocol("an initial window beyond 2^31 - 1"));
                }
                INITIAL_WINDOW_SIZE => self.initial_window = i64::from(value),
                MAX_FRAME_SIZE if !(16_384..=16_777_215).contains(&value) => {
                    return Err(Fault::protocol(
                        "a maximum frame size outside of the allowed range",
                    ));
                }
                MAX_FRAME_SIZE => self.max_frame = value as usize,
                _ => {}
            }
        }
        self.smallest_header_table = self.smallest_header_table.min(self.header_table_size);
        Ok(())
    }
}

/// Appends the opening of a connection: the preface, the settings and the connection's window.
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

/// Appends the acknowledgement of settings.
pub fn write_acknowledgement(out: &mut Vec<u8>) {
    frame::write_header(out, 0, kind::SETTINGS, flag::ACK, 0);
}
