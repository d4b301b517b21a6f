//! Opens connections, and closes them at the end.

use std::io;

use crate::failure::{Failure, Fault};
use crate::pool::State;
use crate::transport::Codec;

use super::{Command, Worker};

/// The number of connections that are opened at a time in the beginning: fewer than a typical accept
/// queue holds, as its overflow costs a retransmission after 1 s.
const AT_A_TIME: usize = 64;
/// The most connections that are opened at a time, if the server has accepted as many promptly.
const MOST_AT_A_TIME: usize = 4096;
/// A connection that takes longer may have waited for a retransmission.
const PROMPT_NS: u64 = 900_000_000;

/// How long a server may take to answer the end of its protocol.
const LEAVING_NS: u64 = 500_000_000;

const TOO_SLOW: Fault = Fault::new(
    Failure::ConnectTimeout,
    "the connection was not established within the connect time-out",
);

impl<C: Codec> Worker<C> {
    /// Opens all connections, or only one to test the server if each request uses a new one. Those
    /// that cannot be opened are counted, and the load uses the others. False if none of the first
    /// ones could be opened, with the cause in `fault`, or on a command.
    pub(super) fn connect_all(&mut self) -> io::Result<bool> {
        let count = match self.target.connections.reuse {
            true => self.pool.connections.len(),
            false => 1,
        };
        let (mut begun, mut ended) = (0, 0);
        while ended < count {
            let opened = self.pool.connect_times.moments;
            let at_a_time = match self.failed_connections() {
                // Failures take as long as the connect time-out, which they do together.
                1.. => count,
                0 if opened.max_ns() > PROMPT_NS => AT_A_TIME,
                // As many more as have been accepted, as TCP does it.
                0 => (AT_A_TIME + opened.count() as usize).min(MOST_AT_A_TIME),
            };
            while begun < count && begun - ended < at_a_time {
                let now = self.clock.now();
                self.connect(begun as u32, now);
                begun += 1;
            }
            if self.failed_connections() < begun {
                self.turn(self.clock.now(), None)?;
            }
            self.flush_dirty();
            if matches!(self.command, Some(Command::Leave)) {
                return Ok(false);
            }
            // One that has been closed since is opened again when it is needed.
            let opened = self.pool.connect_times.moments.count() as usize;
            ended = opened + self.failed_connections();
            if opened == 0 && ended >= count.min(AT_A_TIME) {
                return Ok(false);
            }
        }
        for connection in &mut self.pool.connections {
            connection.absent = connection.resting;
        }
        self.offer_all();
        Ok(true)
    }

    /// The number of connections that could not be opened.
    fn failed_connections(&self) -> usize {
        self.absences.values().sum::<u64>() as usize
    }

    /// Notes that a connection could not be opened.
    pub(super) fn note_absence(&mut self, fault: Fault) {
        self.fault = Some(fault);
        *self.absences.entry(fault.failure.name()).or_default() += 1;
    }

    /// Lets another connection take the place of one whose server accepts no more calls, until the
    /// calls in flight on it have ended.
    pub(super) fn replace(&mut self, index: u32) {
        if self.pool.get(index).line.codec.is_idle() {
            return;
        }
        let Some(other) = self.pool.replace(index) else {
            return;
        };
        let now = self.clock.now();
        for &(call, _) in &self.pool.connections[other as usize].line.queue {
            self.flow.moved(call, other);
        }
        self.flow.widened(now);
        if !self.pool.get(other).line.queue.is_empty() {
            self.connect(other, now);
        }
    }

    /// Offers all connections; closed ones open when they are needed.
    pub(super) fn offer_all(&mut self) {
        for index in 0..self.pool.connections.len() {
            self.pool.offer(index as u32);
        }
    }

    /// Reopens the connections that the server has closed since the last slice, up to `AT_A_TIME`;
    /// the others open when they are needed.
    pub(super) fn reopen(&mut self) {
        if !self.target.connections.reuse {
            return;
        }
        let now = self.clock.now();
        let is_closed = |index: &usize| {
            let connection = &self.pool.connections[*index];
            connection.state == State::Closed && !connection.resting && !connection.aside
        };
        let closed: Vec<usize> = (0..self.pool.connections.len())
            .filter(is_closed)
            .take(AT_A_TIME)
            .collect();
        for index in closed {
            self.connect(index as u32, now);
        }
    }

    /// Half-closes all connections and waits for the server to do the same.
    pub(super) fn close_all(&mut self) -> io::Result<()> {
        self.take_leave()?;
        for index in 0..self.pool.connections.len() as u32 {
            self.pool
                .retire(&self.epoll, index, false, self.clock.now());
        }
        while !self.pool.leaving.is_empty() {
            self.turn(self.clock.now(), None)?;
        }
        Ok(())
    }

    /// Ends the protocols that have an end, and waits until the servers have answered: messages
    /// before that answer no request.
    fn take_leave(&mut self) -> io::Result<()> {
        for index in 0..self.pool.connections.len() as u32 {
            let connection = self.pool.get(index);
            if connection.state == State::Open
                && connection.line.codec.close(&mut connection.line.out)
            {
                self.pool.mark_dirty(index);
            }
        }
        let until = self.clock.now() + LEAVING_NS;
        loop {
            self.flush_dirty();
            let now = self.clock.now();
            let mut connections = self.pool.connections.iter();
            if now >= until || !connections.any(|it| it.line.codec.awaits_end()) {
                return Ok(());
            }
            self.turn(now, Some(until - now))?;
        }
    }

    /// Starts to connect a closed slot; its waiting calls fail if that is impossible.
    pub(super) fn connect(&mut self, index: u32, now: u64) {
        if let Err(fault) = self.pool.connect(&self.epoll, index, now) {
            self.fail_connecting(index, fault);
        }
    }

    /// Handles the socket that has become writable. True if TCP is connected, false if connecting
    /// failed.
    pub(super) fn finish_connecting(&mut self, index: u32) -> bool {
        let connection = self.pool.get(index);
        let error = connection
            .stream()
            .and_then(|stream| stream.take_error().ok().flatten());
        if let Some(error) = error {
            self.fail_connecting(index, Fault::connecting(&error));
            return false;
        }
        match self.begin_tls(index) {
            Err(fault) => {
                self.fail_connecting(index, fault);
                return false;
            }
            Ok(true) => {}
            Ok(false) => self.open_protocol(index),
        }
        true
    }

    /// TCP or TLS is established: opens the protocol.
    pub(super) fn open_protocol(&mut self, index: u32) {
        let connection = self.pool.get(index);
        connection.state = State::Opening;
        if connection
            .line
            .codec
            .open(&self.script, &mut connection.line.out)
        {
            self.open(index);
        } else {
            self.pool.mark_dirty(index);
        }
    }

    /// The protocol is open: starts the waiting calls.
    pub(super) fn open(&mut self, index: u32) {
        let opening = self.pool.opened(index, self.clock.now());
        for &(call, _) in &self.pool.connections[index as usize].line.queue {
            self.flow.waited(call, opening);
        }
        self.start_queued(index);
        self.pool.mark_dirty(index);
        self.pool.offer(index);
    }

    /// Starts calls that waited for the connection, as many as it takes.
    pub(super) fn start_queued(&mut self, index: u32) {
        let connection = &mut self.pool.connections[index as usize];
        let start = |call, request| self.flow.start(call, request);
        connection.used |= connection.line.start_queued(&self.script, start);
    }

    /// Fails a connection that has reached its connect time-out.
    pub(super) fn give_up_connecting(&mut self, index: u32) {
        let connection = self.pool.get(index);
        let link = connection.link.as_ref();
        let is_silent = link.is_some_and(|link| link.counters().received == 0);
        if !is_silent && matches!(connection.state, State::Securing | State::Opening) {
            let fault = Fault::new(
                Failure::HandshakeFailed,
                "the handshake exceeded the connect time-out",
            );
            self.fail_connecting(index, fault);
        } else {
            self.fail_connecting(index, TOO_SLOW);
        }
    }

    /// Drops a connection that could not be opened, and fails its waiting calls.
    pub(super) fn fail_connecting(&mut self, index: u32, fault: Fault) {
        let now = self.clock.now();
        self.note_absence(fault);
        self.fail_calls(index, fault, now);
        self.pool.discard(index, false, now);
    }

    /// Fails all calls of a connection.
    pub(super) fn fail_calls(&mut self, index: u32, fault: Fault, now: u64) {
        while let Some((call, fault)) = self.pool.get(index).line.take_lost(fault) {
            self.flow.failed(call, fault, now);
        }
    }
}
