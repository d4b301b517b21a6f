//! Reads the body of a reply, for all kinds of framing.

use crate::allowance::LONGEST;
use crate::failure::{Failure, Fault};
use crate::transport::{Arrival, Bulk, ItemReader, Look, Summary};

use super::head::{Framing, HEAD_LIMIT};

const SIZE_LINE_LIMIT: usize = 4 << 10;
const ENDLESS: Fault = Fault::protocol("an endless line in a chunked body");
const TRAILERS: Fault = Fault::new(Failure::Oversized, "trailers of more than 256 KiB");
const TOO_LARGE: Fault = Fault::new(Failure::Oversized, "a chunk of more than 4 GiB");

/// The body of the current reply.
#[derive(Default)]
pub struct Body {
    state: State,
    /// The received bytes of a body that arrives in pieces.
    gathered: Bulk,
    /// Whether it is not encoded, and need not be kept whole.
    is_plain: bool,
}

/// A complete body.
pub struct Whole<'a> {
    /// The bytes; of a long body only the beginning.
    pub bytes: &'a [u8],
    pub long: Option<Summary>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    Length(usize),
    /// The same, but processed as it arrives, for the items in it.
    Counted(usize),
    UntilClose,
    ChunkSize,
    ChunkData(usize),
    ChunkEnd,
    /// With the number of bytes that the trailers may still have.
    Trailers(usize),
}

impl Body {
    /// Begins a body; `is_stream` if it has items, `is_plain` if it need not be kept whole. One of
    /// up to `whole` bytes is read once it is complete.
    pub fn begin(&mut self, framing: Framing, is_stream: bool, is_plain: bool, whole: usize) {
        self.is_plain = is_plain;
        self.gathered.clear();
        self.state = match framing {
            Framing::Length(length) if is_stream || length > whole => State::Counted(length),
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::ChunkSize,
            Framing::UntilClose => State::UntilClose,
        };
    }

    /// Drops the body.
    pub fn forget(&mut self) {
        self.state = State::Idle;
    }

    /// Consumes the input; returns the body once it is complete, or once it has enough items. The
    /// fault is that of its framing.
    pub fn read<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
        at: &mut Arrival,
        items: &mut ItemReader,
        look: &Look,
    ) -> Result<Option<Whole<'a>>, Fault> {
        loop {
            match self.state {
                State::Idle => return Ok(None),
                State::Length(length) => {
                    let Some((body, rest)) = input.split_at_checked(length) else {
                        return Ok(None);
                    };
                    *input = rest;
                    self.state = State::Idle;
                    return Ok(Some(Whole {
                        bytes: body,
                        long: None,
                    }));
                }
                State::Counted(left) => {
                    let count = left.min(input.len());
                    let is_enough = self.gather(input, count, at, items, look)?;
                    if is_enough || count == left {
                        return Ok(Some(self.end(look)));
                    }
                    self.state = State::Counted(left - count);
                    return Ok(None);
                }
                State::UntilClose => {
                    if self.gather(input, input.len(), at, items, look)? {
                        return Ok(Some(self.end(look)));
                    }
                    return Ok(None);
                }
                State::ChunkSize => {
                    let Some(line) = take_line(input, SIZE_LINE_LIMIT, ENDLESS)? else {
                        return Ok(None);
                    };
                    self.state = match chunk_size(line)? {
                        0 => State::Trailers(HEAD_LIMIT),
                        size => State::ChunkData(size),
                    };
                }
                State::ChunkData(left) => {
                    let count = left.min(input.len());
                    let mut is_enough = self.gather(input, count, at, items, look)?;
                    if count == left {
                        items.end_chunk(at);
                        is_enough |= items.is_satisfied();
                    }
                    if is_enough {
                        return Ok(Some(self.end(look)));
                    }
                    if count < left {
                        self.state = State::ChunkData(left - count);
                        return Ok(None);
                    }
                    self.state = State::ChunkEnd;
                }
                State::ChunkEnd => {
                    let Some(line) = take_line(input, SIZE_LINE_LIMIT, ENDLESS)? else {
                        return Ok(None);
                    };
                    if !line.is_empty() {
                        return Err(Fault::protocol("a chunk longer than its size"));
                    }
                    self.state = State::ChunkSize;
                }
                State::Trailers(left) => {
                    let Some(line) = take_line(input, left, TRAILERS)? else {
                        return Ok(None);
                    };
                    if line.is_empty() {
                        return Ok(Some(self.end(look)));
                    }
                    let left = left.checked_sub(line.len() + 2).ok_or(TRAILERS)?;
                    self.state = State::Trailers(left);
                }
            }
        }
    }

    /// The body, if it ends with the connection.
    pub fn read_to_end(&mut self, look: &Look) -> Option<Whole<'_>> {
        if self.state != State::UntilClose {
            return None;
        }
        Some(self.end(look))
    }

    /// Ends the body with the bytes received so far.
    pub fn end(&mut self, look: &Look) -> Whole<'_> {
        self.state = State::Idle;
        let long = self.gathered.end(look);
        Whole {
            bytes: &self.gathered,
            long,
        }
    }

    /// Adds bytes. True if there are enough items.
    fn gather(
        &mut self,
        input: &mut &[u8],
        count: usize,
        at: &mut Arrival,
        items: &mut ItemReader,
        look: &Look,
    ) -> Result<bool, Fault> {
        let (piece, rest) = input.split_at(count);
        *input = rest;
        if items.is_on() {
            return items.read(piece, at, &mut self.gathered, look);
        }
        match self.is_plain {
            true => self.gathered.take(piece, look)?,
            false => self.gathered.keep(piece, look)?,
        }
        Ok(false)
    }
}

/// Reads a line, without its end, from the front. The fault says that it is longer than `limit`,
/// or that its end is wrong.
fn take_line<'input>(
    input: &mut &'input [u8],
    limit: usize,
    too_long: Fault,
) -> Result<Option<&'input [u8]>, Fault> {
    let Some(end) = memchr::memchr(b'\n', input) else {
        if input.len() > limit {
            return Err(too_long);
        }
        return Ok(None);
    };
    let line = &input[..end];
    *input = &input[end + 1..];
    match line.strip_suffix(b"\r") {
        Some(line) => Ok(Some(line)),
        None => Err(Fault::protocol(
            "a line in a chunked body that ends without CR",
        )),
    }
}

fn chunk_size(line: &[u8]) -> Result<usize, Fault> {
    let digits = line
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or(line)
        .trim_ascii();
    if digits.is_empty() {
        return Err(Fault::protocol("a chunk without a size"));
    }
    digits.iter().try_fold(0usize, |size, &digit| {
        let value = (digit as char).to_digit(16);
        let value = value.ok_or(Fault::protocol("a chunk size that is not hexadecimal"))?;
        let size = size.checked_mul(16).ok_or(TOO_LARGE)? + value as usize;
        if size > LONGEST {
            Err(TOO_LARGE)
        } else {
            Ok(size)
        }
    })
}
