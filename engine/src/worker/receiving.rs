//! Receives bytes, from the socket to the steps of the protocol.

use std::io::ErrorKind;

use crate::failure::{Failure, Fault};
use crate::pool::State;
use crate::system::tcp;
use crate::transport::{Arrival, Codec, Step, read_after};

use super::Worker;

const RESET: Fault = Fault::new(Failure::Reset, "the server reset the connection");
const CLOSED: Fault = Fault::new(
    Failure::ClosedEarly,
    "the server closed the connection before it replied",
);

const NOT_TAKEN: Fault = Fault::new(
    Failure::Flood,
    "the server answers requests that it has not read",
);

/// The number of reads from a connection before others, deadlines and commands get their turn: a
/// server may send without end.
const READS: usize = 4;

/// A reading of so many bytes belongs to a long answer.
const LONG: usize = 16 << 10;

/// The result of reading from a connection.
enum Reading {
    /// The number of bytes, all available ones if the buffer is not full, and the kernel's
    /// timestamp, if there is one.
    Bytes {
        count: usize,
        is_all: bool,
        arrived: Option<u64>,
    },
    Nothing,
    End,
    Error,
}

impl<C: Codec> Worker<C> {
    /// Reads a connection and handles its bytes; to its end if `ended`. What exceeds one turn of
    /// the loop waits for the next one.
    pub(super) fn receive(&mut self, index: u32, ended: bool) {
        if self.receive_datagrams(index) {
            return;
        }
        for _ in 0..READS {
            match self.read(index) {
                Reading::Bytes {
                    count,
                    is_all,
                    arrived,
                } => {
                    self.pool.traffic.received += count as u64;
                    // Long answers would fill the kernel's buffer, and stop the server.
                    self.dozes &= count < LONG;
                    let plain = match self.unseal(index, count) {
                        Ok(plain) => plain,
                        Err(fault) => return self.give_up(index, fault, false),
                    };
                    if plain > 0 && !self.digest(index, plain, arrived) {
                        return;
                    }
                    if self.session_has_ended(index) {
                        return self.end(index, false);
                    }
                    if is_all && !ended {
                        return;
                    }
                }
                Reading::Nothing => return,
                Reading::End => return self.end(index, true),
                Reading::Error => return self.give_up(index, RESET, false),
            }
        }
        self.pool.read_later(index, ended);
    }

    /// Continues with the connections that had more than the last turn allowed.
    pub(super) fn receive_more(&mut self) {
        for _ in 0..self.pool.unread() {
            if let Some((index, ended)) = self.pool.next_unread() {
                self.receive(index, ended);
                self.flush_dirty();
            }
        }
    }

    #[inline]
    fn read(&mut self, index: u32) -> Reading {
        let connection = &self.pool.connections[index as usize];
        let Some(stream) = connection.stream() else {
            return Reading::Nothing;
        };
        let buffer = match connection.session {
            None => &mut self.scratch,
            Some(_) => &mut self.sealed,
        };
        loop {
            let read = match &self.arrivals {
                None => tcp::read(stream, buffer).map(|count| (count, None)),
                Some(_) => tcp::read_stamped(stream, buffer),
            };
            return match read {
                Ok((0, _)) => Reading::End,
                Ok((count, stamp)) => Reading::Bytes {
                    count,
                    is_all: count < buffer.len(),
                    arrived: self.arrivals.as_mut().and_then(|arrivals| {
                        arrivals.time_of(stamp, || tcp::was_disordered(stream))
                    }),
                },
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => Reading::Nothing,
                Err(_) => Reading::Error,
            };
        }
    }

    /// Passes the first `count` bytes of the scratch buffer to the protocol, with the kernel's
    /// timestamp. False if the connection has been dropped.
    pub(super) fn digest(&mut self, index: u32, count: usize, arrived: Option<u64>) -> bool {
        let kept = std::mem::take(&mut self.pool.get(index).line.pending);
        let scratch = std::mem::take(&mut self.scratch);
        let kept = read_after(kept, &scratch[..count], |input| {
            self.follow_steps(index, input, arrived)
        });
        self.scratch = scratch;
        let is_alive = kept.is_some();
        if let Some(kept) = kept {
            self.pool.get(index).line.pending = kept;
        }
        is_alive
    }

    /// Steps through the input to its end. False if the connection has been dropped.
    fn follow_steps(&mut self, index: u32, input: &mut &[u8], arrived: Option<u64>) -> bool {
        let began = arrived.unwrap_or_else(|| self.clock.now());
        loop {
            let connection = &mut self.pool.connections[index as usize];
            let mut at = Arrival {
                now: began,
                gaps: Some(self.flow.recorder.gaps()),
            };
            let step =
                connection
                    .line
                    .codec
                    .step(&self.script, input, &mut at, &mut connection.line.out);
            match step {
                Step::NeedInput => break,
                Step::Opened => {
                    self.open(index);
                    continue;
                }
                Step::Widened => self.flow.widened(self.clock.now()),
                Step::Closing => self.replace(index),
                Step::Replied { call, reply } => {
                    let end = arrived.unwrap_or_else(|| self.clock.now());
                    self.flow.replied(call, &reply, end, C::WRONG_STATUS);
                }
                Step::Failed { call, fault } => {
                    let end = arrived.unwrap_or_else(|| self.clock.now());
                    self.flow.failed(call, fault, end);
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
            // After the launch, so that the next call fails.
            if self.pool.get(index).unsent() > self.most_unsent {
                self.give_up(index, NOT_TAKEN, false);
                return false;
            }
        }
        if !self.pool.get(index).line.out.is_empty() {
            self.pool.mark_dirty(index);
        }
        !self.retire_if_done(index, false)
    }

    /// Handles the end of the server's direction; `end_seen` says whether its FIN has been read.
    fn end(&mut self, index: u32, end_seen: bool) {
        let now = self.clock.now();
        let connection = &mut self.pool.connections[index as usize];
        // Over TLS, an end without close_notify is not authentic.
        let is_honest = connection.session.as_ref().is_none_or(|it| it.has_ended());
        let mut reason = CLOSED;
        if connection.state == State::Open && is_honest {
            let mut at = Arrival {
                now,
                gaps: Some(self.flow.recorder.gaps()),
            };
            match connection.line.codec.end_of_input(&self.script, &mut at) {
                Step::Replied { call, reply } => {
                    self.flow.replied(call, &reply, now, C::WRONG_STATUS);
                }
                Step::Failed { call, fault } => self.flow.failed(call, fault, now),
                Step::Broken(fault) => reason = fault,
                Step::NeedInput | Step::Opened | Step::Widened | Step::Closing => {}
            }
        }
        self.give_up(index, reason, end_seen);
    }
}
