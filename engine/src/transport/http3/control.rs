//! The server's unidirectional streams (RFC 9114, section 6.2): its control stream, with GOAWAY and
//! with settings, which have no effect here, and the two streams of QPACK.

use crate::failure::{Failure, Fault};

use super::error::{self, ConnectionError};
use super::piece::{Kind, Piece};
use super::{BY_SERVER, ONE_WAY, frame};

/// Maximum length of an incomplete control frame, in bytes.
const LIMIT: usize = 64 << 10;
/// The instruction that sets the size of the dynamic table to 0, which it is anyway.
const NO_TABLE: u8 = 0x20;

const TOO_LARGE: ConnectionError = ConnectionError {
    code: error::EXCESSIVE_LOAD,
    fault: Fault::new(Failure::Oversized, "a control frame of more than 64 KiB"),
};
const CLOSED: ConnectionError = ConnectionError::new(
    error::CLOSED_CRITICAL_STREAM,
    "the end of a control stream or of a stream of QPACK",
);
const DUPLICATE: ConnectionError = ConnectionError::new(
    error::STREAM_CREATION_ERROR,
    "a second control stream or a second stream of QPACK",
);
const PUSHED: ConnectionError =
    ConnectionError::new(error::ID_ERROR, "a push, which the client has not allowed");
const UNSETTLED: ConnectionError = ConnectionError::new(
    error::MISSING_SETTINGS,
    "a control stream that does not begin with settings",
);
const SETTLED: ConnectionError =
    ConnectionError::new(error::FRAME_UNEXPECTED, "settings a second time");
const MISPLACED: ConnectionError = ConnectionError::new(
    error::FRAME_UNEXPECTED,
    "a frame that the control stream of a server may not contain",
);
const MALFORMED: ConnectionError = ConnectionError::new(
    error::FRAME_ERROR,
    "a control frame whose content does not fit its length",
);
const OF_HTTP2: ConnectionError =
    ConnectionError::new(error::SETTINGS_ERROR, "a setting of HTTP/2");
const NO_REQUEST: ConnectionError = ConnectionError::new(
    error::ID_ERROR,
    "a GOAWAY whose stream cannot carry a request",
);
const INCREASED: ConnectionError = ConnectionError::new(
    error::ID_ERROR,
    "a GOAWAY with a later stream than the one before",
);
const INSERTION: ConnectionError = ConnectionError::new(
    error::QPACK_ENCODER_STREAM_ERROR,
    "an entry for the dynamic table, which has no space",
);
const UNSENT: ConnectionError = ConnectionError::new(
    error::QPACK_DECODER_STREAM_ERROR,
    "the acknowledgement of a dynamic table, which the client does not use",
);

/// The unidirectional streams of the server.
#[derive(Default)]
pub struct Control {
    /// The open ones.
    streams: Vec<Stream>,
    has_settings: bool,
    /// The first stream that will not be served.
    pub goaway: Option<u64>,
}

struct Stream {
    number: u64,
    /// Its role, if its type is known yet.
    role: Option<Role>,
    /// Its incomplete type, or an incomplete control frame.
    begun: Vec<u8>,
    /// Whether more bytes of an instruction follow (decoder).
    is_within: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Control,
    Encoder,
    Decoder,
    /// Its content is ignored.
    Unknown,
}

impl Control {
    /// Resets the state for a new connection.
    pub fn clear(&mut self) {
        self.streams.clear();
        self.has_settings = false;
        self.goaway = None;
    }

    /// Handles a piece of a unidirectional stream.
    pub fn take(&mut self, piece: &Piece) -> Result<(), ConnectionError> {
        if piece.stream & BY_SERVER == 0 {
            // Only the request to stop the client's control stream has its number.
            return Err(CLOSED);
        }
        let mut streams = self.streams.iter();
        let mut stream = match streams.position(|other| other.number == piece.stream) {
            Some(index) => self.streams.swap_remove(index),
            None => Stream {
                number: piece.stream,
                role: None,
                begun: Vec::new(),
                is_within: false,
            },
        };
        if piece.kind != Kind::Reset {
            self.read(&mut stream, piece.bytes)?;
        }
        match (piece.kind, stream.role) {
            (Kind::Part, _) => self.streams.push(stream),
            (_, None | Some(Role::Unknown)) => {}
            _ => return Err(CLOSED),
        }
        Ok(())
    }

    fn read(&mut self, stream: &mut Stream, mut bytes: &[u8]) -> Result<(), ConnectionError> {
        while stream.role.is_none()
            && let Some((&first, rest)) = bytes.split_first()
        {
            stream.begun.push(first);
            bytes = rest;
            if let Some(kind) = frame::read_number(&mut stream.begun.as_slice()) {
                stream.role = Some(self.role(kind)?);
                stream.begun.clear();
            }
        }
        match stream.role {
            Some(Role::Control) => self.read_frames(&mut stream.begun, bytes),
            Some(Role::Encoder) if bytes.iter().any(|&byte| byte != NO_TABLE) => Err(INSERTION),
            Some(Role::Decoder) => stream.read_cancellations(bytes),
            _ => Ok(()),
        }
    }

    /// The role of a new stream of a type.
    fn role(&self, kind: u64) -> Result<Role, ConnectionError> {
        let role = match kind {
            frame::CONTROL => Role::Control,
            frame::ENCODER => Role::Encoder,
            frame::DECODER => Role::Decoder,
            frame::PUSH => return Err(PUSHED),
            _ => return Ok(Role::Unknown),
        };
        match self.streams.iter().any(|other| other.role == Some(role)) {
            true => Err(DUPLICATE),
            false => Ok(role),
        }
    }

    /// Reads frames of the control stream; leaves an incomplete one in `begun`.
    fn read_frames(&mut self, begun: &mut Vec<u8>, bytes: &[u8]) -> Result<(), ConnectionError> {
        begun.extend_from_slice(bytes);
        let mut input = begun.as_slice();
        loop {
            let mut rest = input;
            let Some(kind) = frame::read_number(&mut rest) else {
                break;
            };
            self.check_order(kind)?;
            let Some(payload) = take_payload(&mut rest) else {
                break;
            };
            self.take_frame(kind, payload)?;
            input = rest;
        }
        let used = begun.len() - input.len();
        begun.drain(..used);
        match begun.len() > LIMIT {
            true => Err(TOO_LARGE),
            false => Ok(()),
        }
    }

    /// Checks that a frame of this type may follow (RFC 9114, section 7.2).
    fn check_order(&self, kind: u64) -> Result<(), ConnectionError> {
        match kind {
            frame::SETTINGS if self.has_settings => Err(SETTLED),
            frame::SETTINGS => Ok(()),
            _ if !self.has_settings => Err(UNSETTLED),
            frame::DATA | frame::HEADERS | frame::PUSH_PROMISE | frame::MAX_PUSH_ID => {
                Err(MISPLACED)
            }
            kind if frame::is_of_http2(kind) => Err(MISPLACED),
            _ => Ok(()),
        }
    }

    fn take_frame(&mut self, kind: u64, payload: &[u8]) -> Result<(), ConnectionError> {
        match kind {
            frame::SETTINGS => {
                self.has_settings = true;
                check_settings(payload)
            }
            frame::GOAWAY => self.go_away(only_number(payload)?),
            frame::CANCEL_PUSH => only_number(payload).and(Err(PUSHED)),
            _ => Ok(()),
        }
    }

    /// A server may repeat GOAWAY with an earlier stream.
    fn go_away(&mut self, first: u64) -> Result<(), ConnectionError> {
        if first & (BY_SERVER | ONE_WAY) != 0 {
            return Err(NO_REQUEST);
        }
        if self.goaway.is_some_and(|before| before < first) {
            return Err(INCREASED);
        }
        self.goaway = Some(first);
        Ok(())
    }
}

impl Stream {
    /// Reads instructions of the decoder stream. Without a dynamic table, only cancellations are
    /// allowed: two bits and a number, whose prefix has six bits (RFC 9204, section 4.4).
    fn read_cancellations(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        for &byte in bytes {
            match self.is_within {
                true => self.is_within = byte & 0x80 != 0,
                false if byte >> 6 != 0b01 => return Err(UNSENT),
                false => self.is_within = byte & 0x3f == 0x3f,
            }
        }
        Ok(())
    }
}

/// Reads the length and the payload of a frame from the front, if they are complete.
fn take_payload<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(frame::read_number(input)?).ok()?;
    let (payload, rest) = input.split_at_checked(length)?;
    *input = rest;
    Some(payload)
}

/// The number that is all of a payload.
fn only_number(mut payload: &[u8]) -> Result<u64, ConnectionError> {
    let number = frame::read_number(&mut payload);
    number.filter(|_| payload.is_empty()).ok_or(MALFORMED)
}

/// Checks settings: identifiers with values, without those that exist only in HTTP/2.
fn check_settings(mut payload: &[u8]) -> Result<(), ConnectionError> {
    while !payload.is_empty() {
        let identifier = frame::read_number(&mut payload);
        let value = frame::read_number(&mut payload);
        match identifier.zip(value) {
            None => return Err(MALFORMED),
            Some((0 | 2..=5, _)) => return Err(OF_HTTP2),
            Some(_) => {}
        }
    }
    Ok(())
}
