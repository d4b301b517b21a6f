//! The Huffman code of RFC 7541, appendix B.
//!
//! The code is canonical: the lengths alone determine it.

const SYMBOLS: usize = 257;
const END_OF_STRING: u16 = 256;
const LONGEST: usize = 30;

#[rustfmt::skip]
const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
    7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];

const CODE: Code = Code::new();

struct Code {
    /// The code of each symbol, in the lowest bits.
    codes: [u32; SYMBOLS],
    /// The symbols in the order of their codes.
    sorted: [u16; SYMBOLS],
    /// The first code of each length.
    first: [u32; LONGEST + 1],
    count: [u16; LONGEST + 1],
    offset: [u16; LONGEST + 1],
    /// For each byte: the symbol and length of the code at its beginning; length 0 if it is longer.
    short: [(u8, u8); 256],
}

impl Code {
    const fn new() -> Self {
        let mut code = Self {
            codes: [0; SYMBOLS],
            sorted: [0; SYMBOLS],
            first: [0; LONGEST + 1],
            count: [0; LONGEST + 1],
            offset: [0; LONGEST + 1],
            short: [(0, 0); 256],
        };
        let (mut next, mut position, mut length) = (0u32, 0usize, 1usize);
        while length <= LONGEST {
            next <<= 1;
            code.first[length] = next;
            code.offset[length] = position as u16;
            let mut symbol = 0;
            while symbol < SYMBOLS {
                if LENGTHS[symbol] as usize == length {
                    code.codes[symbol] = next;
                    code.sorted[position] = symbol as u16;
                    code.count[length] += 1;
                    if length <= 8 {
                        let mut index = (next << (8 - length)) as usize;
                        let end = index + (1 << (8 - length));
                        while index < end {
                            code.short[index] = (symbol as u8, length as u8);
                            index += 1;
                        }
                    }
                    next += 1;
                    position += 1;
                }
                symbol += 1;
            }
            length += 1;
        }
        code
    }
}

/// The length of the encoded `text`, in bytes.
pub fn encoded_length(text: &[u8]) -> usize {
    let bits: usize = text
        .iter()
        .map(|&byte| usize::from(LENGTHS[usize::from(byte)]))
        .sum();
    bits.div_ceil(8)
}

/// Appends the encoded `text`.
pub fn encode(text: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0u64, 0u32);
    for &byte in text {
        let length = u32::from(LENGTHS[usize::from(byte)]);
        bits = (bits << length) | u64::from(CODE.codes[usize::from(byte)]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    if count > 0 {
        // The rest of the last byte is filled with ones.
        out.push(((bits << (8 - count)) as u8) | (0xff >> count));
    }
}

/// Appends the decoded text; none if `coded` is invalid.
pub fn decode(coded: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut bytes = coded.iter();
    // The next bits, from the highest downwards, and how many of them are valid.
    let (mut bits, mut count) = (0u64, 0usize);
    loop {
        while count <= 56 {
            let Some(&byte) = bytes.next() else { break };
            bits |= u64::from(byte) << (56 - count);
            count += 8;
        }
        let (symbol, length) = CODE.short[(bits >> 56) as usize];
        let (symbol, length) = match length {
            0 => match long_symbol(bits) {
                Some((symbol, length)) if length <= count => (symbol, length),
                _ => break,
            },
            length => (u16::from(symbol), usize::from(length)),
        };
        if length > count {
            break;
        }
        if symbol == END_OF_STRING {
            return None;
        }
        out.push(symbol as u8);
        bits <<= length;
        count -= length;
    }
    // The rest must be padding: fewer than eight bits, all ones.
    let padding = if count == 0 {
        0
    } else {
        u64::MAX << (64 - count)
    };
    (count < 8 && bits == padding).then_some(())
}

/// The symbol with a code of more than eight bits at the beginning of `bits`.
fn long_symbol(bits: u64) -> Option<(u16, usize)> {
    (9..=LONGEST).find_map(|length| {
        let code = (bits >> (64 - length)) as u32;
        let index = code.checked_sub(CODE.first[length])?;
        let known = index < u32::from(CODE.count[length]);
        known.then(|| {
            (
                CODE.sorted[usize::from(CODE.offset[length]) + index as usize],
                length,
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(coded: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        decode(coded, &mut text).map(|()| text)
    }

    #[test]
    fn the_code_is_complete() {
        let sum: f64 = LENGTHS
            .iter()
            .map(|&length| 0.5f64.powi(i32::from(length)))
            .sum();
        assert_eq!(sum, 1.0);
        assert_eq!(CODE.codes[usize::from(END_OF_STRING)], 0x3fff_ffff);
    }

    #[test]
    fn examples_of_the_specification() {
        for (text, coded) in [
            ("www.example.com", "f1e3c2e5f23a6ba0ab90f4ff"),
            ("no-cache", "a8eb10649cbf"),
            ("custom-value", "25a849e95bb8e8b4bf"),
            (
                "Mon, 21 Oct 2013 20:13:21 GMT",
                "d07abe941054d444a8200595040b8166e082a62d1bff",
            ),
        ] {
            let mut out = Vec::new();
            encode(text.as_bytes(), &mut out);
            let hexadecimal: String = out.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hexadecimal, coded);
            assert_eq!(encoded_length(text.as_bytes()), out.len());
            assert_eq!(decoded(&out).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn every_byte_survives() {
        for byte in 0..=255u8 {
            let text = [byte, b'a', byte, byte, 255 - byte];
            let mut out = Vec::new();
            encode(&text, &mut out);
            assert_eq!(decoded(&out).unwrap(), text);
        }
    }

    #[test]
    fn wrong_padding_is_refused() {
        assert_eq!(decoded(&[0b0001_1000]), None, "padding of zeros");
        assert_eq!(
            decoded(&[0b0001_1111, 0xff]),
            None,
            "padding of more than seven bits"
        );
        assert_eq!(
            decoded(&[0xff, 0xff, 0xff, 0xff]),
            None,
            "the end of string itself"
        );
        assert_eq!(decoded(&[0b0001_1111]).unwrap(), b"a");
    }
}
