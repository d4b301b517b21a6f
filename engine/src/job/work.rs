//! What a server is asked, and what it must answer.

use std::sync::Arc;

use super::Header;
use crate::capture::{Capture, Holes, encode, fill, fill_bytes};

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

impl Request {
    /// The request with a client's captured values in its holes; percent-encoded in the path.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Hole;

    #[test]
    fn values_come_where_they_belong() {
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
        assert_eq!(request.holes.values().collect::<Vec<_>>(), [1, 0, 0, 0, 1]);
    }
}
