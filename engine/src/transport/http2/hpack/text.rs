//! Texts of header fields, plain or in the Huffman code.

use super::{huffman, integer};

/// Reads a text whose length has a prefix of some bits, before which a bit says whether it is
/// coded.
pub fn read(input: &mut &[u8], bits: u8, out: &mut Vec<u8>) -> Option<()> {
    let is_coded = input.first()? & (1 << bits) != 0;
    let length = integer::read(input, bits)?;
    let (text, rest) = input.split_at_checked(length)?;
    *input = rest;
    if is_coded {
        huffman::decode(text, out)?;
    } else {
        out.extend_from_slice(text);
    }
    Some(())
}
