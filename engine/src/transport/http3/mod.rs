//! HTTP/3: concurrent calls on a connection, each on its own QUIC stream. QUIC is in `quic`; this
//! module handles pieces of streams.

mod control;
pub mod error;
pub mod frame;
mod incoming;
pub mod piece;
pub mod qpack;
mod script;

use std::collections::HashMap;

use crate::failure::{Failure, Fault};
use crate::job::{Connections, Endpoint, Request};

use super::http2::{Dialect, Plain};
use super::{Arrival, Codec, Lost, REFUSED, Reply, Start, Step};
use control::Control;
use error::{ConnectionError, Error};
use incoming::Incoming;
use piece::{Kind, Piece};
use script::Script;

/// The first unidirectional stream of a client: its control stream.
const CONTROL: u64 = 2;
/// The difference between the numbers of consecutive call streams.
const APART: u64 = 4;
/// The bit of stream numbers for unidirectional streams.
const ONE_WAY: u64 = 2;
/// The bit of stream numbers for streams opened by the server.
const BY_SERVER: u64 = 1;

const REQUESTED: ConnectionError =
    ConnectionError::new(error::STREAM_CREATION_ERROR, "a request from the server");

/// One connection's side of HTTP/3.
pub struct Http3 {
    limit: usize,
    /// Calls in flight, by the number of their stream.
    calls: HashMap<u64, Call>,
    /// The states of ended calls, for reuse.
    spare: Vec<Incoming>,
    /// The last ended call; its response is readable until the next one ends.
    ended: Incoming,
    /// The next stream for a call.
    next: u64,
    allowed: u64,
    is_open: bool,
    /// Whether the server has not allowed more calls in time.
    is_starved: bool,
    /// Whether it has been reported that the server accepts no more calls.
    is_told: bool,
    decoder: qpack::Decoder,
    control: Control,
}

struct Call {
    id: u32,
    request: u32,
    first_byte: Option<u64>,
    bytes_received: usize,
    incoming: Incoming,
}

impl Codec for Http3 {
    type Script = Script;

    const WRONG_STATUS: Failure = Failure::Status;

    fn script(endpoint: &Endpoint, connections: &Connections, requests: &[Request]) -> Script {
        script::render(endpoint, connections, requests)
    }

    fn put(script: &mut Script, index: usize, model: u32, mut filled: Script) {
        super::put(script, index, model, filled.pop());
    }

    fn new(streams: u32, _seed: u64) -> Self {
        let limit = streams as usize;
        Self {
            limit,
            calls: HashMap::with_capacity(2 * limit),
            spare: Vec::with_capacity(limit),
            ended: Incoming::default(),
            next: 0,
            allowed: 0,
            is_open: false,
            is_starved: false,
            is_told: false,
            decoder: qpack::Decoder::default(),
            control: Control::default(),
        }
    }

    fn open(&mut self, _script: &Script, out: &mut Vec<u8>) -> bool {
        self.calls.clear();
        self.next = 0;
        self.allowed = 0;
        self.is_open = false;
        self.is_starved = false;
        self.is_told = false;
        self.control.clear();
        let mut bytes = Vec::new();
        frame::write_number(&mut bytes, frame::CONTROL);
        frame::write(&mut bytes, frame::SETTINGS, &[]);
        let opening = Piece {
            stream: CONTROL,
            kind: Kind::Part,
            bytes: &bytes,
        };
        opening.write(out);
        // The server's limit of calls must be known before the first one.
        false
    }

    #[inline]
    fn capacity(&self) -> usize {
        if self.is_closing() {
            return 0;
        }
        let allowed = self.allowed.saturating_sub(self.next) / APART;
        let free = self.limit.saturating_sub(self.calls.len());
        free.min(usize::try_from(allowed).unwrap_or(usize::MAX))
    }

    #[inline]
    fn start(&mut self, script: &Script, call: Start, out: &mut Vec<u8>) {
        let (stream, rendered) = (self.next, &script[call.request as usize]);
        self.next += APART;
        let asking = Piece {
            stream,
            kind: Kind::Last,
            bytes: &rendered.bytes,
        };
        asking.write(out);
        let mut incoming = self.spare.pop().unwrap_or_default();
        incoming.clear(&rendered.items, call.counts);
        let call = Call {
            id: call.call,
            request: call.request,
            first_byte: None,
            bytes_received: 0,
            incoming,
        };
        self.calls.insert(stream, call);
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Script,
        input: &mut &'input [u8],
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Step<'reply> {
        loop {
            if self.is_open && self.is_closing() && !self.is_told {
                self.is_told = true;
                return Step::Closing;
            }
            if let Some(call) = self.take_refused() {
                let fault = REFUSED;
                return Step::Failed { call, fault };
            }
            let Some(piece) = Piece::take(input) else {
                return Step::NeedInput;
            };
            if piece.kind == Kind::Allowed {
                self.allowed = piece.stream;
                self.is_starved = self.allowed <= self.next;
                let was_open = std::mem::replace(&mut self.is_open, true);
                return if was_open {
                    Step::Widened
                } else {
                    Step::Opened
                };
            }
            if piece.stream & ONE_WAY != 0 {
                if let Err(error) = self.control.take(&piece) {
                    return broken(error, out);
                }
                continue;
            }
            if piece.stream & BY_SERVER != 0 {
                return broken(REQUESTED, out);
            }
            let Some(call) = self.calls.get_mut(&piece.stream) else {
                continue;
            };
            call.first_byte.get_or_insert(at.now);
            call.bytes_received += piece.bytes.len();
            let taken = match piece.kind {
                Kind::Reset => Err(reset(&piece).into()),
                _ => {
                    let look = &script[call.request as usize].look;
                    call.incoming.take(piece.bytes, at, &mut self.decoder, look)
                }
            };
            let ended = match taken {
                Ok(false) if piece.kind == Kind::Part => continue,
                Ok(false) => call.incoming.end(at),
                Ok(true) => {
                    call.incoming.response.is_cut = true;
                    Ok(())
                }
                Err(error) => Err(error),
            };
            let ended = match ended {
                Ok(()) => Ok(()),
                Err(Error::Stream(fault)) => Err(fault),
                Err(Error::Connection(error)) => return broken(error, out),
            };
            let is_over = piece.kind == Kind::Last;
            return self.conclude(script, piece.stream, is_over, ended, out);
        }
    }

    fn conclude_now(&mut self, script: &Script, call: u32, out: &mut Vec<u8>) -> Step<'_> {
        let mut calls = self.calls.iter_mut();
        let Some((&stream, call)) = calls.find(|(_, other)| other.id == call) else {
            return Step::NeedInput;
        };
        call.incoming.response.is_cut = true;
        self.conclude(script, stream, false, Ok(()), out)
    }

    fn abandon(&mut self, call: u32, out: &mut Vec<u8>) -> bool {
        let mut calls = self.calls.iter();
        if let Some((&stream, _)) = calls.find(|(_, other)| other.id == call) {
            self.calls.remove(&stream);
            cancel(stream, error::REQUEST_CANCELLED, out);
        }
        true
    }

    fn take_call(&mut self) -> Option<Lost> {
        let stream = *self.calls.keys().next()?;
        self.calls.remove(&stream).map(|call| Lost {
            call: call.id,
            has_begun: call.first_byte.is_some(),
        })
    }

    fn has_begun(&self, call: u32) -> bool {
        let mut calls = self.calls.values();
        calls.any(|other| other.id == call && other.first_byte.is_some())
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.calls.is_empty()
    }

    #[inline]
    fn is_closing(&self) -> bool {
        self.control.goaway.is_some() || self.is_starved
    }
}

impl Http3 {
    /// Ends the call of a stream: builds its reply, or its fault. Cancels the stream unless both
    /// the server has ended it (`is_over`) and the reply is valid.
    fn conclude(
        &mut self,
        script: &Script,
        stream: u64,
        is_over: bool,
        ended: Result<(), Fault>,
        out: &mut Vec<u8>,
    ) -> Step<'_> {
        let Some(mut call) = self.calls.remove(&stream) else {
            return Step::NeedInput;
        };
        let id = call.id;
        let look = &script[call.request as usize].look;
        call.incoming.response.end_body(look);
        let before = std::mem::replace(&mut self.ended, call.incoming);
        self.spare.push(before);
        let rendered = &script[call.request as usize];
        let response = &self.ended.response;
        match ended.and_then(|()| Plain::conclude(response, rendered.is_head)) {
            Err(fault) => {
                cancel(stream, code_of(&fault), out);
                Step::Failed { call: id, fault }
            }
            Ok(conclusion) => {
                if !is_over {
                    cancel(stream, error::REQUEST_CANCELLED, out);
                }
                let has_sent = rendered.payload_length > 0 && response.items.is_on();
                let reply = Reply {
                    first_byte: call.first_byte.unwrap_or(0),
                    bytes_sent: rendered.bytes.len() as u32,
                    bytes_received: u32::try_from(call.bytes_received).unwrap_or(u32::MAX),
                    payload_sent: rendered.payload_length,
                    long: response.long,
                    headers: &response.found,
                    items: response.items.items,
                    items_sent: u32::from(has_sent),
                    ..Reply::from(conclusion)
                };
                Step::Replied { call: id, reply }
            }
        }
    }

    /// A call that the server will not serve (GOAWAY).
    fn take_refused(&mut self) -> Option<u32> {
        let first = self.control.goaway?;
        let stream = *self.calls.keys().find(|stream| **stream >= first)?;
        self.calls.remove(&stream).map(|call| call.id)
    }
}

/// Ends the connection with an error; nothing else is sent.
fn broken(error: ConnectionError, out: &mut Vec<u8>) -> Step<'static> {
    out.clear();
    Piece::write_error(0, Kind::Close, error.code, out);
    Step::Broken(error.fault)
}

/// Cancels a stream.
fn cancel(stream: u64, code: u32, out: &mut Vec<u8>) {
    Piece::write_error(stream, Kind::Reset, code, out);
}

/// The code with which the stream of a failed call is cancelled.
fn code_of(fault: &Fault) -> u32 {
    match fault.failure {
        Failure::ProtocolError => error::MESSAGE_ERROR,
        _ => error::REQUEST_CANCELLED,
    }
}

/// The fault of a stream that the server has reset.
fn reset(piece: &Piece) -> Fault {
    Fault::new(Failure::StreamReset, error::name(piece.code()))
}

#[cfg(test)]
mod tests;
