//! Encodes header blocks.
//!
//! All fields of a run are known before it begins, so their bytes are rendered beforehand. Each
//! connection only keeps track of the fields that it has entered into the dynamic table. Fields are
//! entered while there is room and never evicted, so that requests look like those of an ordinary
//! client: long the first time, an index of one byte afterwards.

use super::huffman;
use super::integer;
use super::table::{OVERHEAD, STATIC};

const TABLE_SIZE: usize = 4096;

/// Whether a field may enter the dynamic table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// It repeats often.
    Yes,
    /// It has many values, which would only evict others.
    No,
}

/// A field, rendered in all forms in which it may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The index, if the static table has its name and value.
    static_index: Option<usize>,
    entering: Vec<u8>,
    plain: Vec<u8>,
    indexing: Indexing,
    size: usize,
}

impl Field {
    /// Renders a field.
    pub fn new(name: &str, value: &str, indexing: Indexing) -> Self {
        let from_one = |found: Option<usize>| found.map(|index| index + 1);
        let name_index = from_one(STATIC.iter().position(|entry| entry.0 == name)).unwrap_or(0);
        Self {
            static_index: from_one(STATIC.iter().position(|entry| *entry == (name, value))),
            entering: literal(name, value, name_index, 6, 0x40),
            plain: literal(name, value, name_index, 4, 0x00),
            indexing,
            size: name.len() + value.len() + OVERHEAD,
        }
    }

    /// The same field, without entry into the table.
    pub fn unindexed(self) -> Self {
        Self {
            indexing: Indexing::No,
            ..self
        }
    }
}

fn literal(name: &str, value: &str, name_index: usize, bits: u8, flags: u8) -> Vec<u8> {
    let mut out = Vec::new();
    integer::write(&mut out, name_index, bits, flags);
    if name_index == 0 {
        write_text(name.as_bytes(), &mut out);
    }
    write_text(value.as_bytes(), &mut out);
    out
}

/// Writes a text in the shorter of its two encodings.
fn write_text(text: &[u8], out: &mut Vec<u8>) {
    let coded = huffman::encoded_length(text);
    if coded < text.len() {
        integer::write(out, coded, 7, 0x80);
        huffman::encode(text, out);
    } else {
        integer::write(out, text.len(), 7, 0);
        out.extend_from_slice(text);
    }
}

/// The encoder of one connection: the fields that it has entered into the table.
pub struct Encoder {
    /// For each field that may be entered, the number of its insertion; 0 if it was not entered.
    entered: Vec<u32>,
    insertions: u32,
    used: usize,
    limit: usize,
    /// Whether a new limit must be announced.
    announces: bool,
}

impl Encoder {
    /// Without entries.
    pub fn new() -> Self {
        Self {
            entered: Vec::new(),
            insertions: 0,
            used: 0,
            limit: TABLE_SIZE,
            announces: false,
        }
    }

    /// Resets the state for a new connection, in which the first `fields` fields may be entered.
    pub fn reset(&mut self, fields: usize) {
        self.entered.clear();
        self.entered.resize(fields, 0);
        self.insertions = 0;
        self.used = 0;
        self.limit = TABLE_SIZE;
        self.announces = false;
    }

    /// Limits the table to the peer's `size`; the engine uses at most the default.
    pub fn limit(&mut self, size: usize) {
        let size = size.min(TABLE_SIZE);
        if size != self.limit {
            let fields = self.entered.len();
            self.reset(fields);
            self.limit = size;
            self.announces = true;
        }
    }

    /// Begins a block.
    #[inline]
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        if self.announces {
            self.announces = false;
            // A size of 0 first, which empties the peer's table as well.
            integer::write(out, 0, 5, 0x20);
            integer::write(out, self.limit, 5, 0x20);
        }
    }

    /// Appends a field, by its number among those of the run.
    #[inline]
    pub fn write(&mut self, number: u32, field: &Field, out: &mut Vec<u8>) {
        let entered = self.entered.get(number as usize).copied().unwrap_or(0);
        if let Some(index) = field.static_index {
            integer::write(out, index, 7, 0x80);
        } else if entered > 0 {
            let age = (self.insertions - entered) as usize;
            integer::write(out, STATIC.len() + 1 + age, 7, 0x80);
        } else if field.indexing == Indexing::Yes && self.used + field.size <= self.limit {
            self.insertions += 1;
            self.used += field.size;
            self.entered[number as usize] = self.insertions;
            out.extend_from_slice(&field.entering);
        } else {
            out.extend_from_slice(&field.plain);
        }
    }
}
