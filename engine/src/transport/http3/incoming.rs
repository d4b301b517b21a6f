//! Reads a response from its stream.

use crate::failure::{Failure, Fault};
use crate::transport::http2::{Form, INTERIM, Response};
use crate::transport::{Arrival, ItemReader, Look};

use super::error::{self, ConnectionError, Error};
use super::{frame, qpack};

const HEADERS_LIMIT: u64 = 256 << 10;
const TOO_LARGE: Fault = Fault::new(Failure::Oversized, "headers of more than 256 KiB");
const TOO_EARLY: ConnectionError =
    ConnectionError::new(error::FRAME_UNEXPECTED, "a body before its headers");
const TOO_LATE: ConnectionError = ConnectionError::new(
    error::FRAME_UNEXPECTED,
    "headers or a body after the trailers",
);
const MISPLACED: ConnectionError = ConnectionError::new(
    error::FRAME_UNEXPECTED,
    "a frame that no response may contain",
);
const PUSHED: ConnectionError =
    ConnectionError::new(error::ID_ERROR, "a push, which the client has not allowed");
const CUT_SHORT: ConnectionError =
    ConnectionError::new(error::FRAME_ERROR, "a response that ends within a frame");
const BROKEN: ConnectionError = ConnectionError::new(
    error::QPACK_DECOMPRESSION_FAILED,
    "headers that cannot be decompressed",
);

/// The received part of a response.
#[derive(Default)]
pub struct Incoming {
    pub response: Response,
    /// An incomplete frame, except DATA, which is used as it arrives.
    begun: Vec<u8>,
    /// The remaining bytes of a DATA frame, or of one that is skipped.
    left: u64,
    is_data: bool,
    has_trailers: bool,
}

impl Incoming {
    /// Begins the next response.
    pub fn clear(&mut self, items: &ItemReader, counts: bool) {
        self.response.clear();
        self.response.items.begin(items, counts);
        self.begun.clear();
        self.left = 0;
        self.is_data = false;
        self.has_trailers = false;
    }

    /// Reads the next bytes of the stream. True if there are enough items.
    pub fn take(
        &mut self,
        bytes: &[u8],
        at: &mut Arrival,
        decoder: &mut qpack::Decoder,
        look: &Look,
    ) -> Result<bool, Error> {
        let mut input = bytes;
        if self.begun.is_empty() {
            let is_enough = self.read(&mut input, at, decoder, look)?;
            self.begun.extend_from_slice(input);
            return Ok(is_enough);
        }
        let mut begun = std::mem::take(&mut self.begun);
        begun.extend_from_slice(bytes);
        let mut input = begun.as_slice();
        let is_enough = self.read(&mut input, at, decoder, look)?;
        let used = begun.len() - input.len();
        begun.drain(..used);
        self.begun = begun;
        Ok(is_enough)
    }

    /// Ends the stream. The error is that the response is incomplete.
    pub fn end(&mut self, at: &mut Arrival) -> Result<(), Error> {
        if self.left > 0 || !self.begun.is_empty() {
            return Err(CUT_SHORT.into());
        }
        if self.response.is_interim() {
            return Err(INTERIM.into());
        }
        let is_empty = self.response.body.has_nothing();
        Ok(self.response.items.end(at, is_empty)?)
    }

    /// Reads frames; leaves incomplete ones.
    fn read(
        &mut self,
        input: &mut &[u8],
        at: &mut Arrival,
        decoder: &mut qpack::Decoder,
        look: &Look,
    ) -> Result<bool, Error> {
        loop {
            if self.left > 0 {
                let (content, later) = input.split_at(self.left.min(input.len() as u64) as usize);
                *input = later;
                self.left -= content.len() as u64;
                let response = &mut self.response;
                let ends = self.left == 0;
                if self.is_data && response.take(content, ends, at, Form::Plain, look)? {
                    return Ok(true);
                }
            }
            let mut rest = *input;
            let kind = frame::read_number(&mut rest);
            let (Some(kind), Some(length)) = (kind, frame::read_number(&mut rest)) else {
                return Ok(false);
            };
            self.check_order(kind)?;
            if kind == frame::HEADERS {
                if length > HEADERS_LIMIT {
                    return Err(TOO_LARGE.into());
                }
                let Some((section, rest)) = rest.split_at_checked(length as usize) else {
                    return Ok(false);
                };
                self.take_headers(section, decoder, look)?;
                *input = rest;
                continue;
            }
            self.is_data = kind == frame::DATA;
            self.left = length;
            *input = rest;
        }
    }

    /// Checks that a frame of this type may follow (RFC 9114, sections 4.1, 4.6 and 7.2).
    fn check_order(&self, kind: u64) -> Result<(), ConnectionError> {
        match kind {
            frame::HEADERS | frame::DATA if self.has_trailers => Err(TOO_LATE),
            frame::DATA if !self.response.headers_complete => Err(TOO_EARLY),
            frame::PUSH_PROMISE => Err(PUSHED),
            frame::CANCEL_PUSH | frame::SETTINGS | frame::GOAWAY | frame::MAX_PUSH_ID => {
                Err(MISPLACED)
            }
            kind if frame::is_of_http2(kind) => Err(MISPLACED),
            _ => Ok(()),
        }
    }

    fn take_headers(
        &mut self,
        section: &[u8],
        decoder: &mut qpack::Decoder,
        look: &Look,
    ) -> Result<(), Error> {
        let response = &mut self.response;
        self.has_trailers = response.headers_complete;
        response.begin_fields();
        let field = |name: &[u8], value: &[u8]| response.field(name, value, look);
        decoder.decode(section, field).ok_or(BROKEN)?;
        Ok(response.end_fields()?)
    }
}
