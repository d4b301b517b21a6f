//! Where captured values are inserted into a request.

use std::borrow::Cow;

/// A position in a text, in bytes, and the index of the value that is inserted there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    pub at: usize,
    pub value: usize,
}

/// The positions in a request, whose texts lack the values. In each text they are ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holes {
    pub path: Vec<Hole>,
    /// By the index of the header.
    pub headers: Vec<(usize, Vec<Hole>)>,
    pub body: Vec<Hole>,
}

impl Holes {
    /// Whether nothing is inserted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of insertions.
    pub fn len(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(_, holes)| holes.len()).sum();
        self.path.len() + headers + self.body.len()
    }
}

/// A value percent-encoded for a URL (RFC 3986, section 2.3).
pub fn encode(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// A percent-encoded value; a percent sign without two digits stands for itself.
pub fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') {
        return text.into();
    }
    let (mut decoded, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let escaped = digit(0).zip(digit(1)).filter(|_| first == b'%');
        decoded.push(escaped.map_or(first, |(high, low)| (high << 4 | low) as u8));
        rest = &after[escaped.map_or(0, |_| 2)..];
    }
    decoded.into()
}

/// Inserts `values` into a text.
pub fn fill(text: &str, holes: &[Hole], values: &[String]) -> String {
    let mut filled = String::new();
    let mut done = 0;
    for hole in holes {
        filled.push_str(&text[done..hole.at]);
        filled.push_str(&values[hole.value]);
        done = hole.at;
    }
    filled.push_str(&text[done..]);
    filled
}

/// Inserts `values` into bytes.
pub fn fill_bytes(bytes: &[u8], holes: &[Hole], values: &[String]) -> Vec<u8> {
    let mut filled = Vec::new();
    let mut done = 0;
    for hole in holes {
        filled.extend_from_slice(&bytes[done..hole.at]);
        filled.extend_from_slice(values[hole.value].as_bytes());
        done = hole.at;
    }
    filled.extend_from_slice(&bytes[done..]);
    filled
}
