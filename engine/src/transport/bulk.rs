//! Receives bodies. A short one is kept whole; a long one is hashed and searched piece by piece, so
//! that it takes no more memory than a short one.

use std::hash::Hasher;
use std::ops::Deref;

use memchr::memmem::Finder;
use twox_hash::XxHash3_64;

use super::FoundHeader;
use crate::allowance::{LONGEST, WHOLE};
use crate::capture::Location;
use crate::failure::{Failure, Fault};
use crate::job::Request;

/// The bytes of a long body that are kept as an excerpt.
const EXCERPT: usize = 512;
/// The number of bytes that are processed at a time.
const PORTION: usize = 64 << 10;
/// The most memory that is kept between two bodies, in bytes.
const MOST_RETAINED: usize = 2 * WHOLE;

const TOO_LARGE: Fault = Fault::new(
    Failure::Oversized,
    "a body that must be kept whole is longer than its share of the engine's memory",
);
const ENDLESS: Fault = Fault::new(Failure::Oversized, "a body of more than 4 GiB");

/// The texts and headers that are searched in the replies to a request.
#[derive(Clone, Debug)]
pub struct Look {
    texts: Vec<Finder<'static>>,
    /// The number of bytes of a piece that may belong to a text that continues in the next one.
    overlap: usize,
    /// The longest body that is kept whole in any case, in bytes.
    kept: usize,
    /// The longest body that is kept whole if it need not be, in bytes.
    pub whole: usize,
    /// The headers to capture, in lower case.
    pub headers: Vec<String>,
}

impl Look {
    /// The search for a request's replies; `kept` is the longest body that is kept whole.
    pub fn new(request: &Request, kept: usize) -> Self {
        let mut look = Self::for_texts(&request.expect.must_not_contain, kept);
        for capture in &*request.captures {
            match &capture.location {
                Location::Header(name) => look.headers.push(name.clone()),
                // JSON can only be parsed as a whole.
                Location::Json(_) => look.whole = kept,
            }
        }
        look
    }

    /// Keeps a header if it is to be captured; the first one of each name.
    pub fn keep_header(&self, name: &[u8], value: &[u8], found: &mut Vec<FoundHeader>) {
        let is_wanted = |it: &&String| it.as_bytes().eq_ignore_ascii_case(name);
        if let Some(name) = self.headers.iter().find(is_wanted)
            && !found.iter().any(|(known, _)| known == name)
        {
            found.push((name.clone(), value.into()));
        }
    }

    /// A search for texts only.
    pub fn for_texts(texts: &[String], kept: usize) -> Self {
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        Self {
            texts: texts
                .iter()
                .map(|text| Finder::new(text).into_owned())
                .collect(),
            overlap: longest.saturating_sub(1),
            kept,
            whole: WHOLE.min(kept),
            headers: Vec::new(),
        }
    }

    /// The index of the first text that the bytes contain.
    fn find(&self, bytes: &[u8]) -> Option<u16> {
        let found = self.texts.iter().position(|it| it.find(bytes).is_some());
        found.map(|position| position as u16)
    }
}

/// The summary of a long body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    pub length: u64,
    pub xxh3: u64,
    /// The index of a searched text that it contains.
    pub found: Option<u16>,
}

/// A body.
#[derive(Default)]
pub struct Bulk {
    /// The whole of a short body; of a long one the overlap and the bytes not yet searched, and
    /// after its end its beginning.
    bytes: Vec<u8>,
    /// The state of long bodies, reused.
    long: Option<Box<Long>>,
    is_long: bool,
}

struct Long {
    hash: XxHash3_64,
    length: u64,
    found: Option<u16>,
    beginning: Vec<u8>,
    /// The number of bytes at the front that have been searched.
    overlap: usize,
}

impl Bulk {
    /// Begins the next body.
    pub fn clear(&mut self) {
        // Memory that is seldom needed is released.
        if self.bytes.capacity() > MOST_RETAINED {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.is_long = false;
    }

    /// Whether no byte has been received.
    pub fn has_nothing(&self) -> bool {
        self.bytes.is_empty() && !self.is_long
    }

    /// Adds a piece of a body that need not be kept whole. The fault is that it is oversized.
    #[inline]
    pub fn take(&mut self, piece: &[u8], look: &Look) -> Result<(), Fault> {
        if !self.is_long && self.bytes.len() + piece.len() <= look.whole {
            self.bytes.extend_from_slice(piece);
            return Ok(());
        }
        self.take_long(piece, look)
    }

    /// Adds a piece of an encoded body, which must be kept whole. The fault is that it is
    /// oversized.
    #[inline]
    pub fn keep(&mut self, piece: &[u8], look: &Look) -> Result<(), Fault> {
        if self.bytes.len() + piece.len() > look.kept {
            return Err(TOO_LARGE);
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    #[cold]
    fn take_long(&mut self, piece: &[u8], look: &Look) -> Result<(), Fault> {
        if !self.is_long {
            self.is_long = true;
            let beginning = self.bytes.iter().chain(piece).take(EXCERPT);
            self.long = Some(Box::new(Long {
                hash: XxHash3_64::new(),
                length: 0,
                found: None,
                beginning: beginning.copied().collect(),
                overlap: 0,
            }));
        }
        for portion in piece.chunks(PORTION) {
            self.bytes.extend_from_slice(portion);
            if self.bytes.len() >= look.whole {
                self.look_through(look);
            }
        }
        let length = self.long.as_ref().map_or(0, |long| long.length);
        if length > LONGEST as u64 {
            return Err(ENDLESS);
        }
        Ok(())
    }

    fn look_through(&mut self, look: &Look) {
        let Some(long) = &mut self.long else { return };
        let new = &self.bytes[long.overlap..];
        long.hash.write(new);
        long.length += new.len() as u64;
        if long.found.is_none() {
            long.found = look.find(&self.bytes);
        }
        long.overlap = look.overlap.min(self.bytes.len());
        let done = self.bytes.len() - long.overlap;
        self.bytes.drain(..done);
    }

    /// Ends the body. Returns its summary if it was long; then its bytes are its beginning.
    pub fn end(&mut self, look: &Look) -> Option<Summary> {
        if !self.is_long {
            return None;
        }
        self.look_through(look);
        self.is_long = false;
        let long = self.long.take()?;
        self.bytes.clear();
        self.bytes.extend_from_slice(&long.beginning);
        Some(Summary {
            length: long.length,
            xxh3: long.hash.finish(),
            found: long.found,
        })
    }
}

impl Deref for Bulk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<&[u8]> for Bulk {
    fn from(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job;

    fn look(texts: &str) -> Look {
        let text = format!(
            r#"{{ "format": "wirelab-job/2", "output": "out", "stop": {{ "transactions": 1 }},
                "targets": [{{ "name": "x", "transport": "http1", "address": "127.0.0.1:1",
                    "pacer": {{ "kind": "closed" }},
                    "requests": [{{ "expect": {{ "must_not_contain": {texts} }} }}],
                    "transactions": [{{ "operation": "x", "rounds": [[0]] }}] }}] }}"#
        );
        Look::new(&job::parse(&text).unwrap().targets[0].requests[0], 1 << 20)
    }

    fn gathered(body: &[u8], size: usize, look: &Look) -> (Option<Summary>, Vec<u8>) {
        let mut bulk = Bulk::default();
        for piece in body.chunks(size) {
            bulk.take(piece, look).unwrap();
            assert!(bulk.len() < WHOLE + PORTION, "bounded: {}", bulk.len());
        }
        (bulk.end(look), bulk.to_vec())
    }

    #[test]
    fn a_long_body_has_the_hash_and_the_length_of_the_whole() {
        let look = look("[]");
        let body: Vec<u8> = (0..3 * WHOLE + 17).map(|it| (it * 7 % 251) as u8).collect();
        for size in [1_000, 4_096, 65_537, WHOLE, body.len()] {
            let (summary, beginning) = gathered(&body, size, &look);
            let expected = Summary {
                length: body.len() as u64,
                xxh3: XxHash3_64::oneshot(&body),
                found: None,
            };
            assert_eq!(summary, Some(expected), "{size}");
            assert_eq!(beginning, body[..EXCERPT]);
        }
    }

    #[test]
    fn a_short_body_is_kept_as_it_is() {
        let body = vec![7; WHOLE];
        assert_eq!(gathered(&body, 999, &look("[]")), (None, body));
    }

    #[test]
    fn texts_are_found_across_pieces() {
        let look = look(r#"["never there", "Traceback"]"#);
        for position in [0, WHOLE - 4, WHOLE, 2 * WHOLE - 8, 3 * WHOLE - 9] {
            let mut body = vec![b'x'; 3 * WHOLE];
            body[position..position + 9].copy_from_slice(b"Traceback");
            for size in [999, 65_536] {
                let (summary, _) = gathered(&body, size, &look);
                assert_eq!(summary.unwrap().found, Some(1), "{position} {size}");
            }
        }
        let (summary, _) = gathered(&vec![b'x'; 3 * WHOLE], 999, &look);
        assert_eq!(summary.unwrap().found, None);
    }

    #[test]
    fn one_header_of_each_requested_name_is_kept() {
        let mut look = Look::for_texts(&[], 1 << 20);
        look.headers = vec!["etag".into(), "location".into()];
        let mut found = Vec::new();
        for (name, value) in [
            ("ETag", "1"),
            ("etag", "2"),
            ("Date", "x"),
            ("Location", "/"),
        ] {
            look.keep_header(name.as_bytes(), value.as_bytes(), &mut found);
        }
        let expected = [
            ("etag".to_string(), b"1".to_vec()),
            ("location".to_string(), b"/".to_vec()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_body_that_is_kept_whole_has_a_limit() {
        let look = look("[]");
        let mut bulk = Bulk::default();
        let piece = vec![0; look.kept / 2];
        assert_eq!(bulk.keep(&piece, &look), Ok(()));
        assert_eq!(bulk.keep(&piece, &look), Ok(()));
        assert_eq!(bulk.keep(b"x", &look), Err(TOO_LARGE));
        assert_eq!(bulk.end(&look), None);
        bulk.clear();
        assert!(bulk.bytes.capacity() <= MOST_RETAINED);
    }
}
