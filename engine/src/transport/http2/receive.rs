//! Handles received frames.

use crate::failure::{Failure, Fault};
use crate::transport::{Arrival, REFUSED};

use super::frame::{self, Frame, error, flag, kind};
use super::script::Script;
use super::settings::{self, CONNECTION_WINDOW, STREAM_WINDOW};
use super::{Dialect, Http2, INTERIM};

const BLOCK_LIMIT: usize = 256 << 10;

/// An incomplete header block.
#[derive(Clone, Copy)]
pub struct Headers {
    stream: u32,
    ends_stream: bool,
}

/// The effect of a frame.
pub enum Progress {
    NeedInput,
    Opened,
    /// The server allows more streams than before.
    Widened,
    /// The server accepts no more calls; those in flight go on.
    Closing,
    /// The server has ended the stream; its response is complete.
    Ended {
        id: u32,
    },
    Failed {
        call: u32,
        fault: Fault,
    },
}

impl<D: Dialect> Http2<D> {
    /// Handles frames until one has an effect.
    pub(super) fn progress(
        &mut self,
        script: &Script,
        input: &mut &[u8],
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Result<Progress, Fault> {
        while let Some(frame) = Frame::take(input)? {
            if !self.settings_seen && frame.kind != kind::SETTINGS {
                return Err(Fault::protocol(
                    "a connection that does not begin with SETTINGS",
                ));
            }
            if self.continued.is_some() && frame.kind != kind::CONTINUATION {
                return Err(Fault::protocol("another frame within a header block"));
            }
            let progress = match frame.kind {
                kind::DATA => self.receive_data(script, &frame, at, out)?,
                kind::HEADERS => self.receive_headers(script, &frame, at.now, out)?,
                kind::CONTINUATION => self.receive_continuation(script, &frame, out)?,
                kind::SETTINGS => self.receive_settings(script, &frame, out)?,
                kind::RST_STREAM => self.receive_reset(&frame)?,
                kind::GOAWAY => self.receive_goaway(&frame)?,
                kind::WINDOW_UPDATE => {
                    let increment = frame.number(0)? & 0x7fff_ffff;
                    self.widen(script, frame.stream, increment, out)?;
                    None
                }
                kind::PING => {
                    let before = out.len();
                    answer_ping(&frame, out)?;
                    self.owed.add(out.len() - before)?;
                    None
                }
                kind::PUSH_PROMISE => return Err(Fault::protocol("a push that was disabled")),
                // Priorities and extensions are ignored.
                _ => None,
            };
            if let Some(progress) = progress {
                return Ok(progress);
            }
        }
        Ok(Progress::NeedInput)
    }

    fn receive_data(
        &mut self,
        script: &Script,
        frame: &Frame,
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Result<Option<Progress>, Fault> {
        let content = frame.content()?;
        let length = frame.payload.len() as u32;
        self.unacknowledged += length;
        if self.unacknowledged >= CONNECTION_WINDOW / 2 {
            frame::write_window_update(out, 0, self.unacknowledged);
            self.unacknowledged = 0;
        }
        self.check_known(frame.stream)?;
        let Some(stream) = self.streams.get(frame.stream) else {
            return Ok(None);
        };
        stream.first_byte.get_or_insert(at.now);
        stream.add_received(frame.size());
        if !stream.response.headers_complete {
            return Err(Fault::protocol("a body before its headers"));
        }
        let look = &script.requests[stream.request as usize].look;
        match stream.response.take(content, true, at, D::FORM, look) {
            Err(fault) => return Ok(self.fail(frame.stream, fault, out)),
            Ok(is_enough) => stream.response.is_cut = is_enough,
        }
        stream.is_over = frame.has(flag::END_STREAM);
        if stream.is_over || stream.response.is_cut {
            return Ok(Some(Progress::Ended { id: frame.stream }));
        }
        stream.unacknowledged += length;
        if stream.unacknowledged >= STREAM_WINDOW / 2 {
            frame::write_window_update(out, frame.stream, stream.unacknowledged);
            stream.unacknowledged = 0;
        }
        if stream.response.items.is_on() {
            self.take_turn(script, frame.stream, out);
        }
        Ok(None)
    }

    fn receive_headers(
        &mut self,
        script: &Script,
        frame: &Frame,
        now: u64,
        out: &mut Vec<u8>,
    ) -> Result<Option<Progress>, Fault> {
        self.check_known(frame.stream)?;
        let content = frame.content()?;
        if let Some(stream) = self.streams.get(frame.stream) {
            stream.first_byte.get_or_insert(now);
            stream.add_received(frame.size());
        }
        let headers = Headers {
            stream: frame.stream,
            ends_stream: frame.has(flag::END_STREAM),
        };
        if frame.has(flag::END_HEADERS) {
            return self.take_block(script, headers, content, out);
        }
        self.block.clear();
        self.block.extend_from_slice(content);
        self.continued = Some(headers);
        Ok(None)
    }

    fn receive_continuation(
        &mut self,
        script: &Script,
        frame: &Frame,
        out: &mut Vec<u8>,
    ) -> Result<Option<Progress>, Fault> {
        let Some(headers) = self
            .continued
            .filter(|headers| headers.stream == frame.stream)
        else {
            return Err(Fault::protocol("a CONTINUATION without HEADERS"));
        };
        if self.block.len() + frame.payload.len() > BLOCK_LIMIT {
            return Err(Fault::new(
                Failure::Oversized,
                "headers of more than 256 KiB",
            ));
        }
        self.block.extend_from_slice(frame.payload);
        if let Some(stream) = self.streams.get(frame.stream) {
            stream.add_received(frame.size());
        }
        if !frame.has(flag::END_HEADERS) {
            return Ok(None);
        }
        self.continued = None;
        let block = std::mem::take(&mut self.block);
        let progress = self.take_block(script, headers, &block, out);
        self.block = block;
        progress
    }

    /// Handles a complete header block, even for a closed stream, as it changes the table.
    fn take_block(
        &mut self,
        script: &Script,
        headers: Headers,
        block: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<Progress>, Fault> {
        const BROKEN: Fault = Fault::protocol("headers that cannot be decompressed");
        let Some(stream) = self.streams.get(headers.stream) else {
            self.decoder.decode(block, |_, _| {}).ok_or(BROKEN)?;
            return Ok(None);
        };
        let look = &script.requests[stream.request as usize].look;
        let response = &mut stream.response;
        let are_trailers = response.headers_complete;
        response.begin_fields();
        self.decoder
            .decode(block, |name, value| response.field(name, value, look))
            .ok_or(BROKEN)?;
        let ended = match (response.end_fields(), headers.ends_stream) {
            (Ok(()), true) if response.is_interim() => Err(INTERIM),
            (Ok(()), false) if are_trailers => {
                Err(Fault::protocol("trailers that do not end the stream"))
            }
            (ended, _) => ended,
        };
        if let Err(fault) = ended {
            return Ok(self.fail(headers.stream, fault, out));
        }
        stream.is_over = headers.ends_stream;
        let id = headers.stream;
        Ok(headers.ends_stream.then_some(Progress::Ended { id }))
    }

    fn receive_settings(
        &mut self,
        script: &Script,
        frame: &Frame,
        out: &mut Vec<u8>,
    ) -> Result<Option<Progress>, Fault> {
        if frame.has(flag::ACK) {
            return Ok(None);
        }
        let before = self.peer;
        self.peer.update(frame)?;
        self.encoder.limit(self.peer.smallest_header_table);
        self.encoder.limit(self.peer.header_table_size);
        settings::write_acknowledgement(out);
        self.owed.add(frame::HEADER)?;
        let shift = self.peer.initial_window - before.initial_window;
        self.shift_windows(script, shift, out);
        if self.is_open {
            let is_wider = self.peer.max_concurrent_streams > before.max_concurrent_streams;
            return Ok(is_wider.then_some(Progress::Widened));
        }
        // A server that allows no streams yet may allow them later; the connect time-out runs until
        // then.
        self.settings_seen = true;
        self.is_open = self.peer.max_concurrent_streams > 0;
        Ok(self.is_open.then_some(Progress::Opened))
    }

    fn receive_reset(&mut self, frame: &Frame) -> Result<Option<Progress>, Fault> {
        self.check_known(frame.stream)?;
        let code = frame.number(0)?;
        let Some(stream) = self.streams.close(frame.stream) else {
            return Ok(None);
        };
        let fault = Fault::new(Failure::StreamReset, error::name(code));
        Ok(Some(Progress::Failed {
            call: stream.call,
            fault,
        }))
    }

    /// The server accepts no more calls, and will not serve those above a stream number.
    fn receive_goaway(&mut self, frame: &Frame) -> Result<Option<Progress>, Fault> {
        let last = frame.number(0)? & 0x7fff_ffff;
        let fault = match frame.number(4)? {
            0 => REFUSED,
            code => Fault::new(Failure::Goaway, error::name(code)),
        };
        let is_first = !std::mem::replace(&mut self.is_closing, true);
        let beyond = |streams: &mut super::Streams| {
            streams
                .all()
                .find(|stream| stream.id > last)
                .map(|stream| (stream.id, stream.call))
        };
        while let Some((id, call)) = beyond(&mut self.streams) {
            self.streams.close(id);
            self.doomed.push((call, fault));
        }
        if is_first {
            return Ok(Some(Progress::Closing));
        }
        let next = self.doomed.pop();
        Ok(next.map(|(call, fault)| Progress::Failed { call, fault }))
    }

    /// Resets a stream.
    fn fail(&mut self, id: u32, fault: Fault, out: &mut Vec<u8>) -> Option<Progress> {
        let call = self.streams.close(id)?.call;
        frame::write_reset(out, id, error::CANCEL);
        Some(Progress::Failed { call, fault })
    }

    fn check_known(&self, stream: u32) -> Result<(), Fault> {
        if self.streams.has_been_opened(stream) {
            return Ok(());
        }
        Err(Fault::protocol(
            "a frame for a stream that was never opened",
        ))
    }
}

fn answer_ping(frame: &Frame, out: &mut Vec<u8>) -> Result<(), Fault> {
    if frame.payload.len() != 8 {
        return Err(Fault::protocol("a ping of the wrong size"));
    }
    if !frame.has(flag::ACK) {
        frame::write_header(out, 8, kind::PING, flag::ACK, 0);
        out.extend_from_slice(frame.payload);
    }
    Ok(())
}
