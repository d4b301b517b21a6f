//! Connections that are no longer used: half-closed until the server closes them, so that the
//! kernel's counters cover their whole lifetime.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;

use crate::deadlines::Deadlines;
use crate::quic::Link;
use crate::slots::Slots;
use crate::system::epoll::{Epoll, Interest};
use crate::system::tcp::{self, TcpCounters};

use super::Token;

/// How long a server may take to close its side.
const PATIENCE_NS: u64 = 1_000_000_000;

/// The number of reads from one connection at a time: a server may send without end.
const READS: usize = 4;

/// Sums over all closed connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifetime {
    pub connections: u64,
    pub counters: TcpCounters,
}

impl Lifetime {
    /// Adds the kernel's counters of a TCP connection.
    pub fn add(&mut self, stream: &TcpStream, end_seen: bool) {
        let counters = tcp::counters(stream, end_seen);
        self.merge(&Self {
            connections: 1,
            counters,
        });
    }

    /// Adds the counters of a QUIC connection.
    pub fn add_link(&mut self, link: &Link) {
        self.merge(&Self {
            connections: 1,
            counters: link.counters(),
        });
    }

    /// Adds the sums of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.connections += other.connections;
        self.counters.sent += other.counters.sent;
        self.counters.received += other.counters.received;
        self.counters.segments_out += other.counters.segments_out;
        self.counters.segments_in += other.counters.segments_in;
        self.counters.retransmitted += other.counters.retransmitted;
    }
}

/// The half-closed connections.
pub struct Leaving {
    streams: Slots<TcpStream>,
    deadlines: Deadlines,
    pub lifetime: Lifetime,
}

impl Default for Leaving {
    fn default() -> Self {
        Self {
            streams: Slots::with_capacity(0),
            deadlines: Deadlines::new(PATIENCE_NS, 0),
            lifetime: Lifetime::default(),
        }
    }
}

impl Leaving {
    /// Half-closes a connection and watches it until the server closes it.
    pub fn add(&mut self, epoll: &Epoll, stream: TcpStream, end_seen: bool, now: u64) {
        tcp::half_close(&stream);
        if end_seen {
            self.lifetime.add(&stream, true);
            return;
        }
        let slot = self.streams.insert(stream);
        self.deadlines.start(slot, now);
        if let Some(stream) = self.streams.get(slot) {
            // This fails only for a descriptor that is not registered, but this one is.
            let _ = epoll.change(stream, Token::Leaving(slot).pack(), Interest::Read);
        }
    }

    /// Reads from a half-closed connection; returns the number of bytes.
    pub fn read(&mut self, slot: u32, scratch: &mut [u8]) -> u64 {
        let Some(mut stream) = self.streams.get(slot) else {
            return 0;
        };
        let mut received = 0;
        for _ in 0..READS {
            match stream.read(scratch) {
                Ok(count @ 1..) => received += count as u64,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                ended => {
                    self.finish(slot, ended.is_ok());
                    break;
                }
            }
        }
        received
    }

    /// Drops those that have reached their time-out.
    pub fn expire(&mut self, now: u64) {
        while let Some(slot) = self.deadlines.expired(now) {
            self.finish(slot, false);
        }
    }

    /// The next time-out.
    pub fn next_deadline(&self) -> Option<u64> {
        self.deadlines.next()
    }

    /// Whether there is no half-closed connection.
    pub fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    fn finish(&mut self, slot: u32, end_seen: bool) {
        self.deadlines.stop(slot);
        if let Some(stream) = self.streams.remove(slot) {
            self.lifetime.add(&stream, end_seen);
        }
    }
}
