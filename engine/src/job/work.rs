//! What a server is asked, and what it must answer.

use std::sync::Arc;

use super::Header;
use crate::capture::{Capture, Holes};

/// Which transaction comes next.
#[derive(Clone, Copy, Debug, Default)]
pub enum Order {
    /// As listed, again and again.
    #[default]
    Cycle,
    /// Every pass over the list in another random order.
    Shuffle { seed: u64 },
}

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<Header>,
    pub body: Vec<u8>,
    /// A WebSocket message of bytes instead of text.
    pub binary: bool,
    /// The reply is a stream of items; absent: it is one.
    pub stream: Option<Stream>,
    /// The time for the reply, in place of the connections' time-out; gRPC tells it to the server.
    pub deadline_ms: Option<u64>,
    pub expect: Expectation,
    /// What its client takes from every answer, and where it puts what it has taken before.
    pub captures: Arc<[Capture]>,
    pub holes: Holes,
}

/// How a streamed request is sent, and what of its reply is counted.
#[derive(Clone, Debug)]
pub struct Stream {
    pub items: ItemKind,
    /// How many times the body is sent as a message.
    pub send: u32,
    /// The next message is sent when an item has come for the last one.
    pub in_turn: bool,
    /// The reply is complete with so many items, whatever the server would still send.
    pub until_items: Option<u32>,
    /// The reply is complete after this time, however many items have come.
    pub until_ms: Option<u64>,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            items: ItemKind::Messages,
            send: 1,
            in_turn: false,
            until_items: None,
            until_ms: None,
        }
    }
}

/// What an item of a streamed reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Of gRPC or WebSocket.
    Messages,
    /// Server-sent events that carry data.
    Events,
    /// Lines that are not empty.
    Lines,
    /// Chunks of HTTP/1.1, frames of HTTP/2: whatever the server sent in one piece.
    Chunks,
}

/// A message, as it is.
#[derive(Clone, Debug)]
pub struct Message {
    pub body: Vec<u8>,
    pub binary: bool,
}

/// What a reply must be like; what is absent is not looked at.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// Absent: the protocol's ordinary success (2xx, gRPC status 0).
    pub status: Option<u16>,
    pub body_xxh3: Option<u64>,
    pub body_length: Option<u64>,
    pub must_not_contain: Vec<String>,
    /// How many items a stream brings.
    pub items: Option<u32>,
    /// Whether a sample of the bodies is kept, for somebody who knows what they mean.
    pub sample: bool,
}

/// One logical operation: rounds of requests, parallel inside a round.
#[derive(Clone, Debug)]
pub struct Transaction {
    pub operation: String,
    pub parameter_set: u32,
    /// Indices into the job's requests.
    pub rounds: Vec<Vec<u32>>,
}
