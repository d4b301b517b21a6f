//! WebSocket: requests and replies are messages, answered in the order in which they were sent.

pub mod frame;
mod handshake;
mod receive;
mod utf8;

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::encoding::Encoding;
use crate::failure::Failure;
use crate::job::{Connections, Endpoint, Request};
use crate::random::Random;

use super::{
    Arrival, Bulk, Codec, ItemReader, Items, Look, Lost, Owed, Reply, Start, Step, Summary,
};
use frame::opcode;
pub use handshake::accept;
use handshake::{Handshake, Invitation};
use receive::{Progress, UNASKED};
use utf8::Utf8;

/// The messages of a run.
pub struct Script {
    invitation: Invitation,
    messages: Vec<Message>,
    /// Sent once, after the handshake.
    subscription: Option<Message>,
    /// The number of messages that answer the subscription, before the first call.
    answers: u32,
    /// The number of messages with which the server greets, before the first call.
    greetings: u32,
    /// Whether the server pushes messages: one that answers no call is skipped.
    is_pushed_to: bool,
    /// The search for skipped messages, which finds nothing.
    nothing: Look,
}

#[derive(Clone)]
struct Message {
    opcode: u8,
    payload: Vec<u8>,
    /// The reader of items, if the reply is a stream.
    stream: Option<ItemReader>,
    is_sent: bool,
    look: Look,
}

impl Message {
    fn new(body: &[u8], binary: bool, look: Look) -> Self {
        Self {
            opcode: if binary { opcode::BINARY } else { opcode::TEXT },
            payload: body.to_vec(),
            stream: None,
            is_sent: true,
            look,
        }
    }
}

/// One connection's side of WebSocket.
pub struct Websocket {
    phase: Phase,
    limit: usize,
    /// The calls in flight, the oldest first.
    calls: VecDeque<Call>,
    /// The received part of a message in fragments or in a long frame.
    gathered: Bulk,
    in_fragments: bool,
    /// The missing bytes of a long frame.
    missing: usize,
    is_last: bool,
    /// Whether the message in parts is a text message.
    is_text: bool,
    utf8: Utf8,
    /// The call that was waiting when this message began.
    owner: Option<u32>,
    /// The received messages of a streamed reply.
    stream: Bulk,
    /// Whether the message that follows answers no call.
    is_unasked: bool,
    /// Unsent answers to pings.
    owed: Owed,
    random: Random,
}

enum Phase {
    Opening(Handshake),
    /// This number of greetings is missing.
    Greeting(u32),
    /// This number of answers to the subscription is missing.
    Subscribing(u32),
    Open,
    /// A close frame has been sent and not been answered.
    Leaving,
    /// Both sides have sent a close frame.
    Closing,
}

struct Call {
    id: u32,
    request: u32,
    bytes_sent: u32,
    payload_sent: u32,
    bytes_received: u32,
    first_byte: Option<u64>,
    stream: Option<ItemReader>,
    /// Whether a message of its stream has begun.
    has_begun: bool,
    items_sent: u32,
}

impl Call {
    /// Counts received bytes of its reply.
    fn count(&mut self, bytes: usize) {
        self.bytes_received = self.bytes_received.saturating_add(bytes as u32);
    }

    fn reply<'a>(&self, body: &'a [u8], long: Option<Summary>) -> Reply<'a> {
        Reply {
            status: 0,
            success: true,
            body,
            long,
            encoding: Encoding::Identity,
            message: Cow::Borrowed(&[]),
            headers: &[],
            first_byte: self.first_byte.unwrap_or(0),
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            payload_sent: self.payload_sent,
            items: self.stream.as_ref().map_or(Items::default(), |it| it.items),
            items_sent: self.items_sent,
        }
    }
}

impl Codec for Websocket {
    type Script = Script;

    const WRONG_STATUS: Failure = Failure::Status;

    fn script(endpoint: &Endpoint, connections: &Connections, requests: &[Request]) -> Script {
        let kept = connections.kept_bytes;
        let message = |request: &Request| Message {
            stream: request.stream.as_ref().map(|it| ItemReader::new(Some(it))),
            is_sent: request.stream.as_ref().is_none_or(|it| it.send > 0),
            ..Message::new(&request.body, request.binary, Look::new(request, kept))
        };
        let subscription = endpoint.subscribe.as_ref();
        Script {
            invitation: Invitation::new(endpoint),
            messages: requests.iter().map(message).collect(),
            subscription: subscription
                .map(|it| Message::new(&it.body, it.binary, Look::for_texts(&[], kept))),
            answers: subscription.map_or(0, |it| it.answers),
            greetings: endpoint.greetings,
            is_pushed_to: requests.iter().any(|request| request.stream.is_some()),
            nothing: Look::for_texts(&[], kept),
        }
    }

    fn put(script: &mut Script, index: usize, model: u32, mut filled: Script) {
        super::put(&mut script.messages, index, model, filled.messages.pop());
    }

    fn new(streams: u32, seed: u64) -> Self {
        Self {
            phase: Phase::Closing,
            limit: streams as usize,
            calls: VecDeque::with_capacity(streams as usize),
            gathered: Bulk::default(),
            in_fragments: false,
            missing: 0,
            is_last: false,
            is_text: false,
            utf8: Utf8::default(),
            owner: None,
            stream: Bulk::default(),
            is_unasked: false,
            owed: Owed::default(),
            random: Random::new(seed),
        }
    }

    fn open(&mut self, script: &Script, out: &mut Vec<u8>) -> bool {
        self.calls.clear();
        self.in_fragments = false;
        self.missing = 0;
        self.is_unasked = false;
        self.owed.clear();
        self.phase = Phase::Opening(script.invitation.write(&mut self.random, out));
        false
    }

    #[inline]
    fn capacity(&self) -> usize {
        match self.phase {
            Phase::Open if !self.is_unasked => self.limit.saturating_sub(self.calls.len()),
            _ => 0,
        }
    }

    #[inline]
    fn start(&mut self, script: &Script, call: Start, out: &mut Vec<u8>) {
        let message = &script.messages[call.request as usize];
        let before = out.len();
        if message.is_sent {
            self.write(message, out);
        }
        let payload_sent = if message.is_sent {
            message.payload.len() as u32
        } else {
            0
        };
        let stream = message.stream.as_ref().map(|model| {
            let mut items = ItemReader::default();
            items.begin(model, call.counts);
            items
        });
        self.calls.push_back(Call {
            id: call.call,
            request: call.request,
            bytes_sent: (out.len() - before) as u32,
            payload_sent,
            bytes_received: 0,
            first_byte: None,
            stream,
            has_begun: false,
            items_sent: u32::from(message.is_sent && message.stream.is_some()),
        });
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Script,
        input: &mut &'input [u8],
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if let Phase::Opening(handshake) = &self.phase {
            return match handshake.read(input) {
                Ok(false) => Step::NeedInput,
                Ok(true) => match script.greetings {
                    0 => self.subscribe(script, input, at, out),
                    greetings => {
                        self.phase = Phase::Greeting(greetings);
                        self.step(script, input, at, out)
                    }
                },
                Err(fault) => Step::Broken(fault),
            };
        }
        if self.is_unasked {
            return Step::Broken(UNASKED);
        }
        loop {
            let progress = match self.receive(script, input, at.now, out) {
                Ok(Some(progress)) => progress,
                Ok(None) => {
                    self.note_first_byte(input, at.now);
                    return Step::NeedInput;
                }
                Err(fault) => return Step::Broken(fault),
            };
            if matches!(progress, Progress::Nothing) {
                continue;
            }
            match &mut self.phase {
                Phase::Greeting(1) => return self.subscribe(script, input, at, out),
                Phase::Subscribing(1) => return self.opened(script, input),
                Phase::Greeting(missing) | Phase::Subscribing(missing) => {
                    *missing -= 1;
                    continue;
                }
                _ => {}
            }
            let is_gathered = matches!(progress, Progress::Gathered);
            let Some(call) = self.calls.front_mut() else {
                continue;
            };
            if is_gathered && self.owner != Some(call.id) {
                continue; // It began before any call was waiting.
            }
            let look = &script.messages[call.request as usize].look;
            if let Some(items) = &mut call.stream {
                if let Progress::Message(payload) = progress {
                    if !std::mem::replace(&mut call.has_begun, true) {
                        self.stream.clear();
                    }
                    let taken = self.stream.take(payload, look);
                    if let Err(fault) = taken.and_then(|()| items.keep(payload)) {
                        return Step::Broken(fault);
                    }
                }
                items.found(at);
                if !items.is_satisfied() {
                    continue;
                }
            }
            let Some(call) = self.calls.pop_front() else {
                continue;
            };
            self.look_ahead(script, input);
            let (body, long) = match progress {
                _ if call.stream.is_some() => {
                    let long = self.stream.end(look);
                    (&*self.stream, long)
                }
                Progress::Message(payload) => (payload, None),
                _ => {
                    let long = self.gathered.end(look);
                    (&*self.gathered, long)
                }
            };
            return Step::Replied {
                call: call.id,
                reply: call.reply(body, long),
            };
        }
    }

    fn conclude_now(&mut self, script: &Script, call: u32, _out: &mut Vec<u8>) -> Step<'_> {
        let Some(index) = self.calls.iter().position(|it| it.id == call) else {
            return Step::NeedInput;
        };
        let Some(call) = self.calls.remove(index) else {
            return Step::NeedInput;
        };
        // The rest of a message belongs to no call.
        if self.owner == Some(call.id) {
            self.owner = None;
            self.gathered.clear();
        }
        if !call.has_begun {
            self.stream.clear();
        }
        let look = &script.messages[call.request as usize].look;
        let long = self.stream.end(look);
        Step::Replied {
            call: call.id,
            reply: call.reply(&self.stream, long),
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

    fn close(&mut self, out: &mut Vec<u8>) -> bool {
        if !matches!(self.phase, Phase::Open) {
            return false;
        }
        let mask = self.random.next() as u32;
        frame::write(out, opcode::CLOSE, &frame::NORMAL_CLOSURE, mask);
        self.phase = Phase::Leaving;
        true
    }

    fn awaits_end(&self) -> bool {
        matches!(self.phase, Phase::Leaving)
    }
}

impl Websocket {
    /// The server expects the client's first message.
    fn subscribe<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Script,
        input: &mut &'input [u8],
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if let Some(message) = &script.subscription {
            self.write(message, out);
        }
        if script.answers == 0 {
            return self.opened(script, input);
        }
        self.phase = Phase::Subscribing(script.answers);
        self.step(script, input, at, out)
    }

    /// The connection takes calls.
    fn opened(&mut self, script: &Script, input: &[u8]) -> Step<'static> {
        self.phase = Phase::Open;
        self.look_ahead(script, input);
        Step::Opened
    }

    /// Notes that a message without a call follows: it would be mistaken for the reply to the next
    /// call, and shift all later ones.
    fn look_ahead(&mut self, script: &Script, input: &[u8]) {
        let is_expected = !self.calls.is_empty() || script.is_pushed_to;
        self.is_unasked = !is_expected && frame::leads_to_message(input);
    }

    fn write(&mut self, message: &Message, out: &mut Vec<u8>) {
        let mask = self.random.next() as u32;
        frame::write(out, message.opcode, &message.payload, mask);
    }
}

#[cfg(test)]
mod tests;
