//! Reads texts of header fields, plain or Huffman-coded.

use super::{huffman, integer};

/// The number of remembered texts; a power of two.
const REMEMBERED: usize = 32;
/// The longest remembered text, in bytes; longer ones are seldom sent twice.
const LONGEST: usize = 128;

/// Reads texts. A server sends the same texts in many replies (its name, the date), so decoded
/// texts are remembered: comparing one takes a twentieth of the time of decoding it.
#[derive(Default)]
pub struct Texts {
    known: [Known; REMEMBERED],
}

#[derive(Default)]
struct Known {
    coded: Vec<u8>,
    text: Vec<u8>,
}

impl Texts {
    /// Reads a text and appends it. Its length has a prefix of `bits` bits, and the bit before says
    /// whether it is Huffman-coded. None if it is malformed.
    pub fn read(&mut self, input: &mut &[u8], bits: u8, out: &mut Vec<u8>) -> Option<()> {
        let is_coded = input.first()? & (1 << bits) != 0;
        let length = integer::read(input, bits)?;
        let (text, rest) = input.split_at_checked(length)?;
        *input = rest;
        if is_coded {
            self.decode(text, out)?;
        } else {
            out.extend_from_slice(text);
        }
        Some(())
    }

    fn decode(&mut self, coded: &[u8], out: &mut Vec<u8>) -> Option<()> {
        if coded.len() > LONGEST {
            return huffman::decode(coded, out);
        }
        let known = &mut self.known[index_of(coded)];
        if known.coded == coded {
            out.extend_from_slice(&known.text);
            return Some(());
        }
        let start = out.len();
        huffman::decode(coded, out)?;
        known.coded.clear();
        known.coded.extend_from_slice(coded);
        known.text.clear();
        known.text.extend_from_slice(&out[start..]);
        Some(())
    }
}

/// The index of a text, from its length and its last bytes, in which dates differ.
fn index_of(coded: &[u8]) -> usize {
    let last = coded.iter().rev().take(4);
    let mixed = last.fold(coded.len() as u32, |mixed, &byte| {
        mixed.wrapping_mul(31) + u32::from(byte)
    });
    (mixed.wrapping_mul(0x9e37_79b1) >> 27) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &[u8]) -> Vec<u8> {
        let mut coded = Vec::new();
        huffman::encode(text, &mut coded);
        let mut out = Vec::new();
        integer::write(&mut out, coded.len(), 7, 0x80);
        out.extend(coded);
        out
    }

    #[test]
    fn a_repeated_text_is_read_identically() {
        let mut texts = Texts::default();
        for round in 0..3 {
            for number in 0..200 {
                let text = format!("value {number} {}", "x".repeat(number));
                let mut out = b"before ".to_vec();
                let coded = written(text.as_bytes());
                let mut input = coded.as_slice();
                assert!(texts.read(&mut input, 7, &mut out).is_some());
                assert_eq!(out, format!("before {text}").as_bytes(), "round {round}");
                assert!(input.is_empty());
            }
        }
    }

    #[test]
    fn a_code_that_is_not_valid_is_refused_each_time() {
        let mut texts = Texts::default();
        // Eight bits of padding are too many.
        let (valid, wrong) = (written(b"a"), [0x82, 0x1f, 0xff]);
        for coded in [&wrong[..], &valid, &wrong, &wrong] {
            let mut out = Vec::new();
            let read = texts.read(&mut &coded[..], 7, &mut out);
            assert_eq!(read.is_some(), coded == valid);
        }
    }

    #[test]
    fn an_empty_text_is_decoded_as_empty() {
        let mut out = Vec::new();
        assert!(
            Texts::default()
                .read(&mut &[0x80][..], 7, &mut out)
                .is_some()
        );
        assert!(out.is_empty());
    }
}
