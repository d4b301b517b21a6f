//! Header compression of HTTP/3 (RFC 9204) without the dynamic table: the engine's settings do not
//! allow servers to use one, and the engine uses none.

use crate::transport::http2::hpack::{Texts, integer};

/// The entries of the static table that matter here, with their indices.
const STATIC: [(u8, &str, &str); 35] = [
    (0, ":authority", ""),
    (1, ":path", "/"),
    (4, "content-length", "0"),
    (15, ":method", "CONNECT"),
    (16, ":method", "DELETE"),
    (17, ":method", "GET"),
    (18, ":method", "HEAD"),
    (19, ":method", "OPTIONS"),
    (20, ":method", "POST"),
    (21, ":method", "PUT"),
    (22, ":scheme", "http"),
    (23, ":scheme", "https"),
    (24, ":status", "103"),
    (25, ":status", "200"),
    (26, ":status", "304"),
    (27, ":status", "404"),
    (28, ":status", "503"),
    (29, "accept", "*/*"),
    (31, "accept-encoding", "gzip, deflate, br"),
    (42, "content-encoding", "br"),
    (43, "content-encoding", "gzip"),
    (46, "content-type", "application/json"),
    (47, "content-type", "application/x-www-form-urlencoded"),
    (52, "content-type", "text/html; charset=utf-8"),
    (53, "content-type", "text/plain"),
    (54, "content-type", "text/plain;charset=utf-8"),
    (63, ":status", "100"),
    (64, ":status", "204"),
    (65, ":status", "206"),
    (66, ":status", "302"),
    (67, ":status", "400"),
    (68, ":status", "403"),
    (69, ":status", "421"),
    (70, ":status", "425"),
    (71, ":status", "500"),
];
/// The number of entries of the static table.
const ENTRIES: usize = 99;

/// Appends a section of fields; names are in lower case.
pub fn encode<Text: AsRef<str>>(fields: &[(Text, Text)], out: &mut Vec<u8>) {
    // No entry of a dynamic table is required, and its base is 0.
    out.extend_from_slice(&[0, 0]);
    for (name, value) in fields {
        let (name, value) = (name.as_ref(), value.as_ref());
        let known = STATIC.iter().find(|(_, other, _)| *other == name);
        let exact = STATIC
            .iter()
            .find(|(_, other, content)| *other == name && *content == value);
        match (exact, known) {
            (Some((index, ..)), _) => integer::write(out, usize::from(*index), 6, 0xc0),
            (None, Some((index, ..))) => {
                integer::write(out, usize::from(*index), 4, 0x50);
                write_text(value, out);
            }
            (None, None) => {
                integer::write(out, name.len(), 3, 0x20);
                out.extend_from_slice(name.as_bytes());
                write_text(value, out);
            }
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    integer::write(out, text.len(), 7, 0);
    out.extend_from_slice(text.as_bytes());
}

/// A decoder with reusable buffers.
#[derive(Default)]
pub struct Decoder {
    texts: Texts,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// Passes every field of a section to `field`. None if it is malformed or uses the dynamic
    /// table.
    pub fn decode(&mut self, section: &[u8], mut field: impl FnMut(&[u8], &[u8])) -> Option<()> {
        let mut input = section;
        if integer::read(&mut input, 8)? != 0 {
            return None;
        }
        // Without entries of the dynamic table, the base is not negative.
        if input.first()? & 0x80 != 0 {
            return None;
        }
        integer::read(&mut input, 7)?;
        while let Some(&first) = input.first() {
            if first & 0xc0 == 0xc0 {
                let (name, value) = entry(integer::read(&mut input, 6)?)?;
                field(name, value);
                continue;
            }
            self.name.clear();
            self.value.clear();
            if first & 0xd0 == 0x50 {
                let (name, _) = entry(integer::read(&mut input, 4)?)?;
                self.name.extend_from_slice(name);
            } else if first & 0xe0 == 0x20 {
                self.texts.read(&mut input, 3, &mut self.name)?;
            } else {
                return None;
            }
            self.texts.read(&mut input, 7, &mut self.value)?;
            field(&self.name, &self.value);
        }
        Some(())
    }
}

/// An entry of the static table; empty for one that does not matter.
fn entry(index: usize) -> Option<(&'static [u8], &'static [u8])> {
    if index >= ENTRIES {
        return None;
    }
    let found = STATIC
        .iter()
        .find(|(other, ..)| usize::from(*other) == index);
    Some(found.map_or((b"", b""), |(_, name, value)| {
        (name.as_bytes(), value.as_bytes())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(section: &[u8]) -> Option<Vec<(String, String)>> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut fields = Vec::new();
        Decoder::default().decode(section, |name, value| {
            fields.push((text(name), text(value)))
        })?;
        Some(fields)
    }

    #[test]
    fn the_example_of_the_specification_is_read() {
        // RFC 9204, B.1: a literal value with a name of the static table.
        let section = b"\x00\x00\x51\x0b/index.html";
        assert_eq!(
            decode(section),
            Some(vec![(":path".into(), "/index.html".into())])
        );
    }

    #[test]
    fn written_fields_can_be_read() {
        let fields = [
            (":method", "GET"),
            (":method", "PATCH"),
            (":authority", "localhost:4433"),
            ("x-a-rather-long-name", "and a value"),
        ];
        let mut section = Vec::new();
        encode(&fields, &mut section);
        let expected: Vec<_> = fields
            .map(|(name, value)| (name.into(), value.into()))
            .into();
        assert_eq!(decode(&section), Some(expected));
    }

    #[test]
    fn malformed_and_dynamic_fields_are_refused() {
        for section in [
            &b""[..],
            b"\x01\x00",
            b"\x00",
            b"\x00\x80",
            b"\x00\x00\x80",
            b"\x00\x00\xff\x40",
            b"\x00\x00\x51\x0b/index",
            b"\x00\x00\x10",
        ] {
            assert_eq!(decode(section), None, "{section:?}");
        }
    }
}
