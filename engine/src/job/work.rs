//! Requests, expectations and transactions.

use std::sync::Arc;

use super::Header;
use crate::capture::{Capture, Holes, Pointer, encode, fill, fill_bytes};

/// The gap between items from which on a stream has stalled, unless the job says otherwise.
const STALL_NS: u64 = 1_000_000_000;

/// The order of transactions.
#[derive(Clone, Copy, Debug, Default)]
pub enum Order {
    /// As listed, repeatedly.
    #[default]
    Cycle,
    /// Each pass over the list in a different random order.
    Shuffle { seed: u64 },
}

/// A request and the expectation of its reply.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<Header>,
    pub body: Vec<u8>,
    /// Whether a WebSocket message is binary instead of text.
    pub binary: bool,
    /// Present if the reply is a stream of items.
    pub stream: Option<Stream>,
    /// The time-out of the reply, instead of the connections'; gRPC sends it to the server.
    pub deadline_ms: Option<u64>,
    pub expect: Expectation,
    /// The values that its client captures from each answer.
    pub captures: Arc<[Capture]>,
    /// Where captured values are inserted.
    pub holes: Holes,
}

impl Request {
    /// The request with a client's captured values inserted, percent-encoded in the path.
    pub fn filled(&self, values: &[String]) -> Self {
        let encoded: Vec<String>;
        let path = match self.holes.path.is_empty() {
            true => self.path.clone(),
            false => {
                encoded = values.iter().map(|value| encode(value)).collect();
                fill(&self.path, &self.holes.path, &encoded)
            }
        };
        let mut headers = self.headers.clone();
        for (number, holes) in &self.holes.headers {
            let text = &mut headers[*number].1;
            *text = fill(text, holes, values);
        }
        Self {
            method: self.method.clone(),
            path,
            headers,
            body: fill_bytes(&self.body, &self.holes.body, values),
            binary: self.binary,
            stream: self.stream.clone(),
            deadline_ms: self.deadline_ms,
            expect: self.expect.clone(),
            captures: self.captures.clone(),
            holes: Holes::default(),
        }
    }
}

/// How a streamed request is sent, and when its reply is complete.
#[derive(Clone, Debug)]
pub struct Stream {
    pub items: ItemKind,
    /// How often the body, or all messages, are sent.
    pub send: u32,
    /// The messages to send instead of the body, one after the other (gRPC); if empty, the body.
    pub messages: Vec<Vec<u8>>,
    /// Whether the next message waits for an item in reply to the last one.
    pub in_turn: bool,
    /// The reply is complete after this number of items, even if the server would send more.
    pub until_items: Option<u32>,
    /// The reply is complete after this time, whatever the number of items.
    pub until_ms: Option<u64>,
    /// The reply is complete with a message that contains one of these, which is no item.
    pub until_texts: Vec<String>,
    /// Only items count whose JSON has a value there that is not empty.
    pub pointer: Option<Arc<Pointer>>,
    /// A longer gap between items is a stall, in nanoseconds.
    pub stall_ns: u64,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            items: ItemKind::Messages,
            send: 1,
            messages: Vec::new(),
            in_turn: false,
            until_items: None,
            until_ms: None,
            until_texts: Vec::new(),
            pointer: None,
            stall_ns: STALL_NS,
        }
    }
}

/// The items of a streamed reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Messages of gRPC or WebSocket.
    Messages,
    /// Server-sent events with data.
    Events,
    /// Lines that are not empty.
    Lines,
    /// Chunks of HTTP/1.1, or DATA frames of HTTP/2: whatever the server sent in one piece.
    Chunks,
}

/// A WebSocket message.
#[derive(Clone, Debug)]
pub struct Message {
    pub body: Vec<u8>,
    pub binary: bool,
    /// The number of messages that answer it, before requests are sent.
    pub answers: u32,
}

/// The expectation of a reply; what is absent is not checked.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// Absent: success in the protocol (2xx, gRPC status 0).
    pub status: Option<u16>,
    pub body_xxh3: Option<u64>,
    pub body_length: Option<u64>,
    pub must_not_contain: Vec<String>,
    /// The number of items of a stream.
    pub items: Option<u32>,
    /// Whether bodies are sampled, for wirelab to decode and compare.
    pub sample: bool,
}

/// A logical operation: rounds of requests, which run concurrently within a round.
#[derive(Clone, Debug)]
pub struct Transaction {
    pub operation: String,
    pub parameter_set: u32,
    /// Indices into the job's requests.
    pub rounds: Vec<Vec<u32>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Hole;

    #[test]
    fn values_are_inserted_at_their_positions() {
        let hole = |at, value| Hole { at, value };
        let request = Request {
            path: "/a?c=&d=".into(),
            headers: vec![
                ("x".into(), "1".into()),
                ("authorization".into(), "Bearer ".into()),
            ],
            body: b"[]".to_vec(),
            holes: Holes {
                path: vec![hole(5, 1), hole(8, 0)],
                headers: vec![(1, vec![hole(7, 0)])],
                body: vec![hole(1, 0), hole(1, 1)],
            },
            ..Request::default()
        };
        let values = ["t/1".to_string(), "é".to_string()];
        let filled = request.filled(&values);
        assert_eq!(filled.path, "/a?c=%C3%A9&d=t%2F1");
        assert_eq!(filled.headers[1].1, "Bearer t/1");
        assert_eq!(filled.body, "[t/1é]".as_bytes());
        assert!(filled.holes.is_empty() && request.holes.len() == 5);
    }
}
