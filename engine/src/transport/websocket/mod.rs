//! WebSocket: requests and replies are messages, answered in the order in which they were sent.

pub mod frame;
mod handshake;

use std::collections::VecDeque;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Connections, Request, Target};
use crate::random::Random;

use super::{Codec, REPLY_LIMIT, Reply, Step};
use frame::{Frame, opcode};
pub use handshake::accept;
use handshake::{Handshake, Invitation};

const SERVER_CLOSED: Fault = Fault::new(
    Failure::ClosedEarly,
    "the server closed the WebSocket before it replied",
);

pub struct Script {
    invitation: Invitation,
    messages: Vec<Message>,
}

struct Message {
    opcode: u8,
    payload: Vec<u8>,
}

pub struct Websocket {
    phase: Phase,
    limit: usize,
    /// Those that wait for their reply, the first one first.
    calls: VecDeque<Call>,
    /// What has been gathered of a message that comes in fragments.
    gathered: Vec<u8>,
    in_fragments: bool,
    random: Random,
}

enum Phase {
    Opening(Handshake),
    Open,
    /// A close frame has been sent.
    Closing,
}

#[derive(Clone, Copy)]
struct Call {
    id: u32,
    bytes_sent: u32,
    payload_sent: u32,
    bytes_received: u32,
    first_byte: Option<u64>,
}

/// What a frame has led to.
enum Progress {
    Nothing,
    /// A message came in this one frame.
    Message,
    /// The gathered fragments are a message.
    Gathered,
}

impl Codec for Websocket {
    type Script = Script;

    const WRONG_STATUS: Failure = Failure::Status;

    fn script(target: &Target, _connections: &Connections, requests: &[Request]) -> Script {
        let message = |request: &Request| Message {
            opcode: if request.binary {
                opcode::BINARY
            } else {
                opcode::TEXT
            },
            payload: request.body.clone(),
        };
        Script {
            invitation: Invitation::new(target),
            messages: requests.iter().map(message).collect(),
        }
    }

    fn new(streams: u32, seed: u64) -> Self {
        Self {
            phase: Phase::Closing,
            limit: streams as usize,
            calls: VecDeque::with_capacity(streams as usize),
            gathered: Vec::new(),
            in_fragments: false,
            random: Random::new(seed),
        }
    }

    fn open(&mut self, script: &Script, out: &mut Vec<u8>) -> bool {
        self.calls.clear();
        self.in_fragments = false;
        self.phase = Phase::Opening(script.invitation.write(&mut self.random, out));
        false
    }

    #[inline]
    fn capacity(&self) -> usize {
        match self.phase {
            Phase::Open => self.limit.saturating_sub(self.calls.len()),
            Phase::Opening(_) | Phase::Closing => 0,
        }
    }

    #[inline]
    fn start(&mut self, script: &Script, call: u32, request: u32, out: &mut Vec<u8>) {
        let message = &script.messages[request as usize];
        let before = out.len();
        frame::write(
            out,
            message.opcode,
            &message.payload,
            self.random.next() as u32,
        );
        self.calls.push_back(Call {
            id: call,
            bytes_sent: (out.len() - before) as u32,
            payload_sent: message.payload.len() as u32,
            bytes_received: 0,
            first_byte: None,
        });
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        _script: &Script,
        input: &mut &'input [u8],
        now: u64,
        out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if let Phase::Opening(handshake) = &self.phase {
            return match handshake.read(input) {
                Ok(false) => Step::NeedInput,
                Ok(true) => {
                    self.phase = Phase::Open;
                    Step::Opened
                }
                Err(fault) => Step::Broken(fault),
            };
        }
        loop {
            let frame = match Frame::take(input) {
                Ok(Some(frame)) => frame,
                Ok(None) => {
                    self.note_first_byte(input, now);
                    return Step::NeedInput;
                }
                Err(fault) => return Step::Broken(fault),
            };
            let body = match self.receive(&frame, now, out) {
                Ok(Progress::Nothing) => continue,
                Ok(Progress::Message) => frame.payload,
                Ok(Progress::Gathered) => self.gathered.as_slice(),
                Err(fault) => return Step::Broken(fault),
            };
            // A second message to a single request would be taken for the next one's reply.
            let is_surplus = self.calls.len() <= 1 && frame::begins_message(input);
            let Some(call) = self.calls.front().copied().filter(|_| !is_surplus) else {
                return Step::Broken(Fault::protocol("a message that answers no request"));
            };
            self.calls.pop_front();
            let reply = Reply {
                status: 0,
                success: true,
                body,
                encoding: Encoding::Identity,
                message: &[],
                first_byte: call.first_byte.unwrap_or(now),
                bytes_sent: call.bytes_sent,
                bytes_received: call.bytes_received,
                payload_sent: call.payload_sent,
            };
            return Step::Replied {
                call: call.id,
                reply,
            };
        }
    }

    fn abandon(&mut self, call: u32, _out: &mut Vec<u8>) -> bool {
        self.calls.retain(|other| other.id != call);
        false
    }

    fn take_call(&mut self) -> Option<u32> {
        self.calls.pop_front().map(|call| call.id)
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.calls.is_empty()
    }

    #[inline]
    fn is_closing(&self) -> bool {
        matches!(self.phase, Phase::Closing)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        if matches!(self.phase, Phase::Open) {
            frame::write(
                out,
                opcode::CLOSE,
                &frame::NORMAL_CLOSURE,
                self.random.next() as u32,
            );
            self.phase = Phase::Closing;
        }
    }
}

impl Websocket {
    fn receive(&mut self, frame: &Frame, now: u64, out: &mut Vec<u8>) -> Result<Progress, Fault> {
        match frame.opcode {
            opcode::PING => {
                frame::write(out, opcode::PONG, frame.payload, self.random.next() as u32);
                Ok(Progress::Nothing)
            }
            opcode::PONG => Ok(Progress::Nothing),
            opcode::CLOSE => {
                // The answer repeats the code; without one it is empty.
                let code = &frame.payload[..frame.payload.len().min(2)];
                frame::write(out, opcode::CLOSE, code, self.random.next() as u32);
                self.phase = Phase::Closing;
                if self.calls.is_empty() {
                    Ok(Progress::Nothing)
                } else {
                    Err(SERVER_CLOSED)
                }
            }
            opcode::TEXT | opcode::BINARY | opcode::CONTINUATION => self.gather(frame, now),
            _ => Err(Fault::protocol("a frame of an unknown kind")),
        }
    }

    /// Takes a frame that carries a message or a part of one.
    fn gather(&mut self, frame: &Frame, now: u64) -> Result<Progress, Fault> {
        if let Some(call) = self.calls.front_mut() {
            call.first_byte.get_or_insert(now);
            call.bytes_received += frame.size as u32;
        }
        let continues = frame.opcode == opcode::CONTINUATION;
        if continues != self.in_fragments {
            return Err(Fault::protocol("fragments of messages out of order"));
        }
        if frame.is_final && !continues {
            return Ok(Progress::Message);
        }
        if !continues {
            self.gathered.clear();
        }
        if self.gathered.len() + frame.payload.len() > REPLY_LIMIT {
            return Err(Fault::new(
                Failure::Oversized,
                "a message of more than 256 MiB",
            ));
        }
        self.gathered.extend_from_slice(frame.payload);
        self.in_fragments = !frame.is_final;
        Ok(if frame.is_final {
            Progress::Gathered
        } else {
            Progress::Nothing
        })
    }

    /// The reply has begun even if its first frame is not whole yet.
    fn note_first_byte(&mut self, input: &[u8], now: u64) {
        if let (Some(call), true) = (self.calls.front_mut(), frame::begins_message(input)) {
            call.first_byte.get_or_insert(now);
        }
    }
}

#[cfg(test)]
mod tests;
