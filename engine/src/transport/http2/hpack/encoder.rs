//! Fields into header blocks.
//!
//! All fields of a run are known before it begins, so their bytes are made beforehand. What is
//! left for each connection is to remember which of them it has entered into the dynamic table.
//! They are entered as long as there is room and never pushed out, so that requests look on the
//! wire as those of an ordinary client do: long the first time, an index of one byte thereafter.

use super::huffman;
use super::integer;
use super::table::{OVERHEAD, STATIC};

const TABLE_SIZE: usize = 4096;

/// Whether a field may enter the dynamic table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexing {
    /// It comes again and again.
    Yes,
    /// It has many values; entering them would only push out others.
    No,
}

/// A field in the forms in which it may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The index, if the static table has it whole.
    static_index: Option<usize>,
    entering: Vec<u8>,
    plain: Vec<u8>,
    indexing: Indexing,
    size: usize,
}

impl Field {
    pub fn new(name: &str, value: &str, indexing: Indexing) -> Self {
        let place = |found: Option<usize>| found.map(|place| place + 1);
        let name_index = place(STATIC.iter().position(|entry| entry.0 == name)).unwrap_or(0);
        Self {
            static_index: place(STATIC.iter().position(|entry| *entry == (name, value))),
            entering: literal(name, value, name_index, 6, 0x40),
            plain: literal(name, value, name_index, 4, 0x00),
            indexing,
            size: name.len() + value.len() + OVERHEAD,
        }
    }

    /// The same, but not to be entered into the table.
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

/// Writes a text in the shorter of its two forms.
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

/// What one connection has entered into its table.
pub struct Encoder {
    /// For each field that may enter, as which insertion it was entered; 0 if it was not.
    entered: Vec<u32>,
    insertions: u32,
    used: usize,
    limit: usize,
    /// The other side has to be told of a new limit.
    announces: bool,
}

impl Encoder {
    pub fn new() -> Self {
        Self {
            entered: Vec::new(),
            insertions: 0,
            used: 0,
            limit: TABLE_SIZE,
            announces: false,
        }
    }

    /// Forgets everything: a new connection, for a run in which so many fields, the first
    /// ones, may enter.
    pub fn reset(&mut self, fields: usize) {
        self.entered.clear();
        self.entered.resize(fields, 0);
        self.insertions = 0;
        self.used = 0;
        self.limit = TABLE_SIZE;
        self.announces = false;
    }

    /// The other side allows a table of `size`; we use no more than the default.
    pub fn limit(&mut self, size: usize) {
        let size = size.min(TABLE_SIZE);
        if size != self.limit {
            let fields = self.entered.len();
            self.reset(fields);
            self.limit = size;
            self.announces = true;
        }
    }

    /// Must come first in every block.
    #[inline]
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        if self.announces {
            self.announces = false;
            // Zero first, which empties the table of the other side as ours has been emptied.
            integer::write(out, 0, 5, 0x20);
            integer::write(out, self.limit, 5, 0x20);
        }
    }

    /// Appends the field with the number `number` among those of the run.
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
