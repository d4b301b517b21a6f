//! The body of a reply, however it is delimited.

use crate::failure::{Failure, Fault};
use crate::allowance::LONGEST;
use crate::transport::{Bulk, ItemReader, Look, Summary};

use super::head::Framing;

const SIZE_LINE_LIMIT: usize = 4 << 10;
const TOO_LARGE: Fault = Fault::new(Failure::Oversized, "a chunk of more than 4 GiB");

#[derive(Default)]
pub struct Body {
    state: State,
    /// What has been gathered of a body that does not come in one piece.
    gathered: Bulk,
    /// Whether it is what it seems, and need not be kept.
    is_plain: bool,
}

/// A body that has ended.
pub struct Whole<'a> {
    /// Of a long one, only the beginning.
    pub bytes: &'a [u8],
    pub long: Option<Summary>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    Length(usize),
    /// The same, but taken over as it comes, for the items in it.
    Counted(usize),
    UntilClose,
    ChunkSize,
    ChunkData(usize),
    ChunkEnd,
    Trailers,
}

impl Body {
    /// Begins a body; `is_stream` if there are items in it, `is_plain` if it need not be kept. One
    /// of up to `whole` bytes is read when all of it is there.
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

    /// Gives the body up.
    pub fn forget(&mut self) {
        self.state = State::Idle;
    }

    /// Consumes what is there; the whole body once it is complete, or once there are enough
    /// items in it.
    pub fn read<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
        now: u64,
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
                    let is_enough = self.gather(input, count, now, items, look)?;
                    if is_enough || count == left {
                        return Ok(Some(self.end(look)));
                    }
                    self.state = State::Counted(left - count);
                    return Ok(None);
                }
                State::UntilClose => {
                    if self.gather(input, input.len(), now, items, look)? {
                        return Ok(Some(self.end(look)));
                    }
                    return Ok(None);
                }
                State::ChunkSize => {
                    let Some(line) = take_line(input)? else {
                        return Ok(None);
                    };
                    self.state = match chunk_size(line)? {
                        0 => State::Trailers,
                        size => State::ChunkData(size),
                    };
                }
                State::ChunkData(left) => {
                    let count = left.min(input.len());
                    let mut is_enough = self.gather(input, count, now, items, look)?;
                    if count == left {
                        items.end_chunk(now);
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
                    let Some(line) = take_line(input)? else {
                        return Ok(None);
                    };
                    if !line.is_empty() {
                        return Err(Fault::protocol("a chunk longer than its size"));
                    }
                    self.state = State::ChunkSize;
                }
                State::Trailers => {
                    let Some(line) = take_line(input)? else {
                        return Ok(None);
                    };
                    if line.is_empty() {
                        return Ok(Some(self.end(look)));
                    }
                }
            }
        }
    }

    /// The body if it is one that ends with the connection.
    pub fn read_to_end(&mut self, look: &Look) -> Option<Whole<'_>> {
        if self.state != State::UntilClose {
            return None;
        }
        Some(self.end(look))
    }

    /// Ends the body with what there is of it.
    pub fn end(&mut self, look: &Look) -> Whole<'_> {
        self.state = State::Idle;
        let long = self.gathered.end(look);
        Whole {
            bytes: &self.gathered,
            long,
        }
    }

    /// Takes over bytes. True if they have brought enough items.
    fn gather(
        &mut self,
        input: &mut &[u8],
        count: usize,
        now: u64,
        items: &mut ItemReader,
        look: &Look,
    ) -> Result<bool, Fault> {
        let (piece, rest) = input.split_at(count);
        *input = rest;
        if items.is_on() {
            return items.read(piece, now, &mut self.gathered, look);
        }
        match self.is_plain {
            true => self.gathered.take(piece, look)?,
            false => self.gathered.keep(piece, look)?,
        }
        Ok(false)
    }
}

/// Takes a line, without its end, off the front.
fn take_line<'input>(input: &mut &'input [u8]) -> Result<Option<&'input [u8]>, Fault> {
    let Some(end) = memchr::memchr(b'\n', input) else {
        if input.len() > SIZE_LINE_LIMIT {
            return Err(Fault::protocol("a line of a chunked body without an end"));
        }
        return Ok(None);
    };
    let line = &input[..end];
    *input = &input[end + 1..];
    match line.strip_suffix(b"\r") {
        Some(line) => Ok(Some(line)),
        None => Err(Fault::protocol(
            "a line of a chunked body that ends without CR",
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
