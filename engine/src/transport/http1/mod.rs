//! HTTP/1.1: one call at a time on a connection that is kept open.

mod body;
mod head;
mod request;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Connections, Request, Target};

use super::{Codec, Reply, Step};
use body::Body;
use head::{Head, Parsed};
use request::Rendered;

pub struct Http1 {
    call: Option<Call>,
    phase: Phase,
    body: Body,
    /// The connection ends with the reply at hand.
    closing: bool,
}

#[derive(Clone, Copy)]
struct Call {
    id: u32,
    is_head: bool,
    bytes_sent: u32,
    payload_sent: u32,
    bytes_received: usize,
    first_byte: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Body { status: u16, encoding: Encoding },
}

impl Codec for Http1 {
    type Script = Vec<Rendered>;

    const WRONG_STATUS: Failure = Failure::Status;

    fn script(target: &Target, connections: &Connections, requests: &[Request]) -> Vec<Rendered> {
        requests
            .iter()
            .map(|it| request::render(target, connections.reuse, it))
            .collect()
    }

    fn new(_streams: u32, _seed: u64) -> Self {
        Self {
            call: None,
            phase: Phase::Head,
            body: Body::default(),
            closing: false,
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
    fn start(&mut self, script: &Vec<Rendered>, call: u32, request: u32, out: &mut Vec<u8>) {
        let rendered = &script[request as usize];
        out.extend_from_slice(&rendered.bytes);
        self.phase = Phase::Head;
        self.call = Some(Call {
            id: call,
            is_head: rendered.is_head,
            bytes_sent: rendered.bytes.len() as u32,
            payload_sent: rendered.payload_length,
            bytes_received: 0,
            first_byte: None,
        });
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        _script: &Vec<Rendered>,
        input: &mut &'input [u8],
        now: u64,
        _out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if input.is_empty() {
            return Step::NeedInput;
        }
        let Some(call) = &mut self.call else {
            return Step::Broken(Fault::protocol("bytes that answer no request"));
        };
        call.first_byte.get_or_insert(now);
        while self.phase == Phase::Head {
            match head::parse(input, call.is_head) {
                Ok(Parsed::Incomplete) => return Step::NeedInput,
                Ok(Parsed::Interim { length }) => {
                    call.bytes_received += length;
                    *input = &input[length..];
                }
                Ok(Parsed::Final(Head {
                    length,
                    status,
                    framing,
                    encoding,
                    closes,
                })) => {
                    call.bytes_received += length;
                    *input = &input[length..];
                    self.closing = closes;
                    self.phase = Phase::Body { status, encoding };
                    self.body.begin(framing);
                }
                Err(fault) => return Step::Broken(fault),
            }
        }
        let before = input.len();
        match self.body.read(input) {
            Err(fault) => Step::Broken(fault),
            Ok(None) => {
                call.bytes_received += before - input.len();
                Step::NeedInput
            }
            // Taken for the next reply, they would put all that follow out of step.
            Ok(Some(_)) if !input.is_empty() => {
                Step::Broken(Fault::protocol("bytes after the end of the reply"))
            }
            Ok(Some(body)) => {
                call.bytes_received += before - input.len();
                finish(&mut self.call, self.phase, body)
            }
        }
    }

    fn end_of_input(&mut self) -> Step<'_> {
        let Some(body) = self.body.read_to_end() else {
            return Step::NeedInput;
        };
        finish(&mut self.call, self.phase, body)
    }

    fn abandon(&mut self, _call: u32, _out: &mut Vec<u8>) -> bool {
        self.call = None;
        false
    }

    fn take_call(&mut self) -> Option<u32> {
        self.body.forget();
        self.call.take().map(|call| call.id)
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

fn finish<'a>(call: &mut Option<Call>, phase: Phase, body: &'a [u8]) -> Step<'a> {
    let (Some(call), Phase::Body { status, encoding }) = (call.take(), phase) else {
        return Step::NeedInput;
    };
    let reply = Reply {
        status,
        success: (200..300).contains(&status),
        body,
        encoding,
        message: &[],
        first_byte: call.first_byte.unwrap_or(0),
        bytes_sent: call.bytes_sent,
        bytes_received: call.bytes_received as u32,
        payload_sent: call.payload_sent,
    };
    Step::Replied {
        call: call.id,
        reply,
    }
}

#[cfg(test)]
mod tests;
