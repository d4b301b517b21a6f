//! Requests on their way out, within the windows that the server allows.

use crate::failure::Fault;

use super::frame::{self, flag, kind};
use super::script::Script;
use super::{Dialect, Http2};

const LARGEST_WINDOW: i64 = 0x7fff_ffff;

impl<D: Dialect> Http2<D> {
    pub(super) fn send_request(
        &mut self,
        script: &Script,
        call: u32,
        request: u32,
        out: &mut Vec<u8>,
    ) {
        let rendered = &script.requests[request as usize];
        let stream = self.streams.open(call, request, self.peer.initial_window);
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
                .write(number, &script.fields[usize::from(number)], out);
        }
        finish_headers(out, begin, self.peer.max_frame);
        stream.bytes_sent = (out.len() - begin) as u32;
        stream.body_complete = rendered.body.is_empty();
        if !stream.body_complete && !self.send_body(script, id, out) {
            self.blocked.push(id);
        }
    }

    /// Sends of a body what the windows allow. True if nothing is left of it.
    fn send_body(&mut self, script: &Script, id: u32, out: &mut Vec<u8>) -> bool {
        let Some(stream) = self.streams.get(id) else {
            return true;
        };
        let body = &script.requests[stream.request as usize].body;
        while stream.body_sent < body.len() {
            let window = self.send_window.min(stream.send_window);
            if window <= 0 {
                return false;
            }
            let left = body.len() - stream.body_sent;
            let length = left.min(self.peer.max_frame).min(window as usize);
            let flags = if length == left { flag::END_STREAM } else { 0 };
            frame::write_header(out, length, kind::DATA, flags, id);
            out.extend_from_slice(&body[stream.body_sent..stream.body_sent + length]);
            stream.body_sent += length;
            stream.send_window -= length as i64;
            self.send_window -= length as i64;
            stream.bytes_sent += (frame::HEADER + length) as u32;
        }
        stream.body_complete = true;
        true
    }

    /// Goes on with the bodies that waited for window.
    fn send_blocked(&mut self, script: &Script, out: &mut Vec<u8>) {
        let mut blocked = std::mem::take(&mut self.blocked);
        blocked.retain(|&id| !self.send_body(script, id, out));
        self.blocked = blocked;
    }

    /// The server allows more on a stream, or on the connection (stream 0).
    pub(super) fn widen(
        &mut self,
        script: &Script,
        id: u32,
        increment: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        if increment == 0 {
            return Err(Fault::protocol("a window update by nothing"));
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

    /// The server has changed the window that streams begin with: those that are open as well.
    pub(super) fn shift_windows(&mut self, script: &Script, change: i64, out: &mut Vec<u8>) {
        if change != 0 {
            self.streams
                .all()
                .for_each(|stream| stream.send_window += change);
            self.send_blocked(script, out);
        }
    }
}

/// Writes the length into the HEADERS frame that begins at `begin` and reaches to the end; what
/// is too long for one frame is cut into continuations.
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
