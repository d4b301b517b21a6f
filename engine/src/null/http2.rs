//! HTTP/2 without TLS, and gRPC on it. Since every request has the same answer, their headers
//! need not be decoded.

use std::collections::{HashMap, VecDeque};

use super::{Answering, Then};
use crate::failure::Fault;
use crate::transport::http2::frame::{self, Frame, PREFACE, flag, kind};
use crate::transport::http2::settings::{DEFAULT_WINDOW, PeerSettings, write_acknowledgement};

const INITIAL_WINDOW_SIZE: u16 = 4;
const LARGEST_WINDOW: u32 = 0x7fff_ffff;
/// The connection's window is opened again each time so much has been used of it.
const REFILL: u32 = 1 << 20;

/// `:status 200`, an entry of the static table.
const OK: u8 = 0x88;
/// `content-type`, an entry of the static table, with a value that follows.
const CONTENT_TYPE: [u8; 2] = [0x0f, 0x10];

pub struct Http2 {
    head: Vec<u8>,
    body: Vec<u8>,
    /// The header block at the end; empty if the body ends the stream.
    trailers: Vec<u8>,
    has_begun: bool,
    /// Bodies received since the connection's window was opened the last time.
    used: u32,
    settings: PeerSettings,
    /// What may be sent on the connection.
    window: i64,
    /// What may be sent on a stream beyond the initial window; most are never spoken of.
    extra: HashMap<u32, i64>,
    /// A request that ends with the header block which is not whole yet.
    unfinished: Option<u32>,
    /// Answers under way: the stream and how much of the body is out.
    answers: VecDeque<(u32, usize)>,
}

impl Http2 {
    pub fn plain(body: &[u8]) -> Self {
        Self::new(body.to_vec(), b"text/plain", Vec::new())
    }

    pub fn grpc(message: &[u8]) -> Self {
        let mut body = vec![0];
        body.extend_from_slice(&(message.len() as u32).to_be_bytes());
        body.extend_from_slice(message);
        let mut trailers = vec![0, 11];
        trailers.extend_from_slice(b"grpc-status\x010");
        Self::new(body, b"application/grpc", trailers)
    }

    fn new(body: Vec<u8>, content_type: &[u8], trailers: Vec<u8>) -> Self {
        let mut head = vec![OK];
        head.extend_from_slice(&CONTENT_TYPE);
        head.push(content_type.len() as u8);
        head.extend_from_slice(content_type);
        Self {
            head,
            body,
            trailers,
            has_begun: false,
            used: 0,
            settings: PeerSettings::default(),
            window: i64::from(DEFAULT_WINDOW),
            extra: HashMap::new(),
            unfinished: None,
            answers: VecDeque::new(),
        }
    }

    /// Takes the preface and says what we allow. False if there is no HTTP/2 here.
    fn begin(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> bool {
        let Some(rest) = input.strip_prefix(PREFACE) else {
            return false;
        };
        *input = rest;
        self.has_begun = true;
        frame::write_header(out, 6, kind::SETTINGS, 0, 0);
        out.extend_from_slice(&INITIAL_WINDOW_SIZE.to_be_bytes());
        out.extend_from_slice(&LARGEST_WINDOW.to_be_bytes());
        frame::write_window_update(out, 0, LARGEST_WINDOW - DEFAULT_WINDOW);
        true
    }

    fn take(&mut self, frame: &Frame, out: &mut Vec<u8>) -> Result<(), Fault> {
        match frame.kind {
            kind::HEADERS if !frame.has(flag::END_HEADERS) => {
                self.unfinished = frame.has(flag::END_STREAM).then_some(frame.stream);
            }
            kind::HEADERS if frame.has(flag::END_STREAM) => self.ask(frame.stream, out),
            kind::CONTINUATION if frame.has(flag::END_HEADERS) => {
                if let Some(stream) = self.unfinished.take() {
                    self.ask(stream, out);
                }
            }
            kind::DATA => {
                self.used += frame.payload.len() as u32;
                if self.used >= REFILL {
                    frame::write_window_update(out, 0, self.used);
                    self.used = 0;
                }
                if frame.has(flag::END_STREAM) {
                    self.ask(frame.stream, out);
                }
            }
            kind::SETTINGS if !frame.has(flag::ACK) => {
                self.settings.update(frame)?;
                write_acknowledgement(out);
            }
            kind::PING if !frame.has(flag::ACK) => {
                frame::write_header(out, frame.payload.len(), kind::PING, flag::ACK, 0);
                out.extend_from_slice(frame.payload);
            }
            kind::WINDOW_UPDATE => {
                let increment = i64::from(frame.number(0)?);
                match frame.stream {
                    0 => self.window += increment,
                    stream => *self.extra.entry(stream).or_default() += increment,
                }
            }
            kind::RST_STREAM => {
                self.extra.remove(&frame.stream);
                self.answers.retain(|(stream, _)| *stream != frame.stream);
            }
            _ => {}
        }
        Ok(())
    }

    fn ask(&mut self, stream: u32, out: &mut Vec<u8>) {
        write_block(out, &self.head, 0, stream);
        self.answers.push_back((stream, 0));
    }

    /// Sends what the windows allow, in turn.
    fn send(&mut self, out: &mut Vec<u8>) {
        for _ in 0..self.answers.len() {
            let Some((stream, sent)) = self.answers.pop_front() else {
                return;
            };
            match self.send_body(stream, sent, out) {
                sent if sent == self.body.len() => {
                    if !self.extra.is_empty() {
                        self.extra.remove(&stream);
                    }
                    if !self.trailers.is_empty() {
                        write_block(out, &self.trailers, flag::END_STREAM, stream);
                    }
                }
                sent => self.answers.push_back((stream, sent)),
            }
        }
    }

    /// How much of the body is out then.
    fn send_body(&mut self, stream: u32, mut sent: usize, out: &mut Vec<u8>) -> usize {
        let extra = self.extra.get(&stream).copied().unwrap_or(0);
        let allowed = self.settings.initial_window + extra;
        loop {
            let window = self.window.min(allowed - sent as i64).max(0) as usize;
            let left = self.body.len() - sent;
            let length = left.min(window).min(self.settings.max_frame);
            let is_last = length == left;
            if length == 0 && !is_last {
                return sent;
            }
            let ends = is_last && self.trailers.is_empty();
            let flags = if ends { flag::END_STREAM } else { 0 };
            frame::write_header(out, length, kind::DATA, flags, stream);
            out.extend_from_slice(&self.body[sent..sent + length]);
            sent += length;
            self.window -= length as i64;
            if is_last {
                return sent;
            }
        }
    }
}

impl Answering for Http2 {
    fn answer(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Then {
        if !self.has_begun {
            if input.len() < PREFACE.len() {
                return Then::Keep;
            }
            if !self.begin(input, out) {
                return Then::Close;
            }
        }
        loop {
            let taken = match Frame::take(input) {
                Ok(Some(frame)) => self.take(&frame, out),
                Ok(None) => break,
                Err(fault) => Err(fault),
            };
            if taken.is_err() {
                return Then::Close;
            }
        }
        self.send(out);
        Then::Keep
    }
}

fn write_block(out: &mut Vec<u8>, block: &[u8], flags: u8, stream: u32) {
    let flags = flags | flag::END_HEADERS;
    frame::write_header(out, block.len(), kind::HEADERS, flags, stream);
    out.extend_from_slice(block);
}
