//! WebSocket: requests and replies are messages, answered in the order in which they were sent.

pub mod frame;
mod handshake;

use std::collections::VecDeque;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Connections, Endpoint, Request};
use crate::random::Random;

use super::{Codec, ItemReader, Items, Lost, Owed, REPLY_LIMIT, Reply, Step};
use frame::{Frame, opcode};
pub use handshake::accept;
use handshake::{Handshake, Invitation};

const SERVER_CLOSED: Fault = Fault::new(
    Failure::ClosedEarly,
    "the server closed the WebSocket before it replied",
);

const UNASKED: Fault = Fault::protocol("a message that answers no request");
/// The protocol demands that the connection is failed then.
const NOT_TEXT: Fault = Fault::new(
    Failure::InvalidUtf8,
    "a message that calls itself text and is not UTF-8",
);
const TOO_LARGE: Fault = Fault::new(Failure::Oversized, "a message of more than 256 MiB");

pub struct Script {
    invitation: Invitation,
    messages: Vec<Message>,
    /// Sent once, after the handshake.
    subscription: Option<Message>,
    /// Messages come by themselves: one that nobody waits for is passed over.
    is_pushed_to: bool,
}

struct Message {
    opcode: u8,
    payload: Vec<u8>,
    /// How many messages the reply consists of, if it is a stream.
    stream: Option<ItemReader>,
    is_sent: bool,
}

impl Message {
    fn new(body: &[u8], binary: bool) -> Self {
        Self {
            opcode: if binary { opcode::BINARY } else { opcode::TEXT },
            payload: body.to_vec(),
            stream: None,
            is_sent: true,
        }
    }
}

pub struct Websocket {
    phase: Phase,
    limit: usize,
    /// Those that wait for their reply, the first one first.
    calls: VecDeque<Call>,
    /// What has been gathered of a message that comes in fragments.
    gathered: Vec<u8>,
    in_fragments: bool,
    /// Whether the message that comes in fragments calls itself text.
    is_text: bool,
    /// The messages so far of a reply that consists of several.
    stream: Vec<u8>,
    /// Answers to pings that have not left yet.
    owed: Owed,
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
    stream: Option<ItemReader>,
    items_sent: u32,
}

impl Call {
    fn reply<'a>(&self, body: &'a [u8]) -> Reply<'a> {
        Reply {
            status: 0,
            success: true,
            body,
            long: None,
            encoding: Encoding::Identity,
            message: &[],
            first_byte: self.first_byte.unwrap_or(0),
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            payload_sent: self.payload_sent,
            items: self.stream.map_or(Items::default(), |it| it.items),
            items_sent: self.items_sent,
        }
    }
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

    fn script(endpoint: &Endpoint, _connections: &Connections, requests: &[Request]) -> Script {
        let message = |request: &Request| Message {
            stream: request.stream.as_ref().map(|it| ItemReader::new(Some(it))),
            is_sent: request.stream.as_ref().is_none_or(|it| it.send > 0),
            ..Message::new(&request.body, request.binary)
        };
        let subscription = endpoint.subscribe.as_ref();
        Script {
            invitation: Invitation::new(endpoint),
            messages: requests.iter().map(message).collect(),
            subscription: subscription.map(|it| Message::new(&it.body, it.binary)),
            is_pushed_to: requests.iter().any(|request| request.stream.is_some()),
        }
    }

    fn new(streams: u32, seed: u64) -> Self {
        Self {
            phase: Phase::Closing,
            limit: streams as usize,
            calls: VecDeque::with_capacity(streams as usize),
            gathered: Vec::new(),
            in_fragments: false,
            is_text: false,
            stream: Vec::new(),
            owed: Owed::default(),
            random: Random::new(seed),
        }
    }

    fn open(&mut self, script: &Script, out: &mut Vec<u8>) -> bool {
        self.calls.clear();
        self.in_fragments = false;
        self.owed.clear();
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
        if message.is_sent {
            self.write(message, out);
        }
        let payload_sent = if message.is_sent {
            message.payload.len() as u32
        } else {
            0
        };
        self.calls.push_back(Call {
            id: call,
            bytes_sent: (out.len() - before) as u32,
            payload_sent,
            bytes_received: 0,
            first_byte: None,
            stream: message.stream,
            items_sent: u32::from(message.is_sent && message.stream.is_some()),
        });
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Script,
        input: &mut &'input [u8],
        now: u64,
        out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if let Phase::Opening(handshake) = &self.phase {
            return match handshake.read(input) {
                Ok(false) => Step::NeedInput,
                Ok(true) => {
                    self.phase = Phase::Open;
                    if let Some(message) = &script.subscription {
                        self.write(message, out);
                    }
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
            let (body, is_text) = match self.receive(&frame, now, out) {
                Ok(Progress::Nothing) => continue,
                Ok(Progress::Message) => (frame.payload, frame.opcode == opcode::TEXT),
                Ok(Progress::Gathered) => (self.gathered.as_slice(), self.is_text),
                Err(fault) => return Step::Broken(fault),
            };
            // A second message to a single request would be taken for the next one's reply.
            let is_surplus = self.calls.len() <= 1 && frame::begins_message(input);
            let Some(call) = self.calls.front_mut() else {
                if script.is_pushed_to {
                    continue;
                }
                return Step::Broken(UNASKED);
            };
            if is_surplus && !script.is_pushed_to {
                return Step::Broken(UNASKED);
            }
            if is_text && std::str::from_utf8(body).is_err() {
                return Step::Broken(NOT_TEXT);
            }
            if let Some(items) = &mut call.stream {
                if items.items.count == 0 {
                    self.stream.clear();
                }
                if self.stream.len() + body.len() > REPLY_LIMIT {
                    return Step::Broken(TOO_LARGE);
                }
                self.stream.extend_from_slice(body);
                items.items.add(now);
                if !items.is_satisfied() {
                    continue;
                }
            }
            let call = *call;
            self.calls.pop_front();
            let body = if call.stream.is_some() {
                self.stream.as_slice()
            } else if frame.is_final && frame.opcode != opcode::CONTINUATION {
                frame.payload
            } else {
                self.gathered.as_slice()
            };
            return Step::Replied {
                call: call.id,
                reply: call.reply(body),
            };
        }
    }

    fn conclude_now(&mut self, _script: &Script, call: u32, _out: &mut Vec<u8>) -> Step<'_> {
        let Some(place) = self.calls.iter().position(|it| it.id == call) else {
            return Step::NeedInput;
        };
        let Some(call) = self.calls.remove(place) else {
            return Step::NeedInput;
        };
        let has_items = call.stream.is_some_and(|it| it.items.count > 0);
        let body = if has_items {
            self.stream.as_slice()
        } else {
            &[]
        };
        Step::Replied {
            call: call.id,
            reply: call.reply(body),
        }
    }

    fn abandon(&mut self, call: u32, _out: &mut Vec<u8>) -> bool {
        self.calls.retain(|other| other.id != call);
        false
    }

    fn take_call(&mut self) -> Option<Lost> {
        self.calls.pop_front().map(|call| Lost {
            call: call.id,
            has_begun: call.first_byte.is_some(),
        })
    }

    fn has_begun(&self, call: u32) -> bool {
        self.calls
            .iter()
            .any(|it| it.id == call && it.first_byte.is_some())
    }

    #[inline]
    fn drained(&mut self) {
        self.owed.clear();
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
    fn write(&mut self, message: &Message, out: &mut Vec<u8>) {
        let mask = self.random.next() as u32;
        frame::write(out, message.opcode, &message.payload, mask);
    }

    /// Answers a frame that asks for it.
    fn answer(&mut self, opcode: u8, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let before = out.len();
        frame::write(out, opcode, payload, self.random.next() as u32);
        self.owed.add(out.len() - before)
    }

    fn receive(&mut self, frame: &Frame, now: u64, out: &mut Vec<u8>) -> Result<Progress, Fault> {
        match frame.opcode {
            opcode::PING => {
                self.answer(opcode::PONG, frame.payload, out)?;
                Ok(Progress::Nothing)
            }
            opcode::PONG => Ok(Progress::Nothing),
            opcode::CLOSE => {
                // The answer repeats the code; without one it is empty.
                let code = &frame.payload[..frame.payload.len().min(2)];
                self.answer(opcode::CLOSE, code, out)?;
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
            self.is_text = frame.opcode == opcode::TEXT;
        }
        if self.gathered.len() + frame.payload.len() > REPLY_LIMIT {
            return Err(TOO_LARGE);
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
