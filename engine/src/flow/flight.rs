//! The state of one transaction in flight.

use std::ops::Range;

use crate::failure::Failure;
use crate::pacer::Due;
use crate::pool::Opening;
use crate::recorder::Sample;
use crate::transport::{Items, Reply};

use super::redirect::Redirect;

/// A request that a connection is sending or waiting for.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub flight: u32,
    pub request: u32,
    pub connection: u32,
}

/// A transaction in flight.
pub struct Flight {
    pub transaction: u32,
    pub client: Option<u32>,
    /// The client as recorded: for an open load the connection on which it began.
    pub label: u32,
    intended: u64,
    pub started: u64,
    /// Whether it is measured, and not part of guard or drain.
    pub counts: bool,
    /// The latest end of one of its calls so far.
    ended: u64,
    first_byte: Option<u64>,
    /// The longest wait for a connection to open.
    opening: Opening,
    pub round: u32,
    /// Requests of this round without a reply.
    pub outstanding: u32,
    bytes_sent: u32,
    bytes_received: u32,
    payload_bytes: u32,
    items: Items,
    items_sent: u32,
    status: u16,
    pub failure: u8,
    /// Where its request was redirected to.
    pub redirect: Option<Box<Redirect>>,
    /// Present once the server has ended the client's session.
    reopening: Option<Reopening>,
}

/// A session that is opened again within a transaction.
#[derive(Clone, Copy)]
struct Reopening {
    /// The request that had come too late for the last session.
    request: u32,
    /// The request of the opening that waits for its reply, until the session is open.
    last: Option<u32>,
}

impl Flight {
    /// A transaction that starts now.
    pub fn new(transaction: u32, due: Due, label: u32, now: u64, counts: bool) -> Self {
        Self {
            transaction,
            client: due.client,
            label: due.client.unwrap_or(label),
            intended: due.intended,
            started: now,
            counts,
            ended: now,
            first_byte: None,
            opening: Opening::NONE,
            round: 0,
            outstanding: 0,
            bytes_sent: 0,
            bytes_received: 0,
            payload_bytes: 0,
            items: Items::default(),
            items_sent: 0,
            status: 0,
            failure: 0,
            redirect: None,
            reopening: None,
        }
    }

    /// Opens the client's session again, and then repeats a request. False if it was opened again
    /// before, within this transaction.
    pub fn reopen(&mut self, request: u32, first: u32) -> bool {
        let last = Some(first);
        let is_new = self.reopening.is_none();
        self.reopening.get_or_insert(Reopening { request, last });
        is_new
    }

    /// The request that follows one of those that open a session again.
    pub fn next_of_opening(&mut self, opening: &Range<u32>) -> Option<u32> {
        let reopening = self.reopening.as_mut()?;
        let next = reopening.last? + 1;
        reopening.last = Some(next).filter(|next| opening.contains(next));
        Some(reopening.last.unwrap_or(reopening.request))
    }

    /// Adds the reply to one of its calls.
    #[inline]
    pub fn add(&mut self, reply: &Reply) {
        self.first_byte.get_or_insert(reply.first_byte);
        self.bytes_sent = self.bytes_sent.saturating_add(reply.bytes_sent);
        self.bytes_received = self.bytes_received.saturating_add(reply.bytes_received);
        self.payload_bytes = self.payload_bytes.saturating_add(reply.length() as u32);
        if reply.items.count > 0 || reply.items_sent > 0 {
            self.items.join(reply.items);
            self.items_sent = self.items_sent.saturating_add(reply.items_sent);
        }
        if self.failure == 0 {
            self.status = reply.status;
        }
    }

    /// Notes that one of its calls had to wait for its connection to open.
    pub fn waited(&mut self, opening: Opening) {
        if opening.connect_ns > self.opening.connect_ns {
            self.opening = opening;
        }
    }

    /// Fails the transaction; the first failure counts.
    pub fn fail(&mut self, failure: Failure, status: u16) {
        if self.failure == 0 {
            self.failure = failure as u8;
            self.status = status;
        }
    }

    /// Ends one of its calls; returns the latest end so far. By the kernel's timestamps, replies
    /// need not end in the order in which they are read, but none ends before its request.
    #[inline]
    pub fn call_ended(&mut self, at: u64) -> u64 {
        self.ended = self.ended.max(at);
        self.ended
    }

    /// The sample of a transaction that is counted from `start` and ended at `end`.
    #[inline]
    pub fn sample(&self, start: u64, end: u64) -> Sample {
        let relative = |instant: u64| instant as i64 - start as i64;
        let within = |instant: u64| relative(instant.clamp(self.started, end));
        let item = |instant: u64| {
            if self.items.count > 0 {
                within(instant)
            } else {
                -1
            }
        };
        Sample {
            intended_ns: relative(self.intended),
            start_ns: relative(self.started),
            first_byte_ns: self.first_byte.map_or(-1, within),
            end_ns: relative(end),
            connect_ns: self.opening.connect_ns,
            tls_ns: self.opening.tls_ns,
            first_item_ns: item(self.items.first),
            last_item_ns: item(self.items.last),
            transaction: self.transaction,
            client: self.label,
            bytes_sent: self.bytes_sent,
            bytes_received: self.bytes_received,
            payload_bytes: self.payload_bytes,
            items: self.items.count,
            items_sent: self.items_sent,
            status: self.status,
            failure: self.failure,
        }
    }
}
