//! Protocols as state machines without input or output: bytes and the time go in, bytes and
//! steps come out. A transport is one file or folder here and one line in `worker::start`.

mod bulk;
pub mod grpc;
pub mod http1;
pub mod http2;
pub mod http3;
pub mod items;
mod line;
mod owed;
pub mod rpc;
pub mod websocket;

use std::borrow::Cow;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Connections, Endpoint, Request};

pub use bulk::{Bulk, Look, Summary};
pub use items::{Arrival, ItemReader, Items};
pub use line::{Line, read_after};
pub use owed::Owed;

/// The fault of a request on a connection that the server has closed gracefully.
const REFUSED: Fault = Fault::new(
    Failure::Goaway,
    "the server closed the connection (GOAWAY) before it served the request",
);

/// One connection's side of a protocol.
pub trait Codec: Sized + Send {
    /// The requests of the job rendered for this protocol, once for all connections.
    type Script: Send + Sync;

    /// The class of a reply with an unexpected status.
    const WRONG_STATUS: Failure;

    /// Renders the requests.
    fn script(endpoint: &Endpoint, connections: &Connections, requests: &[Request])
    -> Self::Script;

    /// Puts the only request of another script at an index of this one, which may lie after all
    /// others. It equals the request `model` except for captured values.
    fn put(script: &mut Self::Script, index: usize, model: u32, filled: Self::Script);

    /// The state for one slot of the pool; `seed` differs between slots.
    fn new(streams: u32, seed: u64) -> Self;

    /// Begins a new connection: resets the state and appends the protocol's opening. True if calls
    /// may start at once; otherwise `Step::Opened` follows.
    fn open(&mut self, script: &Self::Script, out: &mut Vec<u8>) -> bool;

    /// How many more calls may start now.
    fn capacity(&self) -> usize;

    /// Starts a call; allowed only while there is capacity.
    fn start(&mut self, script: &Self::Script, call: Start, out: &mut Vec<u8>);

    /// Handles received bytes up to the next step, removing them from the front of `input`. The
    /// remaining input is passed again, with more bytes after it.
    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Self::Script,
        input: &mut &'input [u8],
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Step<'reply>;

    /// Handles the end of the server's direction, which ends some replies.
    fn end_of_input(&mut self, _script: &Self::Script, _at: &mut Arrival) -> Step<'_> {
        Step::NeedInput
    }

    /// Ends a streamed reply with the items received so far.
    fn conclude_now(&mut self, _script: &Self::Script, _call: u32, _out: &mut Vec<u8>) -> Step<'_> {
        Step::NeedInput
    }

    /// Cancels a call. False if the connection cannot be used any more.
    fn abandon(&mut self, call: u32, out: &mut Vec<u8>) -> bool;

    /// Removes and returns a call; all of them, one by one, after the connection is lost.
    fn take_call(&mut self) -> Option<Lost>;

    /// Whether a part of the reply to a call has arrived.
    fn has_begun(&self, call: u32) -> bool;

    /// Whether no call is in flight.
    fn is_idle(&self) -> bool;

    /// Whether the connection ends when its calls have ended.
    fn is_closing(&self) -> bool;

    /// Notes that all appended bytes have been sent.
    #[inline]
    fn drained(&mut self) {}

    /// Appends the protocol's graceful end of the connection, if it has one. True if the server
    /// answers it.
    fn close(&mut self, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Whether the server has not answered the end of the connection yet.
    fn awaits_end(&self) -> bool {
        false
    }
}

/// A call to start.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub call: u32,
    pub request: u32,
    /// Whether the gaps between its items are counted.
    pub counts: bool,
}

impl Start {
    /// A call whose gaps are not counted.
    pub fn new(call: u32, request: u32) -> Self {
        Self {
            call,
            request,
            counts: false,
        }
    }
}

/// The result of a step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<'reply> {
    /// More input is needed.
    NeedInput,
    /// The connection is open for calls.
    Opened,
    /// The server allows more concurrent calls than before.
    Widened,
    /// The server accepts no more calls on this connection; those in flight go on.
    Closing,
    /// A call has its complete reply.
    Replied { call: u32, reply: Reply<'reply> },
    /// A call has failed; the connection goes on.
    Failed { call: u32, fault: Fault },
    /// The connection cannot be used any more.
    Broken(Fault),
}

/// A call that is lost with its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    pub call: u32,
    /// Whether a part of the reply has arrived.
    pub has_begun: bool,
}

/// The meaning of a complete reply in its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion<'a> {
    /// The HTTP or gRPC status.
    pub status: u16,
    /// Whether the status means success in the protocol.
    pub success: bool,
    pub body: &'a [u8],
    pub encoding: Encoding,
    /// The server's error message, if it is not in the body.
    pub message: Cow<'a, [u8]>,
}

/// The name of a header, in lower case, and its value.
pub type FoundHeader = (String, Vec<u8>);

/// A complete reply, valid until the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The HTTP or gRPC status; 0 if the protocol has none.
    pub status: u16,
    /// Whether the status means success in the protocol.
    pub success: bool,
    /// The body as received, with this `encoding`; of a long body only the beginning.
    pub body: &'a [u8],
    /// The summary of a long body.
    pub long: Option<Summary>,
    pub encoding: Encoding,
    /// The server's error message, if it is not in the body.
    pub message: Cow<'a, [u8]>,
    /// The captured headers.
    pub headers: &'a [FoundHeader],
    pub first_byte: u64,
    /// The bytes on the socket that belong only to this call.
    pub bytes_sent: u32,
    pub bytes_received: u32,
    pub payload_sent: u32,
    /// The items of a stream.
    pub items: Items,
    /// The number of messages that a stream has sent.
    pub items_sent: u32,
}

impl<'a> From<Conclusion<'a>> for Reply<'a> {
    /// The reply without times and sizes.
    fn from(conclusion: Conclusion<'a>) -> Self {
        Self {
            status: conclusion.status,
            success: conclusion.success,
            body: conclusion.body,
            // Without a body, as in the reply to HEAD, nothing is decoded.
            encoding: match conclusion.body.is_empty() {
                true => Encoding::Identity,
                false => conclusion.encoding,
            },
            message: conclusion.message,
            headers: &[],
            long: None,
            first_byte: 0,
            bytes_sent: 0,
            bytes_received: 0,
            payload_sent: 0,
            items: Items::default(),
            items_sent: 0,
        }
    }
}

#[cfg(test)]
impl<'a> Reply<'a> {
    /// A reply for tests.
    pub fn example(body: &'a [u8]) -> Self {
        Self::from(Conclusion {
            status: 200,
            success: true,
            body,
            encoding: Encoding::Identity,
            message: Cow::Borrowed(&[]),
        })
    }
}

impl Reply<'_> {
    /// The length of the received body, in bytes.
    #[inline]
    pub fn length(&self) -> u64 {
        self.long.map_or(self.body.len() as u64, |long| long.length)
    }
}

/// Puts a request at an index of a list, which grows with copies of another one.
fn put<Rendered: Clone>(
    script: &mut Vec<Rendered>,
    index: usize,
    model: u32,
    filled: Option<Rendered>,
) {
    let Some(filled) = filled else { return };
    if index >= script.len() {
        let model = script[model as usize].clone();
        script.resize(index + 1, model);
    }
    script[index] = filled;
}

#[cfg(test)]
mod tests;
