//! Decodes header blocks.

use super::integer;
use super::table::DynamicTable;
use super::text::Texts;

/// The size of the peer's dynamic table: the default, which the engine does not change.
const TABLE_SIZE: usize = 4096;

/// The decoder of one connection.
pub struct Decoder {
    table: DynamicTable,
    texts: Texts,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// An empty dynamic table.
    pub fn new() -> Self {
        Self {
            table: DynamicTable::new(TABLE_SIZE),
            texts: Texts::default(),
            name: Vec::new(),
            value: Vec::new(),
        }
    }

    /// Resets the state for a new connection.
    pub fn reset(&mut self) {
        self.table.clear();
        self.table.resize(TABLE_SIZE);
    }

    /// Passes every field of a block to `field`. None if the block is malformed, after which the
    /// connection cannot continue.
    pub fn decode(&mut self, block: &[u8], mut field: impl FnMut(&[u8], &[u8])) -> Option<()> {
        let mut input = block;
        let mut fields = 0;
        while let Some(&first) = input.first() {
            if first & 0x80 != 0 {
                let index = integer::read(&mut input, 7)?;
                let (name, value) = self.table.get(index)?;
                field(name, value);
            } else if first & 0xe0 == 0x20 {
                let size = integer::read(&mut input, 5)?;
                if size > TABLE_SIZE || fields > 0 {
                    return None;
                }
                self.table.resize(size);
                continue;
            } else {
                let is_indexed = first & 0x40 != 0;
                let index = integer::read(&mut input, if is_indexed { 6 } else { 4 })?;
                self.name.clear();
                match index {
                    0 => self.texts.read(&mut input, 7, &mut self.name)?,
                    index => self.name.extend_from_slice(self.table.get(index)?.0),
                }
                self.value.clear();
                self.texts.read(&mut input, 7, &mut self.value)?;
                field(&self.name, &self.value);
                if is_indexed {
                    self.table.insert(&self.name, &self.value);
                }
            }
            fields += 1;
        }
        Some(())
    }

    /// The size of the dynamic table, in bytes.
    #[cfg(test)]
    pub fn table_size(&self) -> usize {
        self.table.size()
    }
}
