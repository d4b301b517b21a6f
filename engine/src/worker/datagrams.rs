//! QUIC instead of TCP and TLS: datagrams instead of bytes, and its own timers.

use std::time::Instant;

use crate::pool::State;
use crate::quic::READINGS;
use crate::transport::Codec;

use super::Worker;

/// The number of readings in a row, which bounds a flood; epoll reports the rest again.
const READS: usize = 16;

impl<C: Codec> Worker<C> {
    /// Reads the available datagrams. False if the connection does not use QUIC.
    #[inline]
    pub(super) fn receive_datagrams(&mut self, index: u32) -> bool {
        if self.pool.connections[index as usize].link.is_none() {
            return false;
        }
        for _ in 0..READS {
            let Some(link) = &mut self.pool.connections[index as usize].link else {
                break;
            };
            let count = link.read(&mut self.sealed);
            if count == 0 {
                self.follow_link(index, None);
            }
            // Each arrival has its own time.
            if !(0..count).all(|number| self.receive_arrival(index, number)) || count < READINGS {
                break;
            }
        }
        true
    }

    /// Handles an arrival of the last reading. False if the connection has been dropped.
    fn receive_arrival(&mut self, index: u32, number: usize) -> bool {
        let Some(link) = &mut self.pool.connections[index as usize].link else {
            return false;
        };
        let (bytes, stamp) = link.receive(number, &self.sealed);
        self.pool.traffic.received += bytes;
        // Datagrams do not wait for each other in the kernel, so an old timestamp is valid.
        let arrivals = self.arrivals.as_mut();
        let arrived = arrivals.and_then(|arrivals| arrivals.time_of(stamp, || false));
        self.follow_link(index, arrived)
    }

    /// Handles the events after datagrams or timers. False if the connection has been dropped.
    fn follow_link(&mut self, index: u32, arrived: Option<u64>) -> bool {
        let connection = self.pool.get(index);
        let is_new = connection.state == State::Securing;
        if is_new
            && connection
                .link
                .as_ref()
                .is_some_and(|it| it.is_established())
        {
            self.established(index);
        }
        loop {
            let link = &mut self.pool.connections[index as usize].link;
            let count = link.as_mut().map_or(0, |it| it.take(&mut self.scratch));
            if count == 0 {
                break;
            }
            if !self.digest(index, count, arrived) {
                return false;
            }
        }
        let connection = self.pool.get(index);
        let (is_new, link) = (connection.state == State::Securing, &connection.link);
        match link.as_ref().and_then(|link| link.fault()) {
            Some(fault) if is_new => self.fail_connecting(index, fault),
            Some(fault) => self.give_up(index, fault, false),
            None => {
                self.pool.mark_dirty(index);
                return true;
            }
        }
        false
    }

    /// QUIC is established, including TLS: opens the protocol.
    fn established(&mut self, index: u32) {
        let now = self.clock.now();
        let pool = &mut self.pool;
        let connection = &mut pool.connections[index as usize];
        connection.tls_ns = now as i64 - connection.securing_started as i64;
        pool.tls_times.record(connection.tls_ns);
        if let Some(client) = &self.tls {
            client.note_quic(&mut pool.handshakes);
        }
        self.open_protocol(index);
    }

    /// The next timer of a connection.
    pub(super) fn next_wake(&self) -> Option<u64> {
        let at = self.pool.wakes.next()?;
        let wait = at.saturating_duration_since(Instant::now());
        Some(self.clock.now() + wait.as_nanos() as u64)
    }

    /// Handles expired timers.
    pub(super) fn wake_links(&mut self) {
        if self.pool.wakes.next().is_none() {
            return;
        }
        let now = Instant::now();
        while let Some(index) = self.pool.wakes.due(now) {
            let link = self.pool.get(index).link.as_mut();
            match link.map(|link| link.expire(now)) {
                Some(true) => {
                    self.follow_link(index, None);
                }
                Some(false) => self.pool.note_wake(index),
                None => {}
            }
        }
    }
}
