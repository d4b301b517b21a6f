//! The streams of a connection.
//!
//! The slot of a stream is computed from its number with a shift and a mask. A number whose slot is
//! still used by a slow stream is skipped, which HTTP/2 allows.

use crate::encoding::Encoding;
use crate::failure::Fault;
use crate::transport::rpc::{Content, PREFIX, status};
use crate::transport::{Arrival, Bulk, FoundHeader, ItemReader, Look, Summary};

/// The most bytes of an error message that are kept.
const MESSAGE: usize = 1 << 10;

/// The last stream number; the connection is closed before numbers are exhausted.
const LAST: u32 = 0x7fff_0000;

/// A stream.
#[derive(Default)]
pub struct Stream {
    /// The stream number; 0 if the slot is free.
    pub id: u32,
    pub call: u32,
    pub request: u32,
    pub response: Response,
    /// The sent bytes of the request's body, which may be sent several times.
    pub body_sent: usize,
    pub body_complete: bool,
    /// Whether the server has ended the stream.
    pub is_over: bool,
    pub send_window: i64,
    /// The bytes received since the last window update.
    pub unacknowledged: u32,
    pub first_byte: Option<u64>,
    pub bytes_sent: u32,
    pub bytes_received: u32,
}

impl Stream {
    /// Counts received bytes.
    #[inline]
    pub fn add_received(&mut self, bytes: usize) {
        self.bytes_received = self.bytes_received.saturating_add(bytes as u32);
    }
}

/// The form of a response's body, which determines whether it must be kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not encoded: it can be searched as it arrives.
    Plain,
    /// A gRPC message after its prefix, which can be searched if it is not compressed.
    Message,
    /// Encoded: it is parsed when it is complete.
    Wrapped,
}

/// The prefix of a gRPC message: whether it is compressed, and its length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prefix {
    bytes: [u8; PREFIX],
    length: usize,
}

impl Prefix {
    /// Reads the missing bytes of the prefix from the front.
    #[inline]
    fn take(&mut self, content: &mut &[u8]) {
        let count = content.len().min(PREFIX - self.length);
        let (begin, rest) = content.split_at(count);
        self.bytes[self.length..][..count].copy_from_slice(begin);
        self.length += count;
        *content = rest;
    }

    /// The flag and the length of the message, if the prefix is complete.
    pub fn read(&self) -> Option<(u8, usize)> {
        let [flag, a, b, c, d] = self.bytes;
        (self.length == PREFIX).then(|| (flag, u32::from_be_bytes([a, b, c, d]) as usize))
    }
}

/// The received part of a response.
#[derive(Default)]
pub struct Response {
    pub http_status: Option<u16>,
    pub grpc_status: Option<u16>,
    pub grpc_message: Vec<u8>,
    pub content: Content,
    pub content_length: Option<usize>,
    /// The encoding of the body as a whole.
    pub encoding: Encoding,
    /// The encoding of messages that are marked as compressed.
    pub message_encoding: Encoding,
    pub headers_complete: bool,
    /// Whether the current block of fields has a regular one, and whether it is malformed.
    has_regular: bool,
    is_malformed: bool,
    /// The prefix of the body, if it is a message.
    pub prefix: Prefix,
    pub body: Bulk,
    /// The summary of a long body.
    pub long: Option<Summary>,
    pub items: ItemReader,
    /// Whether the engine has ended it.
    pub is_cut: bool,
    /// The captured headers.
    pub found: Vec<FoundHeader>,
}

impl Response {
    /// Begins the next response.
    pub fn clear(&mut self) {
        self.clear_head();
        self.headers_complete = false;
        self.prefix = Prefix::default();
        self.body.clear();
        self.long = None;
        self.is_cut = false;
    }

    fn clear_head(&mut self) {
        self.http_status = None;
        self.grpc_status = None;
        self.grpc_message.clear();
        self.content = Content::Other;
        self.content_length = None;
        self.encoding = Encoding::Identity;
        self.message_encoding = Encoding::Identity;
        self.found.clear();
    }

    /// Begins a block of fields: the head of an interim or of the final response, or trailers.
    #[inline]
    pub fn begin_fields(&mut self) {
        if !self.headers_complete {
            self.clear_head();
        }
        self.has_regular = false;
        self.is_malformed = false;
    }

    /// Ends a block of fields; an interim response (1xx) is followed by the final one. The fault is
    /// that the block is malformed.
    #[inline]
    pub fn end_fields(&mut self) -> Result<(), Fault> {
        if self.is_malformed {
            return Err(Fault::protocol("a pseudo-header where none is allowed"));
        }
        self.headers_complete |= !self.is_interim();
        Ok(())
    }

    /// Whether only the head of an interim response has been received.
    pub fn is_interim(&self) -> bool {
        let status = self.http_status.unwrap_or_default();
        !self.headers_complete && (100..200).contains(&status)
    }

    /// Adds a piece of the body, which may be the last one of a frame. True if there are enough
    /// items.
    #[inline]
    pub fn take(
        &mut self,
        mut content: &[u8],
        ends_frame: bool,
        at: &mut Arrival,
        form: Form,
        look: &Look,
    ) -> Result<bool, Fault> {
        if self.items.is_on() {
            let is_enough = self.items.read(content, at, &mut self.body, look)?;
            if ends_frame && !content.is_empty() && !is_enough {
                self.items.end_chunk(at);
            }
            return Ok(self.items.is_satisfied());
        }
        let is_plain = match form {
            Form::Plain => self.encoding == Encoding::Identity,
            Form::Message => {
                self.prefix.take(&mut content);
                self.prefix.bytes[0] == 0
            }
            Form::Wrapped => false,
        };
        match is_plain {
            true => self.body.take(content, look)?,
            false => self.body.keep(content, look)?,
        }
        Ok(false)
    }

    /// Ends the body.
    pub fn end_body(&mut self, look: &Look) {
        self.long = self.body.end(look);
    }

    /// The length of the received body, in bytes.
    pub fn length(&self) -> usize {
        self.long
            .map_or(self.body.len(), |long| long.length as usize)
    }

    /// Adds a field. Before all others, and not in trailers, there is one pseudo-header: `:status`.
    #[inline]
    pub fn field(&mut self, name: &[u8], value: &[u8], look: &Look) {
        if name.starts_with(b":") {
            let is_repeated = self.http_status.is_some();
            self.is_malformed |= name != b":status" || self.has_regular || is_repeated;
            self.http_status = status(value);
            return;
        }
        self.has_regular = true;
        if !look.headers.is_empty() {
            look.keep_header(name, value, &mut self.found);
        }
        match name {
            b"grpc-status" => self.grpc_status = status(value),
            b"grpc-message" => {
                self.grpc_message.clear();
                let shown = &value[..value.len().min(MESSAGE)];
                self.grpc_message.extend_from_slice(shown);
            }
            // Trailers do not describe the body, which has been read.
            _ if self.headers_complete => {}
            b"content-type" => self.content = Content::new(value),
            b"content-encoding" => self.encoding = Encoding::parse(value),
            b"grpc-encoding" => self.message_encoding = Encoding::parse(value),
            b"content-length" => self.content_length = number(value).map(|length| length as usize),
            _ => {}
        }
    }
}

/// A decimal number that fits into 64 bits.
fn number(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 18 {
        return None;
    }
    value.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number * 10 + u64::from(digit))
    })
}

/// The streams of one connection.
pub struct Streams {
    slots: Vec<Stream>,
    active: usize,
    next: u32,
}

impl Streams {
    /// Has twice as many slots as concurrent streams, so that a free one is near.
    pub fn new(limit: usize) -> Self {
        let count = (2 * limit).next_power_of_two();
        Self {
            slots: (0..count).map(|_| Stream::default()).collect(),
            active: 0,
            next: 1,
        }
    }

    /// Resets the state for a new connection.
    pub fn reset(&mut self) {
        self.slots.iter_mut().for_each(|stream| stream.id = 0);
        self.active = 0;
        self.next = 1;
    }

    /// The number of open streams.
    pub fn active(&self) -> usize {
        self.active
    }

    /// Whether stream numbers are exhausted.
    pub fn is_exhausted(&self) -> bool {
        self.next > LAST
    }

    /// Whether a stream with this number has ever been opened.
    pub fn has_been_opened(&self, id: u32) -> bool {
        id % 2 == 1 && id < self.next
    }

    #[inline]
    fn slot(&self, id: u32) -> usize {
        (id >> 1) as usize & (self.slots.len() - 1)
    }

    /// Opens the next stream.
    #[inline]
    pub fn open(&mut self, call: u32, request: u32, send_window: i64) -> &mut Stream {
        while self.slots[self.slot(self.next)].id != 0 {
            self.next += 2;
        }
        let id = self.next;
        self.next += 2;
        self.active += 1;
        let slot = self.slot(id);
        let stream = &mut self.slots[slot];
        stream.response.clear();
        stream.id = id;
        stream.call = call;
        stream.request = request;
        stream.send_window = send_window;
        stream.body_sent = 0;
        stream.body_complete = false;
        stream.is_over = false;
        stream.unacknowledged = 0;
        stream.first_byte = None;
        stream.bytes_sent = 0;
        stream.bytes_received = 0;
        stream
    }

    /// An open stream.
    #[inline]
    pub fn get(&mut self, id: u32) -> Option<&mut Stream> {
        let slot = self.slot(id);
        self.slots
            .get_mut(slot)
            .filter(|stream| stream.id == id && id != 0)
    }

    /// Closes a stream. Its response stays readable until its slot is used again.
    #[inline]
    pub fn close(&mut self, id: u32) -> Option<&Stream> {
        let slot = self.slot(id);
        let stream = self
            .slots
            .get_mut(slot)
            .filter(|stream| stream.id == id && id != 0)?;
        stream.id = 0;
        self.active -= 1;
        Some(stream)
    }

    /// All open streams.
    pub fn iter(&self) -> impl Iterator<Item = &Stream> {
        self.slots.iter().filter(|stream| stream.id != 0)
    }

    /// All open streams, mutably.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.slots.iter_mut().filter(|stream| stream.id != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_stream_keeps_its_slot() {
        let mut streams = Streams::new(2);
        let slow = streams.open(0, 0, 0).id;
        let mut numbers = Vec::new();
        for call in 1..8 {
            let id = streams.open(call, 0, 0).id;
            numbers.push(id);
            assert_eq!(streams.close(id).map(|stream| stream.call), Some(call));
        }
        assert_eq!(numbers, [3, 5, 7, 11, 13, 15, 19]);
        assert_eq!(streams.get(slow).map(|stream| stream.call), Some(0));
        assert_eq!((streams.active(), streams.get(5).is_none()), (1, true));
    }

    #[test]
    fn a_reused_slot_is_empty() {
        let mut streams = Streams::new(1);
        let stream = streams.open(1, 0, 0);
        let look = Look::for_texts(&[], 1 << 20);
        stream.response.field(b":status", b"500", &look);
        stream.response.body.keep(b"old", &look).unwrap();
        let id = stream.id;
        streams.close(id);
        streams.open(2, 0, 0);
        let again = streams.open(3, 0, 0);
        assert_eq!(
            (again.response.http_status, again.response.body.len()),
            (None, 0)
        );
    }

    #[test]
    fn only_opened_streams_are_known() {
        let mut streams = Streams::new(1);
        streams.open(0, 0, 0);
        assert!(streams.has_been_opened(1));
        assert!(!streams.has_been_opened(2) && !streams.has_been_opened(3));
        assert!(streams.get(0).is_none());
    }
}
