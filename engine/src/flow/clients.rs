//! The captured values of each client, and its next transaction.

use crate::capture::{Capture, Captured, Found, LONGEST, Location};
use crate::plan::Sequence;
use crate::transport::Reply;

/// The clients of one worker. Under an open load each connection is a client.
pub struct Clients {
    captured: Captured,
    /// The index of the first login transaction.
    first_opening: usize,
    transactions: usize,
    /// By their numbers among those of all workers.
    all: Vec<Client>,
}

#[derive(Clone, Default)]
struct Client {
    values: Vec<String>,
    /// Whether it has logged in, if there are logins.
    is_open: bool,
    /// Its next transaction.
    next: u32,
    /// How many transactions are left of its chain.
    left: usize,
}

/// A value that an answer lacks.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    pub expected: String,
    pub got: &'static str,
}

impl Clients {
    /// The clients of a target with this number of transactions, including the logins.
    pub fn new(captured: Captured, transactions: usize) -> Self {
        Self {
            first_opening: transactions - captured.openings,
            transactions,
            captured,
            all: Vec::new(),
        }
    }

    fn of(&mut self, client: u32) -> &mut Client {
        let index = client as usize;
        if index >= self.all.len() {
            let fresh = Client {
                values: vec![String::new(); self.captured.values],
                ..Client::default()
            };
            self.all.resize(index + 1, fresh);
        }
        &mut self.all[index]
    }

    /// The client's next transaction; `sequence` selects chains.
    pub fn next(&mut self, client: u32, sequence: &mut Sequence) -> u32 {
        let (chain, openings) = (self.captured.chain, self.captured.openings);
        let opening = self.first_opening + client as usize % openings.max(1);
        let state = self.of(client);
        if openings > 0 && !state.is_open {
            state.is_open = true;
            return opening as u32;
        }
        if state.left == 0 {
            state.next = sequence.next() * chain as u32;
            state.left = chain;
        }
        state.left -= 1;
        state.next += 1;
        state.next - 1
    }

    /// Ends the client's chain, one of whose transactions has failed; after a failed login, it logs
    /// in again.
    pub fn failed(&mut self, client: u32, transaction: u32) {
        let openings = self.first_opening..self.transactions;
        let is_opening = openings.contains(&(transaction as usize));
        let state = self.of(client);
        state.left = 0;
        state.is_open &= !is_opening;
    }

    /// The captured values of a client.
    pub fn values(&mut self, client: u32) -> &[String] {
        &self.of(client).values
    }

    /// Captures values from an answer. The error is a value that it lacks.
    pub fn take(
        &mut self,
        client: u32,
        captures: &[Capture],
        reply: &Reply,
    ) -> Result<(), Missing> {
        for capture in captures {
            let value = find(capture, reply).or_else(|got| match capture.is_optional {
                true if got.is_absent => Ok(String::new()),
                _ => Err(Missing {
                    expected: format!("{} at {}", capture.name, capture.location),
                    got: got.what,
                }),
            })?;
            self.of(client).values[capture.value] = value;
        }
        Ok(())
    }
}

/// Why there is no value.
struct Lack {
    what: &'static str,
    /// The answer is valid, but has no such value.
    is_absent: bool,
}

const fn wrong(what: &'static str) -> Lack {
    Lack {
        what,
        is_absent: false,
    }
}

const fn absent(what: &'static str) -> Lack {
    Lack {
        what,
        is_absent: true,
    }
}

fn find(capture: &Capture, reply: &Reply) -> Result<String, Lack> {
    let value = match &capture.location {
        Location::Header(name) => {
            let found = reply.headers.iter().find(|(of, _)| of == name);
            let (_, value) = found.ok_or(absent("an answer without this header"))?;
            let text = std::str::from_utf8(value);
            text.map_err(|_| wrong("a header that is not UTF-8"))?
                .into()
        }
        Location::Json(_) if reply.long.is_some() => {
            return Err(wrong("a body too long to be kept"));
        }
        Location::Json(pointer) => match pointer.find(reply.body) {
            Ok(Found::Value(value)) => value,
            Ok(Found::Null) => return Err(absent("null")),
            Ok(Found::Nothing) => return Err(absent("JSON without this value")),
            Ok(Found::Composite) => return Err(wrong("an object or a list")),
            Err(_) => return Err(wrong("an answer that is not JSON")),
        },
    };
    match value {
        long if long.len() > LONGEST => Err(wrong("a value of more than 16 KiB")),
        // In a header, it could begin another header.
        text if text.chars().any(char::is_control) => Err(wrong("a value with control characters")),
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Order;
    use crate::pacer::Share;

    const CAPTURED: Captured = Captured {
        values: 2,
        chain: 2,
        openings: 2,
        follows: false,
        reopens: 0..0,
    };
    const ALONE: Share = Share {
        worker: 0,
        workers: 1,
    };

    #[test]
    fn a_client_begins_with_its_opening_and_goes_through_whole_chains() {
        // Two chains of two, and two openings.
        let mut clients = Clients::new(CAPTURED, 6);
        let mut sequence = Sequence::new(Order::Cycle, 2, ALONE, 0);
        let mut next = |client| clients.next(client, &mut sequence);
        assert_eq!([next(0), next(1), next(2)], [4, 5, 4]);
        assert_eq!([next(0), next(1), next(0), next(1)], [0, 2, 1, 3]);
        assert_eq!(next(0), 0);
        clients.failed(0, 0);
        assert_eq!(clients.next(0, &mut sequence), 2, "the chain has ended");
        clients.failed(1, 5);
        assert_eq!(clients.next(1, &mut sequence), 5, "it logs in again");
    }

    fn take(capture: &str, reply: &Reply) -> Result<String, &'static str> {
        let mut clients = Clients::new(CAPTURED, 6);
        let captures = [Capture::parse(capture).unwrap()];
        let taken = clients.take(3, &captures, reply);
        assert_eq!(clients.values(1), ["", ""]);
        taken
            .map(|()| clients.values(3)[0].clone())
            .map_err(|it| it.got)
    }

    #[test]
    fn values_are_taken_from_bodies_and_headers() {
        let headers = [("x-token".to_string(), b"h".to_vec())];
        let reply = Reply {
            headers: &headers,
            ..Reply::example(b"{\"a\": \"b\", \"n\": null}")
        };
        assert_eq!(take("v=/a", &reply), Ok("b".into()));
        assert_eq!(take("v=header:X-Token", &reply), Ok("h".into()));
        for capture in ["v?=/n", "v?=/x", "v?=header:x-other"] {
            assert_eq!(take(capture, &reply), Ok(String::new()), "{capture}");
        }
        assert_eq!(take("v=/n", &reply), Err("null"));
        assert_eq!(
            take("v=header:x-other", &reply),
            Err("an answer without this header")
        );
    }

    #[test]
    fn a_missing_value_is_reported() {
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(LONGEST + 1));
        for (body, expected) in [
            ("<html>", "an answer that is not JSON"),
            ("{}", "JSON without this value"),
            ("{\"a\": []}", "an object or a list"),
            (
                "{\"a\": \"b\\r\\nx: y\"}",
                "a value with control characters",
            ),
            (&long, "a value of more than 16 KiB"),
        ] {
            assert_eq!(
                take("v=/a", &Reply::example(body.as_bytes())),
                Err(expected),
                "{body:.40}"
            );
        }
        assert_eq!(
            take("v?=/a", &Reply::example(b"<html>")),
            Err("an answer that is not JSON")
        );
    }
}
