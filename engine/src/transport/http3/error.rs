//! The errors of HTTP/3 (RFC 9114, section 8) and of QPACK (RFC 9204, section 6).

use crate::failure::Fault;

/// The connection ends normally.
pub const NO_ERROR: u32 = 0x100;
/// The server opened a stream that it may not open.
pub const STREAM_CREATION_ERROR: u32 = 0x103;
/// A stream ended that must stay open.
pub const CLOSED_CRITICAL_STREAM: u32 = 0x104;
/// A frame is not allowed at its position.
pub const FRAME_UNEXPECTED: u32 = 0x105;
/// The content of a frame does not fit its length.
pub const FRAME_ERROR: u32 = 0x106;
/// The server sends more than the engine keeps.
pub const EXCESSIVE_LOAD: u32 = 0x107;
/// The number of a push or of a stream is not allowed.
pub const ID_ERROR: u32 = 0x108;
/// A setting is not allowed.
pub const SETTINGS_ERROR: u32 = 0x109;
/// A control stream does not begin with SETTINGS.
pub const MISSING_SETTINGS: u32 = 0x10a;
/// The client cancels the request.
pub const REQUEST_CANCELLED: u32 = 0x10c;
/// The response is malformed.
pub const MESSAGE_ERROR: u32 = 0x10e;
/// A section of fields cannot be decompressed.
pub const QPACK_DECOMPRESSION_FAILED: u32 = 0x200;
/// An instruction on the server's encoder stream is not allowed.
pub const QPACK_ENCODER_STREAM_ERROR: u32 = 0x201;
/// An instruction on the server's decoder stream is not allowed.
pub const QPACK_DECODER_STREAM_ERROR: u32 = 0x202;

const NAMES: [&str; 17] = [
    "H3_NO_ERROR",
    "H3_GENERAL_PROTOCOL_ERROR",
    "H3_INTERNAL_ERROR",
    "H3_STREAM_CREATION_ERROR",
    "H3_CLOSED_CRITICAL_STREAM",
    "H3_FRAME_UNEXPECTED",
    "H3_FRAME_ERROR",
    "H3_EXCESSIVE_LOAD",
    "H3_ID_ERROR",
    "H3_SETTINGS_ERROR",
    "H3_MISSING_SETTINGS",
    "H3_REQUEST_REJECTED",
    "H3_REQUEST_CANCELLED",
    "H3_REQUEST_INCOMPLETE",
    "H3_MESSAGE_ERROR",
    "H3_CONNECT_ERROR",
    "H3_VERSION_FALLBACK",
];

/// The meaning of an error code of a reset stream.
pub fn name(code: u64) -> &'static str {
    let index = code.checked_sub(NO_ERROR.into());
    let name = index.and_then(|index| NAMES.get(index as usize));
    name.unwrap_or(&"an unknown error code")
}

/// A violation that ends the connection and all its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionError {
    /// The code that the server receives.
    pub code: u32,
    pub fault: Fault,
}

impl ConnectionError {
    /// A violation of the protocol.
    pub const fn new(code: u32, detail: &'static str) -> Self {
        Self {
            code,
            fault: Fault::protocol(detail),
        }
    }
}

/// An error in the stream of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Only the call fails.
    Stream(Fault),
    Connection(ConnectionError),
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Stream(fault)
    }
}

impl From<ConnectionError> for Error {
    fn from(error: ConnectionError) -> Self {
        Self::Connection(error)
    }
}
