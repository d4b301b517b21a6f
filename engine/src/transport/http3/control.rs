//! The server's control stream: its settings, which have no effect here, and GOAWAY.

use crate::failure::{Failure, Fault};

use super::frame;
use super::piece::{Kind, Piece};

const LIMIT: usize = 64 << 10;
const SETTLED: Fault = Fault::protocol("settings a second time");
const TOO_LARGE: Fault = Fault::new(Failure::Oversized, "a control frame of more than 64 KiB");

/// The unidirectional streams of the server.
#[derive(Default)]
pub struct Control {
    /// The server's control stream, if it is known yet.
    stream: Option<u64>,
    begun: Vec<u8>,
    has_settings: bool,
    /// Its other unidirectional streams, which are ignored.
    others: Vec<u64>,
    /// The first stream that will not be served.
    pub goaway: Option<u64>,
}

impl Control {
    /// Resets the state for a new connection.
    pub fn clear(&mut self) {
        self.stream = None;
        self.begun.clear();
        self.has_settings = false;
        self.others.clear();
        self.goaway = None;
    }

    /// Handles a piece of a unidirectional stream. The fault is that the control stream is invalid.
    pub fn take(&mut self, piece: &Piece) -> Result<(), Fault> {
        let mut bytes = piece.bytes;
        let is_known = self.stream == Some(piece.stream) || self.others.contains(&piece.stream);
        if !is_known && piece.kind == Kind::Part && !bytes.is_empty() {
            // The type of the control stream is a single byte.
            match frame::read_number(&mut bytes) {
                Some(frame::CONTROL) if self.stream.is_none() => self.stream = Some(piece.stream),
                _ => self.others.push(piece.stream),
            }
        }
        if self.stream != Some(piece.stream) {
            if piece.kind != Kind::Part {
                self.others.retain(|other| *other != piece.stream);
            }
            return Ok(());
        }
        if piece.kind != Kind::Part {
            return Err(Fault::protocol("the control stream has ended"));
        }
        self.begun.extend_from_slice(bytes);
        let mut begun = std::mem::take(&mut self.begun);
        let mut input = begun.as_slice();
        while let Some((kind, payload)) = take_frame(&mut input) {
            match kind {
                frame::GOAWAY => self.go_away(payload)?,
                frame::SETTINGS if self.has_settings => return Err(SETTLED),
                frame::SETTINGS => self.has_settings = true,
                _ => {}
            }
        }
        let used = begun.len() - input.len();
        begun.drain(..used);
        self.begun = begun;
        match self.begun.len() > LIMIT {
            true => Err(TOO_LARGE),
            false => Ok(()),
        }
    }

    /// A server may repeat GOAWAY with an earlier stream.
    fn go_away(&mut self, mut payload: &[u8]) -> Result<(), Fault> {
        let first = frame::read_number(&mut payload);
        let first = first.ok_or(Fault::protocol("a GOAWAY without a number"))?;
        self.goaway = Some(self.goaway.map_or(first, |before| before.min(first)));
        Ok(())
    }
}

/// Reads a frame from the front, if it is complete.
fn take_frame<'a>(input: &mut &'a [u8]) -> Option<(u64, &'a [u8])> {
    let mut rest = *input;
    let kind = frame::read_number(&mut rest)?;
    let length = frame::read_number(&mut rest)?;
    let (payload, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *input = rest;
    Some((kind, payload))
}
