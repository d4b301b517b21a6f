//! A slot of the pool: a socket, which may be replaced, and the protocol over it.

use std::io::ErrorKind;
use std::net::TcpStream;

use crate::quic::Link;
use crate::system::epoll::{Epoll, Interest};
use crate::system::tcp;
use crate::tls::Session;
use crate::transport::{Codec, Line};

use super::Token;

/// The number of written bytes after which the buffer is compacted.
const COMPACTED: usize = 64 << 10;

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No socket; the next call opens one.
    Closed,
    /// TCP is connecting.
    Connecting,
    /// TLS is being established.
    Securing,
    /// The protocol is being opened.
    Opening,
    /// It takes calls.
    Open,
}

/// The time to open a connection; negative if there was nothing to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// From the start of connecting until it took calls.
    pub connect_ns: i64,
    /// The part of it for TLS.
    pub tls_ns: i64,
}

impl Opening {
    /// Nothing had to be opened.
    pub const NONE: Self = Self {
        connect_ns: -1,
        tls_ns: -1,
    };
}

/// A slot of the pool.
pub struct Connection<C> {
    pub line: Line<C>,
    pub state: State,
    /// TLS over the current socket; `sealed` then replaces the bytes of the protocol.
    pub session: Option<Box<Session>>,
    pub sealed: Vec<u8>,
    /// QUIC, instead of a TCP stream.
    pub link: Option<Box<Link>>,
    pub listed: bool,
    pub resting: bool,
    pub dirty: bool,
    /// Whether it waits for its next turn to be read.
    pub unread: bool,
    /// Its number among the connections of the worker; one that takes the place of another has the
    /// same.
    pub number: u32,
    /// Whether it takes no calls: another one has taken its place, and it ends with its calls.
    pub aside: bool,
    /// Whether it could not be opened, while others could: it takes no calls before it is open.
    pub absent: bool,
    /// Whether the current socket has carried a call.
    pub used: bool,
    stream: Option<TcpStream>,
    written: usize,
    waits_to_write: bool,
    connect_started: u64,
    /// When TLS began.
    pub securing_started: u64,
    /// How long TLS took; negative before.
    pub tls_ns: i64,
    generation: u32,
}

impl<C: Codec> Connection<C> {
    /// A closed slot for `streams` calls at once.
    pub fn new(codec: C, streams: usize, number: u32) -> Self {
        Self {
            line: Line::new(codec, streams),
            state: State::Closed,
            session: None,
            sealed: Vec::new(),
            link: None,
            listed: false,
            resting: false,
            dirty: false,
            unread: false,
            number,
            aside: false,
            absent: false,
            used: false,
            stream: None,
            written: 0,
            waits_to_write: false,
            connect_started: 0,
            securing_started: 0,
            tls_ns: Opening::NONE.tls_ns,
            generation: 0,
        }
    }

    /// The TCP socket, if there is one.
    pub fn stream(&self) -> Option<&TcpStream> {
        self.stream.as_ref()
    }

    /// Takes a connecting socket; returns its token for epoll.
    pub fn attach(&mut self, stream: TcpStream, index: u32, now: u64) -> u64 {
        self.prepare(now);
        self.state = State::Connecting;
        self.stream = Some(stream);
        self.waits_to_write = true;
        self.token(index)
    }

    /// Takes a QUIC connection that is being established; returns its token for epoll.
    pub fn attach_link(&mut self, link: Link, index: u32, now: u64) -> u64 {
        self.prepare(now);
        self.state = State::Securing;
        self.securing_started = now;
        self.link = Some(Box::new(link));
        self.token(index)
    }

    /// Resets the state of the last socket.
    fn prepare(&mut self, now: u64) {
        self.generation = self.generation.wrapping_add(1) & 0x7fff_ffff;
        self.connect_started = now;
        self.session = None;
        self.tls_ns = Opening::NONE.tls_ns;
        self.line.clear();
        self.sealed.clear();
        self.written = 0;
        self.unread = false;
        self.used = false;
    }

    /// Removes and returns the socket.
    pub fn detach(&mut self) -> Option<TcpStream> {
        self.state = State::Closed;
        self.unread = false;
        self.session = None;
        self.line.clear();
        self.sealed.clear();
        self.written = 0;
        self.stream.take()
    }

    /// Marks it as open; returns the time that this took.
    pub fn open(&mut self, now: u64) -> Opening {
        self.state = State::Open;
        self.absent = false;
        Opening {
            connect_ns: now as i64 - self.connect_started as i64,
            tls_ns: self.tls_ns,
        }
    }

    /// Whether a token's generation is that of the current socket.
    pub fn is_current(&self, generation: u32) -> bool {
        self.generation == generation && (self.stream.is_some() || self.link.is_some())
    }

    fn token(&self, index: u32) -> u64 {
        Token::Slot {
            index,
            generation: self.generation,
        }
        .pack()
    }

    /// Ends TLS, if there is any, after all bytes still to be written.
    pub fn farewell(&mut self) {
        if let Some(session) = &mut self.session {
            session.seal(&self.line.out, &mut self.sealed);
            self.line.out.clear();
            session.close(&mut self.sealed);
        }
    }

    /// The number of bytes not yet written to the socket.
    #[inline]
    pub fn unsent(&self) -> usize {
        self.line.out.len() + self.sealed.len() - self.written
    }

    /// Whether all bytes have been written to the socket, or sent by QUIC.
    #[inline]
    pub fn is_drained(&self) -> bool {
        self.line.out.is_empty() && self.sealed.is_empty()
    }

    /// Writes as much as the socket accepts; returns the number of bytes.
    #[inline]
    pub fn write(&mut self, epoll: &Epoll, index: u32) -> u64 {
        if self.state == State::Connecting {
            // A connecting socket becomes writable when it is connected.
            return 0;
        }
        if let Some(link) = &mut self.link {
            link.send(&self.line.out);
            self.line.out.clear();
            return link.transmit();
        }
        let Some(stream) = self.stream.as_ref() else {
            return 0;
        };
        let sending = match &mut self.session {
            None => &mut self.line.out,
            Some(session) => {
                if !self.line.out.is_empty() {
                    session.seal(&self.line.out, &mut self.sealed);
                    self.line.out.clear();
                }
                &mut self.sealed
            }
        };
        let before = self.written;
        let mut blocked = false;
        while self.written < sending.len() {
            match tcp::write(stream, &sending[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    blocked = true;
                    break;
                }
                // The server has closed the connection, perhaps after a last answer: reading shows
                // that.
                Err(_) => break,
            }
        }
        let count = self.written - before;
        if !blocked {
            sending.clear();
            self.written = 0;
        } else if self.written >= COMPACTED {
            // The buffer may never become empty.
            sending.drain(..self.written);
            self.written = 0;
        }
        if blocked != self.waits_to_write {
            self.waits_to_write = blocked;
            let interest = if blocked {
                Interest::ReadAndWrite
            } else {
                Interest::Arrivals
            };
            // This fails only for a descriptor that is not registered, but this one is.
            let _ = epoll.change(stream, self.token(index), interest);
        }
        count as u64
    }
}
