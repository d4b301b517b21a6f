//! Sends requests within the windows that the server allows.

use crate::failure::Fault;

use super::frame::{self, flag, kind};
use super::script::Script;
use super::stream::Stream;
use super::{Dialect, Http2, Start};

const LARGEST_WINDOW: i64 = 0x7fff_ffff;

impl<D: Dialect> Http2<D> {
    /// Sends the headers of a request, and its body as far as the windows allow.
    pub(super) fn send_request(&mut self, script: &Script, call: Start, out: &mut Vec<u8>) {
        let rendered = &script.requests[call.request as usize];
        let window = self.peer.initial_window;
        let stream = self.streams.open(call.call, call.request, window);
        let id = stream.id;
        let flags = if rendered.body.is_empty() {
            flag::END_STREAM
        } else {
            0
        };
        let begin = out.len();
        frame::write_header(out, 0, kind::HEADERS, flags | flag::END_HEADERS, id);
        self.encoder.begin(out);
        for &number in &rendered.fields {
            self.encoder
                .write(number, &script.fields[number as usize], out);
        }
        finish_headers(out, begin, self.peer.max_frame);
        stream.response.items.begin(&rendered.items, call.counts);
        stream.bytes_sent = (out.len() - begin) as u32;
        stream.body_complete = rendered.body.is_empty();
        if !stream.body_complete && !self.send_body(script, id, out) {
            self.blocked.push(id);
        }
    }

    /// Sends the next message of a request, if it waited for an item.
    pub(super) fn take_turn(&mut self, script: &Script, id: u32, out: &mut Vec<u8>) {
        let waits =
            |it: &mut Stream| script.requests[it.request as usize].in_turn && !it.body_complete;
        let waits = self.streams.get(id).is_some_and(waits);
        if waits && !self.send_body(script, id, out) && !self.blocked.contains(&id) {
            self.blocked.push(id);
        }
    }

    /// Sends a body as far as the windows and the turns allow. False if it waits for a window.
    fn send_body(&mut self, script: &Script, id: u32, out: &mut Vec<u8>) -> bool {
        let Some(stream) = self.streams.get(id) else {
            return true;
        };
        let rendered = &script.requests[stream.request as usize];
        let (body, total) = (&rendered.body, rendered.length());
        while stream.body_sent < total {
            let turns = stream.response.items.items.count as usize + 1;
            let end = match rendered.in_turn {
                true => total.min(rendered.end(turns)),
                false => total,
            };
            if stream.body_sent >= end {
                return true;
            }
            let window = self.send_window.min(stream.send_window);
            if window <= 0 {
                return false;
            }
            let left = end - stream.body_sent;
            let length = left.min(self.peer.max_frame).min(window as usize);
            let ends = stream.body_sent + length == total;
            let flags = if ends { flag::END_STREAM } else { 0 };
            frame::write_header(out, length, kind::DATA, flags, id);
            // Several messages may share a frame.
            let end = stream.body_sent + length;
            while stream.body_sent < end {
                let rest = &body[rendered.offset(stream.body_sent)..];
                let piece = &rest[..rest.len().min(end - stream.body_sent)];
                out.extend_from_slice(piece);
                stream.body_sent += piece.len();
            }
            stream.send_window -= length as i64;
            self.send_window -= length as i64;
            let bytes = (frame::HEADER + length) as u32;
            stream.bytes_sent = stream.bytes_sent.saturating_add(bytes);
        }
        stream.body_complete = true;
        true
    }

    /// Continues the bodies that wait for a window.
    fn send_blocked(&mut self, script: &Script, out: &mut Vec<u8>) {
        let mut blocked = std::mem::take(&mut self.blocked);
        blocked.retain(|&id| !self.send_body(script, id, out));
        self.blocked = blocked;
    }

    /// Extends the window of a stream or of the connection (stream 0).
    pub(super) fn widen(
        &mut self,
        script: &Script,
        id: u32,
        increment: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        if increment == 0 {
            return Err(Fault::protocol("a window update of 0"));
        }
        let window = match id {
            0 => Some(&mut self.send_window),
            id => self.streams.get(id).map(|stream| &mut stream.send_window),
        };
        let Some(window) = window else { return Ok(()) };
        *window += i64::from(increment);
        if *window > LARGEST_WINDOW {
            return Err(Fault::protocol("a window beyond 2^31 - 1"));
        }
        self.send_blocked(script, out);
        Ok(())
    }

    /// Changes the window of all open streams after a change of the initial window.
    pub(super) fn shift_windows(&mut self, script: &Script, change: i64, out: &mut Vec<u8>) {
        if change != 0 {
            self.streams
                .all()
                .for_each(|stream| stream.send_window += change);
            self.send_blocked(script, out);
        }
    }
}

/// Writes the length into the HEADERS frame from `begin` to the end; a longer block is split into
/// continuations.
fn finish_headers(out: &mut Vec<u8>, begin: usize, max_frame: usize) {
    let length = out.len() - begin - frame::HEADER;
    if length <= max_frame {
        let [_, a, b, c] = (length as u32).to_be_bytes();
        out[begin..begin + 3].copy_from_slice(&[a, b, c]);
        return;
    }
    let frame = out.split_off(begin);
    let (header, block) = frame.split_at(frame::HEADER);
    let stream = u32::from_be_bytes([header[5], header[6], header[7], header[8]]);
    let pieces = block.chunks(max_frame);
    let last = pieces.len() - 1;
    for (number, piece) in pieces.enumerate() {
        let kind = if number == 0 {
            kind::HEADERS
        } else {
            kind::CONTINUATION
        };
        let end = if number == last { flag::END_HEADERS } else { 0 };
        let ends_stream = if number == 0 {
            header[4] & flag::END_STREAM
        } else {
            0
        };
        frame::write_header(out, piece.len(), kind, end | ends_stream, stream);
        out.extend_from_slice(piece);
    }
}
