//! Receives frames until a message is complete, and answers control frames.

use super::frame::{self, Frame, opcode};
use super::utf8::Utf8;
use super::{Phase, Script, Websocket};
use crate::failure::{Failure, Fault};

const SERVER_CLOSED: Fault = Fault::new(
    Failure::ClosedEarly,
    "the server closed the WebSocket before it replied",
);

/// The fault of a message that answers no call.
pub const UNASKED: Fault = Fault::protocol("a message that answers no request");
/// The protocol requires the connection to fail then.
const NOT_TEXT: Fault = Fault::new(Failure::InvalidUtf8, "a text message that is not UTF-8");

/// The longest frame that is read only when it is complete, in bytes.
const AT_ONCE: usize = 64 << 10;

/// The effect of a frame, or of a part of one.
#[derive(Clone, Copy)]
pub enum Progress<'input> {
    Nothing,
    /// A message in a single frame.
    Message(&'input [u8]),
    /// A message in several parts is complete.
    Gathered,
}

impl Websocket {
    /// Answers a control frame.
    fn answer(&mut self, opcode: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let before = out.len();
        frame::write(out, opcode, payload, self.random.next() as u32);
        self.owed.add(out.len() - before)
    }

    /// Reads the next frame, or the available part of it. The fault is that it is invalid.
    pub fn receive<'input>(
        &mut self,
        script: &Script,
        input: &mut &'input [u8],
        now: u64,
        out: &mut Vec<u8>,
    ) -> Result<Option<Progress<'input>>, Fault> {
        if self.missing > 0 {
            let (piece, rest) = input.split_at(self.missing.min(input.len()));
            if piece.is_empty() {
                return Ok(None);
            }
            *input = rest;
            self.missing -= piece.len();
            if let Some(call) = self.calls.front_mut() {
                call.count(piece.len());
            }
            return self.gather(script, piece).map(Some);
        }
        let Some(frame) = Frame::take(input, script.nothing.whole.min(AT_ONCE))? else {
            return Ok(None);
        };
        match frame.opcode {
            opcode::PING => {
                self.answer(opcode::PONG, frame.payload, out)?;
                Ok(Some(Progress::Nothing))
            }
            opcode::PONG => Ok(Some(Progress::Nothing)),
            opcode::CLOSE => {
                if !matches!(self.phase, Phase::Leaving) {
                    // The answer repeats the status code; without one it is empty.
                    let code = &frame.payload[..frame.payload.len().min(2)];
                    self.answer(opcode::CLOSE, code, out)?;
                }
                self.phase = Phase::Closing;
                if self.calls.is_empty() {
                    Ok(Some(Progress::Nothing))
                } else {
                    Err(SERVER_CLOSED)
                }
            }
            opcode::TEXT | opcode::BINARY | opcode::CONTINUATION => {
                self.take_part(script, &frame, now).map(Some)
            }
            _ => Err(Fault::protocol("a frame of an unknown kind")),
        }
    }

    /// Handles a frame with a message or a part of one.
    fn take_part<'input>(
        &mut self,
        script: &Script,
        frame: &Frame<'input>,
        now: u64,
    ) -> Result<Progress<'input>, Fault> {
        if let Some(call) = self.calls.front_mut() {
            call.first_byte.get_or_insert(now);
            call.count(frame.size);
        }
        let continues = frame.opcode == opcode::CONTINUATION;
        if continues != self.in_fragments {
            return Err(Fault::protocol("fragments of messages out of order"));
        }
        let is_expected = !self.calls.is_empty()
            || script.is_pushed_to
            || matches!(self.phase, Phase::Greeting(_) | Phase::Subscribing(_));
        if !continues && !is_expected {
            return Err(UNASKED);
        }
        let is_text = frame.opcode == opcode::TEXT;
        if frame.is_final && !continues && frame.missing == 0 {
            return match is_text && str::from_utf8(frame.payload).is_err() {
                true => Err(NOT_TEXT),
                false => Ok(Progress::Message(frame.payload)),
            };
        }
        if !continues {
            self.begin_message(is_text);
        }
        self.in_fragments = !frame.is_final;
        self.is_last = frame.is_final;
        self.missing = frame.missing;
        self.gather(script, frame.payload)
    }

    /// Begins a message in parts.
    fn begin_message(&mut self, is_text: bool) {
        self.is_text = is_text;
        self.utf8 = Utf8::default();
        self.gathered.clear();
        let waiting = self.calls.front_mut();
        self.owner = waiting.as_ref().map(|call| call.id);
        if let Some(call) = waiting.filter(|call| call.stream.is_some())
            && !std::mem::replace(&mut call.has_begun, true)
        {
            self.stream.clear();
        }
    }

    /// Adds a part of a message.
    fn gather<'input>(&mut self, script: &Script, piece: &[u8]) -> Result<Progress<'input>, Fault> {
        if self.is_text && !self.utf8.take(piece) {
            return Err(NOT_TEXT);
        }
        let waiting = self.calls.front_mut();
        match waiting.filter(|call| self.owner == Some(call.id)) {
            Some(call) => {
                let look = &script.messages[call.request as usize].look;
                match &mut call.stream {
                    Some(items) => {
                        self.stream.take(piece, look)?;
                        items.keep(piece)?;
                    }
                    None => self.gathered.take(piece, look)?,
                }
            }
            None => self.gathered.take(piece, &script.nothing)?,
        }
        if self.missing > 0 || !self.is_last {
            return Ok(Progress::Nothing);
        }
        match self.is_text && !self.utf8.is_whole() {
            true => Err(NOT_TEXT),
            false => Ok(Progress::Gathered),
        }
    }

    /// Notes the begin of the reply, even if its first frame is incomplete.
    pub fn note_first_byte(&mut self, input: &[u8], now: u64) {
        if let (Some(call), true) = (self.calls.front_mut(), frame::begins_message(input)) {
            call.first_byte.get_or_insert(now);
        }
    }
}
