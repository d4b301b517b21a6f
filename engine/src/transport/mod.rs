//! Protocols as state machines without input or output: bytes and the time go in, bytes and
//! steps come out. A transport is one file or folder here and one line in `worker::start`.

mod bulk;
pub mod grpc;
pub mod http1;
pub mod http2;
pub mod http3;
pub mod items;
mod owed;
pub mod rpc;
pub mod websocket;

use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::{Connections, Endpoint, Request};

pub use bulk::{Bulk, Look, Summary};
pub use items::{ItemReader, Items};
pub use owed::Owed;

/// A connection that has ended in good order, but too early for a request.
const REFUSED: Fault = Fault::new(
    Failure::Goaway,
    "the server gave the connection up before it served the request",
);

/// One connection's side of a protocol.
pub trait Codec: Sized + Send {
    /// The requests of the job in this protocol's bytes, made once and shared by all connections.
    type Script: Send + Sync;

    /// The class of a reply whose status is not the expected one.
    const WRONG_STATUS: Failure;

    fn script(endpoint: &Endpoint, connections: &Connections, requests: &[Request])
    -> Self::Script;

    /// Puts the only request of another script into a place of this one, which may lie behind all
    /// others. It is like the request `model`, but for the values that a client has put into it.
    fn put(script: &mut Self::Script, place: usize, model: u32, filled: Self::Script);

    /// The state for one place in the pool; `seed` differs from place to place.
    fn new(streams: u32, seed: u64) -> Self;

    /// Begins a fresh connection: forgets the last one and appends what opens this one.
    /// True if calls may start at once; otherwise `Step::Opened` follows.
    fn open(&mut self, script: &Self::Script, out: &mut Vec<u8>) -> bool;

    /// How many more calls may start now.
    fn capacity(&self) -> usize;

    /// Starts a call; allowed only while there is capacity.
    fn start(&mut self, script: &Self::Script, call: u32, request: u32, out: &mut Vec<u8>);

    /// Takes the next step with what has arrived, consuming `input` from its front. What is left
    /// of the input is given again, with more behind it. `now` is when it was read.
    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Self::Script,
        input: &mut &'input [u8],
        now: u64,
        out: &mut Vec<u8>,
    ) -> Step<'reply>;

    /// The server will send nothing more. Some replies end in just this way.
    fn end_of_input(&mut self, _script: &Self::Script, _now: u64) -> Step<'_> {
        Step::NeedInput
    }

    /// Ends a streamed reply by our own decision, with what has come of it.
    fn conclude_now(&mut self, _script: &Self::Script, _call: u32, _out: &mut Vec<u8>) -> Step<'_> {
        Step::NeedInput
    }

    /// Gives a call up. False if the connection is of no use any more.
    fn abandon(&mut self, call: u32, out: &mut Vec<u8>) -> bool;

    /// Gives all calls up, one by one: the connection is gone.
    fn take_call(&mut self) -> Option<Lost>;

    /// Whether a part of the reply to a call has arrived.
    fn has_begun(&self, call: u32) -> bool;

    /// Whether no call is under way.
    fn is_idle(&self) -> bool;

    /// Whether the connection ends when its calls have.
    fn is_closing(&self) -> bool;

    /// All that was appended has left for the server.
    #[inline]
    fn drained(&mut self) {}

    /// Appends what politely ends the connection, if the protocol has such a thing.
    fn close(&mut self, _out: &mut Vec<u8>) {}
}

/// What came out of a step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<'reply> {
    /// Nothing more without more input.
    NeedInput,
    /// The connection is open for calls.
    Opened,
    /// The server allows more calls than before.
    Widened,
    /// A call has its complete reply.
    Replied { call: u32, reply: Reply<'reply> },
    /// A call has failed; the connection goes on.
    Failed { call: u32, fault: Fault },
    /// The connection is of no use any more.
    Broken(Fault),
}

/// A call that is given up with its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    pub call: u32,
    /// Whether a part of the reply has arrived.
    pub has_begun: bool,
}

/// What a protocol makes of a reply that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conclusion<'a> {
    /// HTTP status, or gRPC status, in whichever protocol.
    pub status: u16,
    /// Whether the protocol itself calls this status a success.
    pub success: bool,
    pub body: &'a [u8],
    pub encoding: Encoding,
    /// The server's own words about a failure, where they are not in the body.
    pub message: &'a [u8],
}

/// The name of a header, in lower case, and its value.
pub type FoundHeader = (String, Vec<u8>);

/// A complete reply, to be looked at before the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// HTTP status, gRPC status, or 0 where the protocol has none.
    pub status: u16,
    /// Whether the protocol itself calls this status a success.
    pub success: bool,
    /// As it came; `encoding` says how it has to be decoded.
    /// Of a long body, only the beginning.
    pub body: &'a [u8],
    /// What is known of a body that was too long to be kept.
    pub long: Option<Summary>,
    pub encoding: Encoding,
    /// The server's own words about a failure, where they are not in the body.
    pub message: &'a [u8],
    /// The headers that were looked for, of those that came.
    pub headers: &'a [FoundHeader],
    pub first_byte: u64,
    /// Bytes on the socket that belong to this call alone.
    pub bytes_sent: u32,
    pub bytes_received: u32,
    pub payload_sent: u32,
    /// Of a stream: the items of the reply, and how many messages the request consisted of.
    pub items: Items,
    pub items_sent: u32,
}

impl<'a> From<Conclusion<'a>> for Reply<'a> {
    /// What it means, without the times and sizes.
    fn from(conclusion: Conclusion<'a>) -> Self {
        Self {
            status: conclusion.status,
            success: conclusion.success,
            body: conclusion.body,
            // Without a body, as in the answer to HEAD, there is nothing to decode.
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
    /// A reply for tests, which change what each is about.
    pub fn example(body: &'a [u8]) -> Self {
        Self::from(Conclusion {
            status: 200,
            success: true,
            body,
            encoding: Encoding::Identity,
            message: &[],
        })
    }
}

impl Reply<'_> {
    /// Of the body as it came.
    #[inline]
    pub fn length(&self) -> u64 {
        self.long.map_or(self.body.len() as u64, |long| long.length)
    }
}

/// Puts a request into a list, which grows by copies of another one up to there.
fn put<Rendered: Clone>(
    script: &mut Vec<Rendered>,
    place: usize,
    model: u32,
    filled: Option<Rendered>,
) {
    let Some(filled) = filled else { return };
    if place >= script.len() {
        let model = script[model as usize].clone();
        script.resize(place + 1, model);
    }
    script[place] = filled;
}

#[cfg(test)]
mod tests;
