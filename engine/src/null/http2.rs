//! A null server for HTTP/2 and gRPC. Every request has the same answer, so headers are not
//! decoded.

use std::collections::{HashMap, VecDeque};

use super::{Answering, Then};
use crate::allowance::WHOLE;
use crate::failure::Fault;
use crate::job::Stream;
use crate::transport::http2::frame::{self, Frame, PREFACE, flag, kind};
use crate::transport::http2::settings::{DEFAULT_WINDOW, PeerSettings, write_acknowledgement};
use crate::transport::rpc::with_prefix;
use crate::transport::{Arrival, Bulk, ItemReader, Look};

const INITIAL_WINDOW_SIZE: u16 = 4;
const LARGEST_WINDOW: u32 = 0x7fff_ffff;
/// The number of received bytes after which the connection's window is extended.
const REFILL: u32 = 1 << 20;

/// `:status 200`, an entry of the static table.
const OK: u8 = 0x88;
/// `content-type`, an entry of the static table, followed by its value.
const CONTENT_TYPE: [u8; 2] = [0x0f, 0x10];

/// The state of one connection.
pub struct Http2 {
    head: Vec<u8>,
    body: Vec<u8>,
    /// The header block of the trailers; empty if the body ends the stream.
    trailers: Vec<u8>,
    has_begun: bool,
    /// The bytes received since the connection's window was extended.
    used: u32,
    settings: PeerSettings,
    /// The send window of the connection.
    window: i64,
    /// The send windows of streams beyond the initial window; most streams have none.
    extra: HashMap<u32, i64>,
    /// A request that ends with an incomplete header block.
    unfinished: Option<u32>,
    answers: VecDeque<Answer>,
    /// Whether each message is answered at once, instead of all of them after the last.
    answers_each: bool,
    /// The buffer for received messages, which are dropped.
    heard: Bulk,
    /// For messages, which are not searched.
    look: Look,
}

/// An answer that is being sent.
struct Answer {
    stream: u32,
    /// The number of bytes sent and to send; the body is repeated.
    sent: usize,
    owed: usize,
    /// Whether the request has ended.
    is_last: bool,
    messages: ItemReader,
}

impl Http2 {
    /// Answers with one body.
    pub fn plain(body: Vec<u8>, content_type: &str) -> Self {
        Self::new(body, content_type.as_bytes(), Vec::new())
    }

    /// Answers with `messages` gRPC messages, to each message or to all together.
    pub fn grpc(message: &[u8], messages: u32, answers_each: bool) -> Self {
        let body = with_prefix(message).repeat(messages as usize);
        let mut trailers = vec![0, 11];
        trailers.extend_from_slice(b"grpc-status\x010");
        Self {
            answers_each,
            ..Self::new(body, b"application/grpc", trailers)
        }
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
            answers_each: false,
            heard: Bulk::default(),
            look: Look::for_texts(&[], WHOLE),
        }
    }

    /// Reads the preface and sends the settings. False if the client does not use HTTP/2.
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
        if frame.kind == kind::HEADERS && self.answers_each {
            self.begin_answer(frame.stream, out);
        }
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
                if self.answers_each {
                    self.hear(frame)?;
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
                self.answers.retain(|answer| answer.stream != frame.stream);
            }
            _ => {}
        }
        Ok(())
    }

    /// A request is complete.
    fn ask(&mut self, stream: u32, out: &mut Vec<u8>) {
        if !self.answers_each {
            self.begin_answer(stream, out);
        }
        let owed = if self.answers_each {
            0
        } else {
            self.body.len()
        };
        if let Some(answer) = self.answers.iter_mut().rfind(|it| it.stream == stream) {
            answer.owed += owed;
            answer.is_last = true;
        }
    }

    fn begin_answer(&mut self, stream: u32, out: &mut Vec<u8>) {
        write_block(out, &self.head, 0, stream);
        self.answers.push_back(Answer {
            stream,
            sent: 0,
            owed: 0,
            is_last: false,
            messages: ItemReader::new(Some(&Stream::default())),
        });
    }

    /// Counts the messages that a frame completes.
    fn hear(&mut self, frame: &Frame) -> Result<(), Fault> {
        let content = frame.content()?;
        let (length, heard) = (self.body.len(), &mut self.heard);
        let stream = frame.stream;
        if let Some(answer) = self.answers.iter_mut().find(|it| it.stream == stream) {
            let before = answer.messages.items.count;
            heard.clear();
            answer
                .messages
                .read(content, &mut Arrival::at(0), heard, &self.look)?;
            answer.owed += length * (answer.messages.items.count - before) as usize;
        }
        Ok(())
    }

    /// Sends answers as far as the windows allow, in turn.
    fn send(&mut self, out: &mut Vec<u8>) {
        for _ in 0..self.answers.len() {
            let Some(mut answer) = self.answers.pop_front() else {
                return;
            };
            self.send_body(&mut answer, out);
            if answer.sent < answer.owed || !answer.is_last {
                self.answers.push_back(answer);
                continue;
            }
            if !self.extra.is_empty() {
                self.extra.remove(&answer.stream);
            }
            if !self.trailers.is_empty() {
                write_block(out, &self.trailers, flag::END_STREAM, answer.stream);
            } else if answer.owed == 0 {
                // No other frame could end the stream.
                frame::write_header(out, 0, kind::DATA, flag::END_STREAM, answer.stream);
            }
        }
    }

    fn send_body(&mut self, answer: &mut Answer, out: &mut Vec<u8>) {
        let extra = self.extra.get(&answer.stream).copied().unwrap_or(0);
        let allowed = self.settings.initial_window + extra;
        while answer.sent < answer.owed {
            let window = self.window.min(allowed - answer.sent as i64).max(0) as usize;
            let from = answer.sent % self.body.len();
            let left = self.body.len() - from;
            let length = left.min(window).min(self.settings.max_frame);
            if length == 0 {
                return;
            }
            let is_last = answer.is_last && answer.sent + length == answer.owed;
            let ends = is_last && self.trailers.is_empty();
            let flags = if ends { flag::END_STREAM } else { 0 };
            frame::write_header(out, length, kind::DATA, flags, answer.stream);
            out.extend_from_slice(&self.body[from..from + length]);
            answer.sent += length;
            self.window -= length as i64;
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
