//! The items of a streamed reply: gRPC messages, server-sent events, lines or chunks, found and
//! timed while their bytes arrive.

use std::sync::Arc;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2};

use crate::capture::{Found, Pointer};
use crate::failure::{Failure, Fault};
use crate::histogram::Gaps;
use crate::job::{ItemKind, Stream};

use super::{Bulk, Look};

/// The longest item that is searched, in bytes.
const LONGEST: usize = 256 << 10;
const TOO_LONG: Fault = Fault::new(
    Failure::Oversized,
    "an item of more than 256 KiB, which is to be searched for a value or for the end",
);

/// The length of the prefix of a gRPC message, in bytes: a flag for compression and its length.
const PREFIX: usize = 5;

/// What may precede the first event (WHATWG HTML, section 9.2.5), in UTF-8.
const BYTE_ORDER_MARK: &[u8; 3] = b"\xef\xbb\xbf";

/// The items of a stream: how many, and when the first and the last were complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Items {
    pub count: u32,
    pub first: u64,
    pub last: u64,
}

/// When bytes arrived, and where the gaps between items are counted, if they are.
pub struct Arrival<'a> {
    pub now: u64,
    pub gaps: Option<&'a mut Gaps>,
}

impl Arrival<'_> {
    /// An arrival whose gaps are not counted.
    pub fn at(now: u64) -> Self {
        Self { now, gaps: None }
    }
}

impl Items {
    /// Adds an item that was complete at `now`; returns the gap after the one before.
    #[inline]
    pub fn add(&mut self, now: u64) -> Option<u64> {
        let gap = (self.count > 0).then(|| now.saturating_sub(self.last));
        if self.count == 0 {
            self.first = now;
        }
        self.count = self.count.saturating_add(1);
        self.last = now;
        gap
    }

    /// Adds the items of another reply of the same transaction.
    pub fn join(&mut self, other: Self) {
        if other.count == 0 {
            return;
        }
        let is_first = self.count == 0;
        self.first = if is_first {
            other.first
        } else {
            self.first.min(other.first)
        };
        self.last = self.last.max(other.last);
        self.count = self.count.saturating_add(other.count);
    }
}

/// Finds the items in the bytes of one reply.
#[derive(Clone, Debug, Default)]
pub struct ItemReader {
    kind: Option<ItemKind>,
    limit: Option<u32>,
    stall_ns: u64,
    /// Present if only items count whose JSON has a value there that is not empty.
    pointer: Option<Arc<Pointer>>,
    /// The texts of the message that ends the reply; no empty list, which would be allocated.
    ends: Option<Arc<[Finder<'static>]>>,
    /// The item that is being received, if it is to be searched for a value or for the end.
    kept: Vec<u8>,
    /// Whether the message that ends the reply has come.
    has_ended: bool,
    /// Whether its gaps are counted.
    counts: bool,
    state: State,
    pub items: Items,
}

/// The state between two items.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Messages: the received bytes of the prefix.
    prefix: [u8; PREFIX],
    prefix_length: usize,
    missing: usize,
    /// Lines and events: the first bytes of the line.
    line: [u8; 5],
    line_length: usize,
    after_carriage_return: bool,
    /// Events: whether any of the lines has data.
    has_data: bool,
    /// Events: the number of bytes of a byte order mark at the beginning, or all of them after it.
    mark_length: usize,
}

impl ItemReader {
    /// A reader of the items of a stream; without a stream, none.
    pub fn new(stream: Option<&Stream>) -> Self {
        Self {
            kind: stream.map(|stream| stream.items),
            limit: stream.and_then(|stream| stream.until_items),
            stall_ns: stream.map_or(u64::MAX, |stream| stream.stall_ns),
            pointer: stream.and_then(|stream| stream.pointer.clone()),
            ends: stream
                .filter(|stream| !stream.until_texts.is_empty())
                .map(|stream| {
                    let texts = stream.until_texts.iter();
                    texts.map(|text| Finder::new(text).into_owned()).collect()
                }),
            ..Self::default()
        }
    }

    /// Begins a reply like `model`, whose gaps are counted or not; keeps the memory.
    #[inline]
    pub fn begin(&mut self, model: &Self, counts: bool) {
        self.kind = model.kind;
        if self.kind.is_none() {
            return;
        }
        self.limit = model.limit;
        self.stall_ns = model.stall_ns;
        self.pointer.clone_from(&model.pointer);
        self.ends.clone_from(&model.ends);
        self.kept.clear();
        self.has_ended = false;
        self.counts = counts;
        self.state = State::default();
        self.items = Items::default();
    }

    /// Adds a complete item, if its JSON has what it must have, and it is not the end of the reply.
    #[inline]
    pub fn found(&mut self, at: &mut Arrival) {
        let mut ends = self.ends.iter().flat_map(|ends| ends.iter());
        self.has_ended = ends.any(|end| end.find(&self.kept).is_some());
        let has_value = !self.has_ended
            && self
                .pointer
                .as_ref()
                .is_none_or(|pointer| match pointer.find(&self.kept) {
                    Ok(Found::Value(text)) => !text.is_empty(),
                    Ok(Found::Composite) => true,
                    Ok(Found::Null | Found::Nothing) | Err(_) => false,
                });
        self.kept.clear();
        if has_value {
            self.add(at);
        }
    }

    /// Adds an item.
    #[inline]
    pub fn add(&mut self, at: &mut Arrival) {
        let gap = self.items.add(at.now);
        if let (Some(gap), true, Some(gaps)) = (gap, self.counts, &mut at.gaps) {
            gaps.record(gap, self.stall_ns);
        }
    }

    /// Keeps a part of an item that is to be searched. The fault is that the item is too long.
    #[inline]
    pub fn keep(&mut self, part: &[u8]) -> Result<(), Fault> {
        if self.pointer.is_some() || self.ends.is_some() {
            if self.kept.len() + part.len() > LONGEST {
                return Err(TOO_LONG);
            }
            self.kept.extend_from_slice(part);
        }
        Ok(())
    }

    /// Whether the reply is a stream.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.kind.is_some()
    }

    /// Whether the required number of items, or the message that ends the reply, has come.
    pub fn is_satisfied(&self) -> bool {
        self.has_ended || self.limit.is_some_and(|limit| self.items.count >= limit)
    }

    /// Reads bytes of the reply and passes them to `body`: messages without their prefixes,
    /// everything else unchanged. True if there are enough items, even if bytes are left.
    pub fn read(
        &mut self,
        mut bytes: &[u8],
        at: &mut Arrival,
        body: &mut Bulk,
        look: &Look,
    ) -> Result<bool, Fault> {
        while !bytes.is_empty() && !self.is_satisfied() {
            let before = bytes;
            match self.kind {
                Some(ItemKind::Messages) => self.read_message(&mut bytes, at, body, look)?,
                Some(ItemKind::Events | ItemKind::Lines) => {
                    self.read_line(&mut bytes, at)?;
                    body.take(&before[..before.len() - bytes.len()], look)?;
                }
                Some(ItemKind::Chunks) | None => {
                    body.take(bytes, look)?;
                    bytes = &[];
                }
            }
        }
        Ok(self.is_satisfied())
    }

    /// Ends a chunk or a DATA frame.
    #[inline]
    pub fn end_chunk(&mut self, at: &mut Arrival) {
        if self.kind == Some(ItemKind::Chunks) && !self.is_satisfied() {
            self.add(at);
        }
    }

    /// Ends the reply. A last line may lack its line end; an event without an empty line after it is
    /// dropped, as WHATWG HTML demands (section 9.2.6), and a message must be complete. A body without chunks counts as one. The fault is an incomplete message.
    pub fn end(&mut self, at: &mut Arrival, is_empty: bool) -> Result<(), Fault> {
        match self.kind {
            Some(ItemKind::Messages) if self.state.missing > 0 || self.state.prefix_length > 0 => {
                Err(Fault::protocol("a stream that ends within a message"))
            }
            Some(ItemKind::Lines) if self.state.line_length > 0 => {
                self.state.line_length = 0;
                self.found(at);
                Ok(())
            }
            Some(ItemKind::Chunks) if self.items.count == 0 && !is_empty => {
                self.add(at);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read_message(
        &mut self,
        bytes: &mut &[u8],
        at: &mut Arrival,
        body: &mut Bulk,
        look: &Look,
    ) -> Result<(), Fault> {
        let state = &mut self.state;
        if state.prefix_length < PREFIX {
            let count = bytes.len().min(PREFIX - state.prefix_length);
            let (head, rest) = bytes.split_at(count);
            state.prefix[state.prefix_length..][..count].copy_from_slice(head);
            state.prefix_length += count;
            *bytes = rest;
            if state.prefix_length < PREFIX {
                return Ok(());
            }
            let [flag, a, b, c, d] = state.prefix;
            if flag != 0 {
                return Err(Fault::protocol(
                    "a compressed message, which was not requested",
                ));
            }
            state.missing = u32::from_be_bytes([a, b, c, d]) as usize;
        }
        let count = bytes.len().min(state.missing);
        let (piece, rest) = bytes.split_at(count);
        body.take(piece, look)?;
        *bytes = rest;
        state.missing -= count;
        if state.missing == 0 {
            state.prefix_length = 0;
            self.add(at);
        }
        Ok(())
    }

    /// Reads up to the end of a line, or of the bytes. The fault is that an item is too long.
    fn read_line(&mut self, bytes: &mut &[u8], at: &mut Arrival) -> Result<(), Fault> {
        let is_event = self.kind == Some(ItemKind::Events);
        let state = &mut self.state;
        if is_event && state.mark_length < BYTE_ORDER_MARK.len() {
            state.skip_mark(bytes);
        }
        if std::mem::take(&mut state.after_carriage_return)
            && let Some(rest) = bytes.strip_prefix(b"\n")
        {
            *bytes = rest;
            return Ok(());
        }
        let end = if is_event {
            memchr2(b'\n', b'\r', bytes)
        } else {
            memchr(b'\n', bytes)
        };
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        // The five bytes of an earlier, longer line must not be mistaken for those of this line.
        if state.line_length == 0 {
            state.line = [0; 5];
        }
        for (kept, &byte) in state.line.iter_mut().skip(state.line_length).zip(piece) {
            *kept = byte;
        }
        let before = state.line_length;
        state.line_length += piece.len();
        let Some(end) = end else {
            *bytes = &[];
            return self.keep_line(piece, before);
        };
        state.after_carriage_return = bytes[end] == b'\r';
        *bytes = &bytes[end + 1..];
        let length = std::mem::take(&mut state.line_length);
        self.keep_line(piece, before)?;
        let state = &mut self.state;
        let is_item = match (is_event, length) {
            (true, 0) => std::mem::take(&mut state.has_data),
            (true, length) => {
                state.has_data |=
                    state.line == *b"data:" || (length == 4 && state.line.starts_with(b"data"));
                false
            }
            (false, 0) => false,
            (false, length) => length > 1 || state.line[0] != b'\r',
        };
        if is_item {
            self.found(at);
        }
        Ok(())
    }

    /// Keeps a piece of a line that began `before` bytes before it: of events only their data.
    #[inline]
    fn keep_line(&mut self, piece: &[u8], before: usize) -> Result<(), Fault> {
        if self.pointer.is_none() {
            return Ok(());
        }
        if self.kind != Some(ItemKind::Events) {
            return self.keep(piece);
        }
        let name = b"data:".len();
        let data = piece.get(name.saturating_sub(before)..).unwrap_or_default();
        match self.state.line == *b"data:" {
            // Lines of data are joined; JSON may have a line end or a space anywhere between tokens.
            true if before <= name => self.keep(b"\n").and_then(|()| self.keep(data)),
            true => self.keep(data),
            false => Ok(()),
        }
    }
}

impl State {
    /// Skips a byte order mark; what only resembles its beginning belongs to the first line.
    fn skip_mark(&mut self, bytes: &mut &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if BYTE_ORDER_MARK.get(self.mark_length) != Some(&byte) {
                break;
            }
            self.mark_length += 1;
            *bytes = rest;
        }
        if !bytes.is_empty() && self.mark_length < BYTE_ORDER_MARK.len() {
            self.line_length = std::mem::replace(&mut self.mark_length, BYTE_ORDER_MARK.len());
            self.line[..self.line_length].copy_from_slice(&BYTE_ORDER_MARK[..self.line_length]);
        }
    }
}

#[cfg(test)]
mod tests;
