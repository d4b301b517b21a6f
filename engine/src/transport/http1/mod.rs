//! HTTP/1.1: one call at a time on a persistent connection.

mod body;
mod head;
mod request;

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Connections, Endpoint, Request, Rpc};

use super::rpc::{self, Protocol};
use super::{Arrival, Codec, Conclusion, FoundHeader, ItemReader, Look, Lost, Reply, Start, Step};
pub use body::Body;
use body::Whole;
pub use head::{Framing, with_head};
use head::{Head, Heads, Parsed};
use request::Rendered;

/// Plain HTTP.
pub type Http1 = Http1With<Bare>;

/// The protocol over HTTP/1.1, which may be plain HTTP.
pub trait Wrapping: Send {
    /// The RPC protocol, if any.
    const RPC: Option<Rpc>;
    /// Whether a body is not encoded, and can be searched as it arrives.
    const IS_PLAIN: bool;
}

/// Plain HTTP.
pub struct Bare;

impl Wrapping for Bare {
    const RPC: Option<Rpc> = None;
    const IS_PLAIN: bool = true;
}

impl<P: Protocol> Wrapping for P {
    const RPC: Option<Rpc> = Some(P::RPC);
    const IS_PLAIN: bool = P::IS_PLAIN;
}

const IDLE: Fault = Fault::new(
    Failure::ClosedEarly,
    "the server closed the idle connection with status 408",
);

/// One connection's side of HTTP/1.1.
pub struct Http1With<W> {
    call: Option<Call>,
    /// The items of the current reply.
    items: ItemReader,
    phase: Phase,
    heads: Heads,
    body: Body,
    /// The captured headers of the current reply.
    headers: Vec<FoundHeader>,
    /// Whether the connection ends with the current reply.
    closing: bool,
    wrapping: PhantomData<W>,
}

#[derive(Clone, Copy)]
struct Call {
    id: u32,
    request: u32,
    is_head: bool,
    bytes_sent: u32,
    payload_sent: u32,
    bytes_received: usize,
    first_byte: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Body(rpc::Head),
}

impl<W: Wrapping> Codec for Http1With<W> {
    type Script = Vec<Rendered>;

    const WRONG_STATUS: Failure = match W::RPC {
        None => Failure::Status,
        Some(_) => Failure::GrpcStatus,
    };

    fn script(
        endpoint: &Endpoint,
        connections: &Connections,
        requests: &[Request],
    ) -> Vec<Rendered> {
        requests
            .iter()
            .map(|it| request::render(endpoint, connections, it, W::RPC))
            .collect()
    }

    fn put(script: &mut Vec<Rendered>, index: usize, model: u32, mut filled: Vec<Rendered>) {
        super::put(script, index, model, filled.pop());
    }

    fn new(_streams: u32, _seed: u64) -> Self {
        Self {
            call: None,
            items: ItemReader::default(),
            phase: Phase::Head,
            heads: Heads::default(),
            body: Body::default(),
            headers: Vec::new(),
            closing: false,
            wrapping: PhantomData,
        }
    }

    fn open(&mut self, _script: &Vec<Rendered>, _out: &mut Vec<u8>) -> bool {
        self.call = None;
        self.phase = Phase::Head;
        self.closing = false;
        true
    }

    #[inline]
    fn capacity(&self) -> usize {
        usize::from(self.call.is_none() && !self.closing)
    }

    #[inline]
    fn start(&mut self, script: &Vec<Rendered>, call: Start, out: &mut Vec<u8>) {
        let rendered = &script[call.request as usize];
        out.extend_from_slice(&rendered.bytes);
        self.phase = Phase::Head;
        self.items.begin(&rendered.items, call.counts);
        self.call = Some(Call {
            id: call.call,
            request: call.request,
            is_head: rendered.is_head,
            bytes_sent: rendered.bytes.len() as u32,
            payload_sent: rendered.payload_length,
            bytes_received: 0,
            first_byte: None,
        });
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Vec<Rendered>,
        input: &mut &'input [u8],
        at: &mut Arrival,
        _out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if input.is_empty() {
            return Step::NeedInput;
        }
        let Some(call) = &mut self.call else {
            return Step::Broken(match is_idle_timeout(input) {
                true => IDLE,
                false => Fault::protocol("bytes that answer no request"),
            });
        };
        call.first_byte.get_or_insert(at.now);
        while self.phase == Phase::Head {
            match self.heads.read(input, call.is_head, W::RPC.is_some()) {
                Ok(Parsed::Incomplete) => return Step::NeedInput,
                Ok(Parsed::Interim { length }) => {
                    call.bytes_received += length;
                    *input = &input[length..];
                }
                Ok(Parsed::Final(Head {
                    length,
                    framing,
                    closes,
                    meaning,
                })) => {
                    call.bytes_received += length;
                    let look = look(script, call);
                    if !look.headers.is_empty() {
                        self.headers.clear();
                        head::find(&input[..length], look, &mut self.headers);
                    }
                    *input = &input[length..];
                    self.closing = closes;
                    self.phase = Phase::Body(meaning);
                    let is_plain = W::IS_PLAIN && meaning.encoding == Encoding::Identity;
                    self.body
                        .begin(framing, self.items.is_on(), is_plain, look.whole);
                }
                Err(fault) => return Step::Broken(fault),
            }
        }
        let before = input.len();
        let look = look(script, call);
        match self.body.read(input, at, &mut self.items, look) {
            Err(fault) => Step::Broken(fault),
            Ok(None) => {
                call.bytes_received += before - input.len();
                Step::NeedInput
            }
            // HTTP/1.1 has no other way to cancel the rest.
            Ok(Some(body)) if self.items.is_satisfied() => {
                call.bytes_received += before - input.len();
                *input = &[];
                self.closing = true;
                finish::<W>(&mut self.call, &self.items, self.phase, body, &self.headers)
            }
            // As a part of the next reply, they would shift all later replies.
            Ok(Some(_)) if !input.is_empty() => {
                Step::Broken(Fault::protocol("bytes after the end of the reply"))
            }
            Ok(Some(body)) => {
                call.bytes_received += before - input.len();
                if let Err(fault) = self.items.end(at, body.bytes.is_empty()) {
                    return Step::Broken(fault);
                }
                finish::<W>(&mut self.call, &self.items, self.phase, body, &self.headers)
            }
        }
    }

    fn end_of_input(&mut self, script: &Vec<Rendered>, at: &mut Arrival) -> Step<'_> {
        let Some(call) = &mut self.call else {
            return Step::NeedInput;
        };
        let Some(body) = self.body.read_to_end(look(script, call)) else {
            return Step::NeedInput;
        };
        if let Err(fault) = self.items.end(at, body.bytes.is_empty()) {
            return Step::Broken(fault);
        }
        finish::<W>(&mut self.call, &self.items, self.phase, body, &self.headers)
    }

    fn conclude_now(&mut self, script: &Vec<Rendered>, call: u32, _out: &mut Vec<u8>) -> Step<'_> {
        let Some(here) = self.call.filter(|it| it.id == call) else {
            return Step::NeedInput;
        };
        if self.phase == Phase::Head {
            return Step::NeedInput;
        }
        self.closing = true;
        let body = self.body.end(look(script, &here));
        finish::<W>(&mut self.call, &self.items, self.phase, body, &self.headers)
    }

    fn abandon(&mut self, _call: u32, _out: &mut Vec<u8>) -> bool {
        self.call = None;
        false
    }

    fn take_call(&mut self) -> Option<Lost> {
        self.body.forget();
        self.call.take().map(|call| Lost {
            call: call.id,
            has_begun: call.first_byte.is_some(),
        })
    }

    fn has_begun(&self, call: u32) -> bool {
        self.call
            .is_some_and(|it| it.id == call && it.first_byte.is_some())
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.call.is_none()
    }

    #[inline]
    fn is_closing(&self) -> bool {
        self.closing
    }
}

/// Whether bytes without a request are those with which a server may close an idle connection
/// (RFC 9110, section 15.5.9).
fn is_idle_timeout(input: &[u8]) -> bool {
    input.starts_with(b"HTTP/1.") && input.get(8..12) == Some(b" 408")
}

/// The search for the reply to a call.
fn look<'a>(script: &'a [Rendered], call: &Call) -> &'a Look {
    &script[call.request as usize].look
}

fn finish<'a, W: Wrapping>(
    call: &mut Option<Call>,
    items: &ItemReader,
    phase: Phase,
    Whole { bytes: body, long }: Whole<'a>,
    headers: &'a [FoundHeader],
) -> Step<'a> {
    let (Some(call), Phase::Body(head)) = (call.take(), phase) else {
        return Step::NeedInput;
    };
    let status = head.http_status;
    let conclusion = match W::RPC.map(|rpc| rpc::read(rpc, head, body)) {
        None => Conclusion {
            status,
            success: (200..300).contains(&status),
            body,
            encoding: head.encoding,
            message: Cow::Borrowed(&[]),
        },
        Some(Ok(conclusion)) => conclusion,
        Some(Err(fault)) => {
            return Step::Failed {
                call: call.id,
                fault,
            };
        }
    };
    let reply = Reply {
        first_byte: call.first_byte.unwrap_or(0),
        bytes_sent: call.bytes_sent,
        bytes_received: u32::try_from(call.bytes_received).unwrap_or(u32::MAX),
        long,
        headers,
        payload_sent: call.payload_sent,
        items: items.items,
        items_sent: u32::from(items.is_on()),
        ..Reply::from(conclusion)
    };
    Step::Replied {
        call: call.id,
        reply,
    }
}

#[cfg(test)]
mod tests;
