//! HTTP/2 with prior knowledge: concurrent calls on a connection.

mod dialect;
pub mod frame;
pub mod hpack;
mod receive;
mod script;
mod send;
pub mod settings;
mod stream;

use std::marker::PhantomData;

use crate::failure::{Failure, Fault};
use crate::job::{Connections, Endpoint, Request};

use super::{Arrival, Codec, Lost, Owed, Reply, Start, Step};
pub use dialect::{Dialect, Plain, Wrapped};
pub use hpack::Indexing;
use hpack::{Decoder, Encoder};
use receive::Progress;
use script::Script;
pub use script::fields;
use settings::PeerSettings;
use stream::Streams;
pub use stream::{Form, Response};

/// The fault of a stream with an interim response only.
pub const INTERIM: Fault = Fault::protocol("an interim response that ends the stream");

/// One connection's side of HTTP/2.
pub struct Http2<D> {
    limit: usize,
    streams: Streams,
    encoder: Encoder,
    decoder: Decoder,
    peer: PeerSettings,
    /// The send window of the connection.
    send_window: i64,
    /// The bytes received on the connection since the last window update.
    unacknowledged: u32,
    /// The incomplete header block.
    block: Vec<u8>,
    continued: Option<receive::Headers>,
    /// Unsent answers to pings and settings.
    owed: Owed,
    /// Streams whose bodies wait for a window.
    blocked: Vec<u32>,
    /// Calls that the server has refused (GOAWAY).
    doomed: Vec<(u32, Fault)>,
    settings_seen: bool,
    is_open: bool,
    is_closing: bool,
    dialect: PhantomData<D>,
}

impl<D: Dialect> Codec for Http2<D> {
    type Script = Script;

    const WRONG_STATUS: Failure = D::WRONG_STATUS;

    fn script(endpoint: &Endpoint, connections: &Connections, requests: &[Request]) -> Script {
        script::render::<D>(endpoint, connections, requests)
    }

    fn put(script: &mut Script, index: usize, model: u32, filled: Script) {
        script.put(index, model, filled);
    }

    fn new(streams: u32, _seed: u64) -> Self {
        Self {
            limit: streams as usize,
            streams: Streams::new(streams as usize),
            encoder: Encoder::new(),
            decoder: Decoder::new(),
            peer: PeerSettings::default(),
            send_window: 0,
            unacknowledged: 0,
            block: Vec::new(),
            continued: None,
            owed: Owed::default(),
            blocked: Vec::new(),
            doomed: Vec::new(),
            settings_seen: false,
            is_open: false,
            is_closing: false,
            dialect: PhantomData,
        }
    }

    fn open(&mut self, script: &Script, out: &mut Vec<u8>) -> bool {
        self.streams.reset();
        self.encoder.reset(script.entering);
        self.decoder.reset();
        self.peer = PeerSettings::default();
        self.send_window = i64::from(settings::DEFAULT_WINDOW);
        self.unacknowledged = 0;
        self.continued = None;
        self.owed.clear();
        self.blocked.clear();
        self.doomed.clear();
        self.settings_seen = false;
        self.is_open = false;
        self.is_closing = false;
        settings::write_opening(out);
        // The server's settings come first: its limits must be known before a request is sent.
        false
    }

    #[inline]
    fn capacity(&self) -> usize {
        if !self.is_open || self.is_closing() {
            return 0;
        }
        let most = self.limit.min(self.peer.max_concurrent_streams);
        most.saturating_sub(self.streams.active())
    }

    #[inline]
    fn start(&mut self, script: &Script, call: Start, out: &mut Vec<u8>) {
        self.send_request(script, call, out);
    }

    fn step<'reply, 'input: 'reply>(
        &'reply mut self,
        script: &Script,
        input: &mut &'input [u8],
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Step<'reply> {
        if let Some((call, fault)) = self.doomed.pop() {
            return Step::Failed { call, fault };
        }
        match self.progress(script, input, at, out) {
            Err(fault) => Step::Broken(fault),
            Ok(Progress::NeedInput) => Step::NeedInput,
            Ok(Progress::Opened) => Step::Opened,
            Ok(Progress::Widened) => Step::Widened,
            Ok(Progress::Closing) => Step::Closing,
            Ok(Progress::Failed { call, fault }) => Step::Failed { call, fault },
            Ok(Progress::Ended { id }) => self.conclude(script, id, at, out),
        }
    }

    fn conclude_now(&mut self, script: &Script, call: u32, out: &mut Vec<u8>) -> Step<'_> {
        let Some(stream) = self.streams.all().find(|stream| stream.call == call) else {
            return Step::NeedInput;
        };
        stream.response.is_cut = true;
        let id = stream.id;
        self.conclude(script, id, &mut Arrival::at(0), out)
    }

    fn abandon(&mut self, call: u32, out: &mut Vec<u8>) -> bool {
        let found = self
            .streams
            .all()
            .find(|stream| stream.call == call)
            .map(|stream| stream.id);
        if let Some(id) = found {
            self.streams.close(id);
            frame::write_reset(out, id, frame::error::CANCEL);
        }
        true
    }

    fn take_call(&mut self) -> Option<Lost> {
        if let Some((call, _)) = self.doomed.pop() {
            return Some(Lost {
                call,
                has_begun: false,
            });
        }
        let id = self.streams.all().next()?.id;
        self.streams.close(id).map(|stream| Lost {
            call: stream.call,
            has_begun: stream.first_byte.is_some(),
        })
    }

    fn has_begun(&self, call: u32) -> bool {
        self.streams
            .iter()
            .any(|stream| stream.call == call && stream.first_byte.is_some())
    }

    #[inline]
    fn drained(&mut self) {
        self.owed.clear();
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.streams.active() == 0 && self.doomed.is_empty()
    }

    #[inline]
    fn is_closing(&self) -> bool {
        // A server that changes its limit of streams to 0 may keep it forever.
        let is_shut = self.is_open && self.peer.max_concurrent_streams == 0;
        self.is_closing || self.streams.is_exhausted() || is_shut
    }
}

impl<D: Dialect> Http2<D> {
    /// Builds the reply of a stream that the server has ended.
    fn conclude(
        &mut self,
        script: &Script,
        id: u32,
        at: &mut Arrival,
        out: &mut Vec<u8>,
    ) -> Step<'_> {
        let ended = self.streams.get(id).map_or(Ok(()), |stream| {
            let response = &mut stream.response;
            response.end_body(&script.requests[stream.request as usize].look);
            match response.is_cut {
                true => Ok(()),
                false => response.items.end(at, response.body.has_nothing()),
            }
        });
        let Some(stream) = self.streams.close(id) else {
            return Step::NeedInput;
        };
        let call = stream.call;
        if !stream.body_complete || !stream.is_over {
            // The reply is complete before the request is, or the rest is not needed.
            frame::write_reset(out, id, frame::error::CANCEL);
        }
        if let Err(fault) = ended {
            return Step::Failed { call, fault };
        }
        let rendered = &script.requests[stream.request as usize];
        match D::conclude(&stream.response, rendered.is_head) {
            Err(fault) => Step::Failed { call, fault },
            Ok(conclusion) => {
                let sent = rendered.sent(stream.body_sent);
                let reply = Reply {
                    first_byte: stream.first_byte.unwrap_or(0),
                    bytes_sent: stream.bytes_sent,
                    bytes_received: stream.bytes_received,
                    payload_sent: rendered.payload(sent),
                    long: stream.response.long,
                    headers: &stream.response.found,
                    items: stream.response.items.items,
                    items_sent: sent as u32 * u32::from(stream.response.items.is_on()),
                    ..Reply::from(conclusion)
                };
                Step::Replied { call, reply }
            }
        }
    }
}

#[cfg(test)]
mod tests;
