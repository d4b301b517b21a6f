//! What comes on a connection, from the socket to the steps of its protocol.

use rustix::io::Errno;
use rustix::net::{self, RecvFlags};

use crate::failure::{Failure, Fault};
use crate::pool::State;
use crate::transport::{Codec, Step};

use super::Worker;

const RESET: Fault = Fault::new(Failure::Reset, "the server reset the connection");
const CLOSED: Fault = Fault::new(
    Failure::ClosedEarly,
    "the server closed the connection before it replied",
);

/// What reading from a connection came to.
enum Arrival {
    /// So many; all there were if the buffer was not filled.
    Bytes {
        count: usize,
        is_all: bool,
    },
    Nothing,
    End,
    Error,
}

impl<C: Codec> Worker<C> {
    /// Reads what has arrived on a connection and follows up on it; to its end if that is there.
    pub(super) fn receive(&mut self, index: u32, ended: bool) {
        if self.receive_datagrams(index) {
            return;
        }
        loop {
            match self.read(index) {
                Arrival::Bytes { count, is_all } => {
                    self.pool.traffic.received += count as u64;
                    let plain = match self.unseal(index, count) {
                        Ok(plain) => plain,
                        Err(fault) => return self.give_up(index, fault, false),
                    };
                    if plain > 0 && !self.digest(index, plain) {
                        return;
                    }
                    if self.session_has_ended(index) {
                        return self.end(index, false);
                    }
                    if is_all && !ended {
                        return;
                    }
                }
                Arrival::Nothing => return,
                Arrival::End => return self.end(index, true),
                Arrival::Error => return self.give_up(index, RESET, false),
            }
        }
    }

    #[inline]
    fn read(&mut self, index: u32) -> Arrival {
        let connection = &self.pool.connections[index as usize];
        let Some(stream) = connection.stream() else {
            return Arrival::Nothing;
        };
        let buffer = match connection.session {
            None => &mut self.scratch,
            Some(_) => &mut self.sealed,
        };
        loop {
            return match net::recv(stream, &mut buffer[..], RecvFlags::empty()) {
                Ok((_, 0)) => Arrival::End,
                Ok((_, count)) => Arrival::Bytes {
                    count,
                    is_all: count < buffer.len(),
                },
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => Arrival::Nothing,
                Err(_) => Arrival::Error,
            };
        }
    }

    /// Feeds the protocol with the first `count` bytes of the scratch buffer. False if the
    /// connection is gone.
    pub(super) fn digest(&mut self, index: u32, count: usize) -> bool {
        let now = self.clock.now();
        let mut kept = std::mem::take(&mut self.pool.get(index).pending);
        let scratch = std::mem::take(&mut self.scratch);
        let whole = if kept.is_empty() {
            &scratch[..count]
        } else {
            kept.extend_from_slice(&scratch[..count]);
            kept.as_slice()
        };
        let mut input = whole;
        let alive = self.follow_steps(index, &mut input, now);
        let used = whole.len() - input.len();
        if alive && kept.is_empty() {
            kept.extend_from_slice(&scratch[used..count]);
            self.pool.keep_rest(index, kept, 0);
        } else if alive {
            self.pool.keep_rest(index, kept, used);
        }
        self.scratch = scratch;
        alive
    }

    /// Steps through the input until it is used up. False if the connection is gone.
    fn follow_steps(&mut self, index: u32, input: &mut &[u8], now: u64) -> bool {
        loop {
            let connection = &mut self.pool.connections[index as usize];
            let step = connection
                .codec
                .step(&self.script, input, now, &mut connection.out);
            match step {
                Step::NeedInput => break,
                Step::Opened => {
                    self.open(index);
                    continue;
                }
                Step::Widened => self.flow.widened(self.clock.now()),
                Step::Replied { call, reply } => {
                    let end = self.clock.now();
                    self.flow.replied(call, &reply, end, C::WRONG_STATUS);
                }
                Step::Failed { call, fault } => {
                    self.flow.failed(call, fault, self.clock.now());
                }
                Step::Broken(fault) => {
                    self.give_up(index, fault, false);
                    return false;
                }
            }
            if self.retire_if_done(index, false) {
                self.launch();
                return false;
            }
            self.start_queued(index);
            self.pool.offer(index);
            self.launch();
        }
        if !self.pool.get(index).out.is_empty() {
            self.pool.mark_dirty(index);
        }
        !self.retire_if_done(index, false)
    }

    /// The server has ended its side; `end_seen` says whether of TCP, too.
    fn end(&mut self, index: u32, end_seen: bool) {
        let now = self.clock.now();
        let connection = &mut self.pool.connections[index as usize];
        // Over TLS an end without a farewell may be anybody's.
        let is_honest = connection.session.as_ref().is_none_or(|it| it.has_ended());
        let mut reason = CLOSED;
        if connection.state == State::Open && is_honest {
            match connection.codec.end_of_input(now) {
                Step::Replied { call, reply } => {
                    self.flow.replied(call, &reply, now, C::WRONG_STATUS);
                }
                Step::Failed { call, fault } => self.flow.failed(call, fault, now),
                Step::Broken(fault) => reason = fault,
                Step::NeedInput | Step::Opened | Step::Widened => {}
            }
        }
        self.give_up(index, reason, end_seen);
    }
}
