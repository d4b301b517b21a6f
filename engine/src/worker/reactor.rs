//! The event loop: where pacer, transport and recorder meet.

use std::io;

use crate::failure::{Failure, Fault};
use crate::flow::TimedOut;
use crate::pool::{State, Token};
use crate::system::epoll::Readiness;
use crate::system::time::sleep;
use crate::transport::{Codec, Step};

use super::{Command, Worker};

const GIVEN_UP: Fault = Fault::new(
    Failure::Timeout,
    "the connection was closed because an earlier call timed out",
);

/// The longest time for which answers may wait to be read.
const DOZE_NS: u64 = 250_000;

/// The failures of a connection that breaks its protocol.
const VIOLATIONS: [Failure; 3] = [
    Failure::ProtocolError,
    Failure::Oversized,
    Failure::InvalidUtf8,
];

const OVERDUE: Fault = Fault::new(Failure::Timeout, "no reply long after the end of the slice");

impl<C: Codec> Worker<C> {
    /// Drives one phase until its last transaction has ended or a command arrives.
    pub(super) fn drive(&mut self) -> io::Result<()> {
        self.stopped_at = None;
        loop {
            self.launch();
            self.flush_dirty();
            let now = self.clock.now();
            self.gaps.skip(now);
            while matches!(self.command, Some(Command::Finish)) {
                // One wake-up may stand for several commands.
                self.command = self.commands.try_recv().ok();
                self.flow.end_at(now);
            }
            if self.stopped_at.is_none() {
                self.stopped_at = self.flow.stopped_at(now);
            }
            if self.drains_until().is_some_and(|deadline| deadline <= now) {
                self.break_off(now);
            }
            if self.flow.is_finished(now) || self.command.is_some() {
                return Ok(());
            }
            let due = self.sleep_ns(now);
            self.turn(now, due)?;
        }
    }

    /// When all calls in flight must have ended, once no more are started.
    fn drains_until(&self) -> Option<u64> {
        self.stopped_at.map(|stopped| stopped + self.patience_ns)
    }

    /// Fails all calls in flight.
    #[cold]
    fn break_off(&mut self, now: u64) {
        self.flow.cease();
        self.flow.fail_waiting(OVERDUE, now);
        for index in 0..self.pool.connections.len() as u32 {
            let connection = self.pool.get(index);
            if !connection.line.codec.is_idle() || !connection.line.queue.is_empty() {
                self.give_up(index, OVERDUE, false);
            }
        }
    }

    /// Serves the connections, without load, until a command arrives.
    pub(super) fn next_command(&mut self) -> io::Result<Command> {
        self.stopped_at = None;
        loop {
            if let Some(command) = self
                .command
                .take()
                .or_else(|| self.commands.try_recv().ok())
            {
                return Ok(command);
            }
            self.turn(self.clock.now(), None)?;
            self.flush_dirty();
        }
    }

    /// Waits for events and deadlines, at most `sleep_ns`, and handles them.
    pub(super) fn turn(&mut self, now: u64, sleep_ns: Option<u64>) -> io::Result<()> {
        if let Some(deadline) = self.next_deadline() {
            self.alarm.ring_by(deadline, now)?;
        }
        let sleep_ns = match self.pool.has_unread() {
            true => Some(0),
            false => sleep_ns,
        };
        let are_dated = self.arrivals.as_ref().is_some_and(|it| it.is_stamping);
        let dozes = self.dozes && are_dated;
        let count = match sleep_ns.filter(|it| dozes && (1..=DOZE_NS).contains(it)) {
            None => {
                let count = self.epoll.wait(sleep_ns)?;
                self.gaps.woke(now, sleep_ns, count > 0, self.clock.now());
                count
            }
            // To wake up for each answer would cost more than to send and to read.
            Some(doze_ns) => {
                sleep(doze_ns);
                self.gaps.woke(now, sleep_ns, false, self.clock.now());
                self.launch();
                self.flush_dirty();
                self.epoll.wait(Some(0))?
            }
        };
        for index in 0..count {
            let readiness = self.epoll.readiness(index);
            self.dispatch(readiness);
        }
        self.receive_more();
        self.expire();
        Ok(())
    }

    /// How long to sleep without deadlines: until a call is due or the phase ends, if ever.
    fn sleep_ns(&mut self, now: u64) -> Option<u64> {
        let end = self
            .flow
            .stops_at(now)
            .filter(|_| self.flow.in_flight() == 0)
            .map(|at| at.saturating_sub(now));
        if self.pool.first_available().is_none() {
            return end;
        }
        let due = self.flow.next_due(now).map(|due| match self.target.spins {
            true => 0,
            false => due.saturating_sub(now),
        });
        [end, due].into_iter().flatten().min()
    }

    /// The next deadline that does not come from the schedule.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let deadlines = [
            self.flow.next_timeout(),
            self.pool.opening.next(),
            self.pool.next_rested(),
            self.pool.leaving.next_deadline(),
            self.next_wake(),
            self.drains_until(),
        ];
        deadlines.into_iter().flatten().min()
    }

    fn dispatch(&mut self, readiness: Readiness) {
        match Token::unpack(readiness.token) {
            Token::Command => {
                self.wakeup.clear();
                if self.command.is_none() {
                    self.command = self.commands.try_recv().ok();
                }
            }
            Token::Alarm => self.alarm.silence(),
            Token::Leaving(slot) => {
                self.pool.traffic.received += self.pool.leaving.read(slot, &mut self.scratch);
            }
            Token::Slot { index, generation } => {
                if !self.pool.get(index).is_current(generation) {
                    return;
                }
                if self.pool.get(index).state == State::Connecting && !self.finish_connecting(index)
                {
                    return;
                }
                if readiness.writable {
                    self.pool.flush(&self.epoll, index);
                }
                if readiness.readable {
                    self.receive(index, readiness.ended);
                    self.flush_dirty();
                }
            }
        }
    }

    /// Starts all due calls for which a connection is free.
    #[inline]
    pub(super) fn launch(&mut self) {
        while let Some(index) = self.pool.first_available() {
            let now = self.clock.now();
            self.gaps.look(now);
            let number = self.pool.get(index).number;
            let label = number * self.share.workers as u32 + self.share.worker as u32;
            let Some((call, request)) = self.flow.next_call(index, label, now) else {
                return;
            };
            let request = match self.flow.has_clients() {
                false => request,
                true => self.filled(call, request),
            };
            let connection = &mut self.pool.connections[index as usize];
            if connection.state == State::Open {
                let start = self.flow.start(call, request);
                connection
                    .line
                    .codec
                    .start(&self.script, start, &mut connection.line.out);
                connection.used = true;
                self.pool.mark_dirty(index);
            } else {
                connection.line.queue.push_back((call, request));
                if connection.state == State::Closed {
                    self.connect(index, now);
                }
            }
            self.pool.rotate();
        }
        self.flow.full();
    }

    /// Writes the bytes of all connections that have some.
    #[inline]
    pub(super) fn flush_dirty(&mut self) {
        while let Some(index) = self.pool.dirty.pop() {
            self.pool.flush(&self.epoll, index);
        }
    }

    /// Half-closes a connection without calls that takes no more. True if it did.
    pub(super) fn retire_if_done(&mut self, index: u32, end_seen: bool) -> bool {
        let connection = self.pool.get(index);
        let idle = connection.state == State::Open && connection.line.codec.is_idle();
        let used_up = !self.target.connections.reuse && connection.used;
        if !idle || !(connection.line.codec.is_closing() || connection.aside || used_up) {
            return false;
        }
        let now = self.clock.now();
        self.pool.retire(&self.epoll, index, end_seen, now);
        self.flow.closed(now, self.clock.now());
        if !self.pool.get(index).line.queue.is_empty() {
            self.connect(index, now);
        }
        true
    }

    /// Drops a connection and fails its calls.
    pub(super) fn give_up(&mut self, index: u32, fault: Fault, end_seen: bool) {
        let now = self.clock.now();
        let connection = self.pool.get(index);
        let is_violation = VIOLATIONS.contains(&fault.failure);
        let is_unrelated = connection.line.codec.is_idle() && connection.line.queue.is_empty();
        let fault = if matches!(connection.state, State::Securing | State::Opening) {
            let fault = Fault::new(Failure::HandshakeFailed, fault.detail);
            self.note_absence(fault);
            fault
        } else {
            if is_violation && is_unrelated {
                *self.violations.entry(fault.detail).or_default() += 1;
            }
            fault
        };
        // Before, as a slot is offered only if no call waits for it.
        self.fail_calls(index, fault, now);
        self.pool.discard(index, end_seen, now);
        self.flow.closed(now, self.clock.now());
        self.launch();
    }

    /// Completes a streamed reply at its time-out (`until_ms`). False if it has no items to
    /// conclude.
    fn conclude(&mut self, index: u32, call: u32, now: u64) -> bool {
        let connection = &mut self.pool.connections[index as usize];
        let (codec, out) = (&mut connection.line.codec, &mut connection.line.out);
        let Step::Replied { call, reply } = codec.conclude_now(&self.script, call, out) else {
            return false;
        };
        self.flow.replied(call, &reply, now, C::WRONG_STATUS);
        self.pool.mark_dirty(index);
        if !self.retire_if_done(index, false) {
            self.pool.offer(index);
        }
        true
    }

    /// Handles all expired deadlines.
    fn expire(&mut self) {
        let now = self.clock.now();
        while let Some(TimedOut {
            call,
            connection: index,
            is_complete,
        }) = self.flow.timed_out(now)
        {
            if is_complete && self.conclude(index, call, now) {
                continue;
            }
            let (fault, is_useful) = self.pool.get(index).line.time_out(call);
            self.pool.mark_dirty(index);
            self.flow.failed(call, fault, now);
            if !is_useful {
                self.give_up(index, GIVEN_UP, false);
            } else if !self.retire_if_done(index, false) {
                self.pool.offer(index);
            }
        }
        while let Some(index) = self.pool.opening.expired(now) {
            self.give_up_connecting(index);
        }
        self.wake_links();
        self.pool.wake_rested(now);
        self.pool.leaving.expire(now);
    }
}
