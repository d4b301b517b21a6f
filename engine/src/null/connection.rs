//! One connection of a null server: its socket and its unsent bytes.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::http1::Http1;
use super::http2::Http2;
use super::tls::{Identity, Session};
use super::websocket::Websocket;
use super::{Answering, Content, Protocol, Then};
use crate::system::epoll::{Epoll, Interest};
use crate::transport::http2::frame::PREFACE;

/// The number of unsent bytes beyond which nothing more is read.
const FULL: usize = 1 << 20;

/// A connection of a null server.
pub struct Connection {
    stream: TcpStream,
    answering: Box<dyn Answering>,
    /// The handler for HTTP/2, until the protocol is known.
    undecided: Option<Box<dyn Answering>>,
    input: Vec<u8>,
    out: Vec<u8>,
    /// TLS; `sealed` then replaces `out`.
    session: Option<Session>,
    sealed: Vec<u8>,
    written: usize,
    closing: bool,
    interest: Interest,
    /// The time between the items of an answer, if they are sent one after the other, and those that
    /// are not due yet.
    every: Option<Duration>,
    later: VecDeque<(Instant, Vec<u8>)>,
}

impl Connection {
    /// A connection of an accepted client.
    pub fn new(
        stream: TcpStream,
        protocol: Protocol,
        content: &Content,
        identity: Option<&Identity>,
    ) -> io::Result<Self> {
        let (body, messages) = (&content.body, content.messages);
        let mut undecided: Option<Box<dyn Answering>> = None;
        let answering: Box<dyn Answering> = match protocol {
            Protocol::Http => {
                undecided = Some(Box::new(Http2::plain(body.clone(), "text/plain")));
                Box::new(Http1::new(body))
            }
            Protocol::Sse => {
                let event = [b"data: ", body.as_slice(), b"\n\n"].concat();
                let events = event.repeat(messages as usize);
                undecided = content.every.is_none().then(|| -> Box<dyn Answering> {
                    Box::new(Http2::plain(events, "text/event-stream"))
                });
                Box::new(Http1::events(&event, messages))
            }
            Protocol::Grpc => Box::new(Http2::grpc(body, messages, content.each)),
            Protocol::Ws => Box::new(Websocket::new(body, messages)),
            Protocol::Http3 => return Err(io::Error::other("HTTP/3 does not run over TCP")),
        };
        Ok(Self {
            stream,
            answering,
            undecided,
            input: Vec::new(),
            out: Vec::new(),
            session: identity.map(Identity::session).transpose()?,
            sealed: Vec::new(),
            written: 0,
            closing: false,
            interest: Interest::Read,
            every: content.every,
            later: VecDeque::new(),
        })
    }

    /// The socket.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Reads, answers and writes as far as possible without blocking.
    pub fn serve(&mut self, scratch: &mut [u8], epoll: &Epoll, token: u64) -> Then {
        match self.try_serve(scratch, epoll, token) {
            Ok(then) => then,
            Err(_) => Then::Close,
        }
    }

    fn try_serve(&mut self, scratch: &mut [u8], epoll: &Epoll, token: u64) -> io::Result<Then> {
        let now = Instant::now();
        while self.later.front().is_some_and(|(at, _)| *at <= now) {
            self.out
                .extend(self.later.pop_front().into_iter().flat_map(|it| it.1));
        }
        self.flush()?;
        if self.reads() {
            match self.stream.read(scratch) {
                Ok(0) => return Ok(Then::Close),
                Ok(count) => self.take_sealed(&scratch[..count])?,
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
            self.flush()?;
        }
        if self.unsent() == 0 && self.later.is_empty() && self.closing {
            return Ok(Then::Close);
        }
        let wanted = match self.unsent() {
            0 => Interest::Read,
            // Events for bytes that are not read would keep the CPU busy.
            _ if !self.reads() => Interest::Write,
            _ => Interest::ReadAndWrite,
        };
        if wanted != self.interest {
            epoll.change(&self.stream, token, wanted)?;
            self.interest = wanted;
        }
        Ok(Then::Keep)
    }

    /// The number of bytes that `flush` could not write.
    fn unsent(&self) -> usize {
        self.out.len() + self.sealed.len() - self.written
    }

    fn reads(&self) -> bool {
        !self.closing && self.unsent() < FULL
    }

    fn take_sealed(&mut self, arrived: &[u8]) -> io::Result<()> {
        let Some(session) = &mut self.session else {
            self.take(arrived);
            return Ok(());
        };
        let mut plain = Vec::new();
        session.open(arrived, &mut plain)?;
        self.take(&plain);
        Ok(())
    }

    fn take(&mut self, arrived: &[u8]) {
        if self.input.is_empty() {
            let mut input = arrived;
            self.answer(&mut input);
            self.input.extend_from_slice(input);
        } else {
            let mut gathered = std::mem::take(&mut self.input);
            gathered.extend_from_slice(arrived);
            let mut input = gathered.as_slice();
            self.answer(&mut input);
            let consumed = gathered.len() - input.len();
            gathered.drain(..consumed);
            self.input = gathered;
        }
    }

    fn answer(&mut self, input: &mut &[u8]) {
        if self.undecided.is_some() {
            let known = input.len().min(PREFACE.len());
            if input[..known] != PREFACE[..known] {
                self.undecided = None;
            } else if known < PREFACE.len() {
                return;
            } else if let Some(http2) = self.undecided.take() {
                self.answering = http2;
            }
        }
        let (begin, items) = (self.out.len(), self.answering.items());
        self.closing = self.answering.answer(input, &mut self.out) == Then::Close;
        let (Some(every), Some((head, length))) = (self.every, items) else {
            return;
        };
        let items = self.out.split_off(self.out.len().min(begin + head));
        let mut at = Instant::now();
        for item in items.chunks_exact(length) {
            at += every;
            self.later.push_back((at, item.to_vec()));
        }
        // The end comes with the last one.
        let end = items.chunks_exact(length).remainder();
        if let Some((_, last)) = self.later.back_mut() {
            last.extend_from_slice(end);
        }
    }

    /// When the next item is due, if one is.
    pub fn next_item(&self) -> Option<Instant> {
        self.later.front().map(|(at, _)| *at)
    }

    fn flush(&mut self) -> io::Result<()> {
        let sending = match &mut self.session {
            None => &mut self.out,
            Some(session) => {
                session.seal(&self.out, &mut self.sealed)?;
                self.out.clear();
                &mut self.sealed
            }
        };
        while self.written < sending.len() {
            match self.stream.write(&sending[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_passing(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        sending.clear();
        self.written = 0;
        Ok(())
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
