//! The connections of one worker: available, opening, resting and half-closed ones.

mod connection;
mod leaving;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::net::IpAddr;

use crate::deadlines::Deadlines;
use crate::failure::{Failure, Fault};
use crate::quic::{self, Link};
use crate::recorder::Distribution;
use crate::system::epoll::{Epoll, Interest};
use crate::system::{Address, tcp};
use crate::tls::Handshakes;
use crate::transport::Codec;
use crate::wakes::Wakes;

pub use connection::{Connection, Opening, State};
pub use leaving::{Leaving, Lifetime};

/// How long a slot rests after a failed attempt, so that a dead server is not flooded.
const REST_NS: u64 = 10_000_000;

const UNWATCHED: Fault = Fault::new(Failure::ConnectFailed, "epoll cannot watch the socket");

/// The connections of one worker.
pub struct Pool<C> {
    /// Those of the job, and others that have taken the place of one.
    pub connections: Vec<Connection<C>>,
    /// Slots whose place another one has taken, and whose calls have ended.
    spare: Vec<u32>,
    most: usize,
    seed: u64,
    address: Address,
    /// The local addresses, which connections take in turn; empty: the system's choice.
    pub sources: Vec<IpAddr>,
    streams: usize,
    /// Slots that probably have capacity, the longest idle first (round robin).
    available: VecDeque<u32>,
    /// Slots whose connecting has failed, with the time of the next attempt.
    resting: VecDeque<(u64, u32)>,
    /// Slots with bytes to write.
    pub dirty: Vec<u32>,
    /// Slots with more to read than one turn of the loop allows, and whether the end of the stream
    /// follows.
    unread: VecDeque<(u32, bool)>,
    pub opening: Deadlines,
    pub leaving: Leaving,
    /// Present if the transport uses QUIC.
    pub quic: Option<quic::Client>,
    /// The timers of QUIC connections.
    pub wakes: Wakes,
    /// Whether the kernel timestamps received packets; over QUIC it always does.
    pub stamps_arrivals: bool,
    pub connect_times: Distribution,
    pub tls_times: Distribution,
    pub handshakes: Handshakes,
    pub traffic: Traffic,
}

/// The bytes over the sockets of the pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    pub sent: u64,
    pub received: u64,
}

/// The owner of a descriptor, packed into the number that epoll returns with its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Command,
    /// A deadline may have passed.
    Alarm,
    /// A slot of the pool; the generation distinguishes its current socket from earlier ones.
    Slot {
        index: u32,
        generation: u32,
    },
    Leaving(u32),
}

impl Token {
    const COMMAND: u64 = u64::MAX;
    const ALARM: u64 = u64::MAX - 1;
    const LEAVING: u32 = u32::MAX;

    /// The number for epoll.
    pub fn pack(self) -> u64 {
        match self {
            Self::Command => Self::COMMAND,
            Self::Alarm => Self::ALARM,
            Self::Slot { index, generation } => u64::from(generation) << 32 | u64::from(index),
            Self::Leaving(slot) => u64::from(Self::LEAVING) << 32 | u64::from(slot),
        }
    }

    /// The owner from a number of epoll.
    pub fn unpack(packed: u64) -> Self {
        let (generation, index) = ((packed >> 32) as u32, packed as u32);
        match (packed, generation) {
            (Self::COMMAND, _) => Self::Command,
            (Self::ALARM, _) => Self::Alarm,
            (_, Self::LEAVING) => Self::Leaving(index),
            _ => Self::Slot { index, generation },
        }
    }
}

impl<C: Codec> Pool<C> {
    /// A pool of closed slots.
    pub fn new(
        address: Address,
        count: u32,
        streams: u32,
        connect_timeout_ns: u64,
        seed: u64,
    ) -> Self {
        let mut pool = Self {
            connections: Vec::with_capacity(count as usize),
            spare: Vec::new(),
            most: 2 * count as usize,
            seed,
            address,
            sources: Vec::new(),
            streams: streams as usize,
            available: VecDeque::with_capacity(count as usize),
            resting: VecDeque::with_capacity(count as usize),
            dirty: Vec::with_capacity(count as usize),
            unread: VecDeque::with_capacity(count as usize),
            opening: Deadlines::new(connect_timeout_ns, count as usize),
            leaving: Leaving::default(),
            quic: None,
            wakes: Wakes::default(),
            stamps_arrivals: false,
            connect_times: Distribution::default(),
            tls_times: Distribution::default(),
            handshakes: Handshakes::default(),
            traffic: Traffic::default(),
        };
        (0..count).for_each(|number| pool.add(number));
        pool
    }

    /// Adds a closed slot.
    fn add(&mut self, number: u32) {
        let seed = self.seed.wrapping_add(self.connections.len() as u64);
        let codec = C::new(self.streams as u32, seed);
        let connection = Connection::new(codec, self.streams, number);
        self.connections.push(connection);
    }

    /// Gives the place of a slot, which takes no more calls, to another one, with the calls that wait
    /// for it. None if there are too many already: then they wait until its calls have ended.
    pub fn replace(&mut self, index: u32) -> Option<u32> {
        let number = self.get(index).number;
        let other = match self.spare.pop() {
            Some(other) => other,
            None if self.connections.len() == self.most => return None,
            None => {
                self.add(number);
                self.connections.len() as u32 - 1
            }
        };
        self.get(index).aside = true;
        let queue = std::mem::take(&mut self.get(index).line.queue);
        let place = self.get(other);
        (place.number, place.aside, place.line.queue) = (number, false, queue);
        self.offer(other);
        Some(other)
    }

    /// Offers a slot whose connection has ended, unless another one has its place.
    fn vacate(&mut self, index: u32) {
        match self.get(index).aside {
            true => self.spare.push(index),
            false => self.offer(index),
        }
    }

    /// A slot by its index.
    pub fn get(&mut self, index: u32) -> &mut Connection<C> {
        &mut self.connections[index as usize]
    }

    /// A slot that can take a call now. A resting slot is offered again after its rest.
    #[inline]
    pub fn first_available(&mut self) -> Option<u32> {
        loop {
            let &index = self.available.front()?;
            if self.capacity(index) > 0 && !self.connections[index as usize].resting {
                return Some(index);
            }
            self.available.pop_front();
            self.get(index).listed = false;
        }
    }

    /// Moves the first available slot to the end of the queue, or removes it if it is full.
    #[inline]
    pub fn rotate(&mut self) {
        let Some(index) = self.available.pop_front() else {
            return;
        };
        self.get(index).listed = false;
        self.offer(index);
    }

    /// Adds a slot to the queue of available ones, if it has capacity.
    #[inline]
    pub fn offer(&mut self, index: u32) {
        let has_capacity = self.capacity(index) > 0;
        let connection = self.get(index);
        if has_capacity && !connection.listed && !connection.resting && !connection.absent {
            connection.listed = true;
            self.available.push_back(index);
        }
    }

    #[inline]
    fn capacity(&self, index: u32) -> usize {
        let connection = &self.connections[index as usize];
        match connection.state {
            _ if connection.aside => 0,
            State::Open => connection.line.room(None),
            _ => connection.line.room(Some(self.streams)),
        }
    }

    /// Starts to connect a closed slot.
    pub fn connect(&mut self, epoll: &Epoll, index: u32, now: u64) -> Result<(), Fault> {
        let sources = self.sources.len().max(1);
        let source = self.sources.get(index as usize % sources).copied();
        if let (Some(client), Address::Inet(address)) = (&self.quic, &self.address) {
            let link = client.link(*address, source)?;
            return self.connect_link(epoll, link, index, now);
        }
        let stream = tcp::connect(&self.address, source);
        let stream = stream.map_err(|error| Fault::connecting(&error))?;
        if self.stamps_arrivals {
            tcp::stamp_arrivals(&stream);
        }
        let connection = self.get(index);
        let token = connection.attach(stream, index, now);
        let watched = connection
            .stream()
            .map(|it| epoll.add(it, token, Interest::ReadAndWrite));
        if !matches!(watched, Some(Ok(()))) {
            return Err(UNWATCHED);
        }
        self.opening.start(index, now);
        Ok(())
    }

    fn connect_link(
        &mut self,
        epoll: &Epoll,
        link: Link,
        index: u32,
        now: u64,
    ) -> Result<(), Fault> {
        let connection = self.get(index);
        let token = connection.attach_link(link, index, now);
        let watched = connection
            .link
            .as_ref()
            .map(|it| epoll.add(it.socket(), token, Interest::Read));
        if !matches!(watched, Some(Ok(()))) {
            return Err(UNWATCHED);
        }
        self.opening.start(index, now);
        self.flush(epoll, index);
        Ok(())
    }

    /// Ends a QUIC connection, if there is one.
    fn close_link(&mut self, index: u32) {
        let connection = self.get(index);
        if let Some(mut link) = connection.link.take() {
            // The last bytes may be the error with which the protocol ends the connection.
            link.send(&connection.line.out);
            self.traffic.sent += link.close();
            self.leaving.lifetime.add_link(&link);
        }
    }

    /// Marks a connection as open; returns the time that this took.
    pub fn opened(&mut self, index: u32, now: u64) -> Opening {
        self.opening.stop(index);
        let opening = self.get(index).open(now);
        self.connect_times.record(opening.connect_ns);
        opening
    }

    /// Half-closes a connection without calls, so that the server can finish.
    pub fn retire(&mut self, epoll: &Epoll, index: u32, end_seen: bool, now: u64) {
        let connection = self.get(index);
        if connection.state == State::Open && !end_seen {
            connection.line.codec.close(&mut connection.line.out);
            connection.farewell();
            self.flush(epoll, index);
        }
        self.opening.stop(index);
        self.close_link(index);
        if let Some(stream) = self.get(index).detach() {
            self.leaving.add(epoll, stream, end_seen, now);
        }
        self.vacate(index);
    }

    /// Drops a broken connection. A slot that could not be opened rests for a while.
    pub fn discard(&mut self, index: u32, end_seen: bool, now: u64) {
        self.opening.stop(index);
        self.close_link(index);
        let connection = &mut self.connections[index as usize];
        let was_open = connection.state == State::Open;
        if let Some(stream) = connection.detach() {
            tcp::half_close(&stream);
            self.leaving.lifetime.add(&stream, end_seen);
        }
        if was_open {
            self.vacate(index);
        } else if !connection.resting {
            connection.resting = true;
            self.resting.push_back((now + REST_NS, index));
        }
    }

    /// Offers the slots that have rested.
    pub fn wake_rested(&mut self, now: u64) {
        while let Some(&(_, index)) = self.resting.front().filter(|(until, _)| *until <= now) {
            self.resting.pop_front();
            self.get(index).resting = false;
            self.offer(index);
        }
    }

    /// When the next slot has rested.
    pub fn next_rested(&self) -> Option<u64> {
        self.resting.front().map(|(until, _)| *until)
    }

    /// Notes that a slot has bytes to write.
    #[inline]
    pub fn mark_dirty(&mut self, index: u32) {
        let connection = self.get(index);
        if !connection.dirty {
            connection.dirty = true;
            self.dirty.push(index);
        }
    }

    /// Notes that a slot has more to read, and whether the end of the stream follows.
    pub fn read_later(&mut self, index: u32, ended: bool) {
        self.get(index).unread = true;
        self.unread.push_back((index, ended));
    }

    /// Whether slots wait to be read.
    #[inline]
    pub fn has_unread(&self) -> bool {
        !self.unread.is_empty()
    }

    /// The number of slots that wait to be read.
    pub fn unread(&self) -> usize {
        self.unread.len()
    }

    /// Removes and returns the first slot that waits to be read. None if it has been read since or
    /// has another socket.
    pub fn next_unread(&mut self) -> Option<(u32, bool)> {
        let (index, ended) = self.unread.pop_front()?;
        let waits = std::mem::take(&mut self.get(index).unread);
        waits.then_some((index, ended))
    }

    /// Writes the bytes of a slot, as far as the socket accepts them.
    #[inline]
    pub fn flush(&mut self, epoll: &Epoll, index: u32) {
        let connection = &mut self.connections[index as usize];
        connection.dirty = false;
        self.traffic.sent += connection.write(epoll, index);
        if connection.is_drained() {
            connection.line.codec.drained();
        }
        self.note_wake(index);
    }

    /// Notes the next timer of a QUIC connection.
    #[inline]
    pub fn note_wake(&mut self, index: u32) {
        let link = self.connections[index as usize].link.as_mut();
        if let Some(at) = link.and_then(|link| link.wake_at()) {
            self.wakes.set(index, at);
        }
    }
}
