//! Header compression of HTTP/3 (RFC 9204) without the dynamic table: the engine's settings do not
//! allow servers to use one, and the engine uses none.

use crate::transport::http2::hpack::{Texts, integer};

/// The static table (RFC 9204, appendix A), from index 0.
const STATIC: [(&str, &str); 99] = [
    (":authority", ""),
    (":path", "/"),
    ("age", "0"),
    ("content-disposition", ""),
    ("content-length", "0"),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("referer", ""),
    ("set-cookie", ""),
    (":method", "CONNECT"),
    (":method", "DELETE"),
    (":method", "GET"),
    (":method", "HEAD"),
    (":method", "OPTIONS"),
    (":method", "POST"),
    (":method", "PUT"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "103"),
    (":status", "200"),
    (":status", "304"),
    (":status", "404"),
    (":status", "503"),
    ("accept", "*/*"),
    ("accept", "application/dns-message"),
    ("accept-encoding", "gzip, deflate, br"),
    ("accept-ranges", "bytes"),
    ("access-control-allow-headers", "cache-control"),
    ("access-control-allow-headers", "content-type"),
    ("access-control-allow-origin", "*"),
    ("cache-control", "max-age=0"),
    ("cache-control", "max-age=2592000"),
    ("cache-control", "max-age=604800"),
    ("cache-control", "no-cache"),
    ("cache-control", "no-store"),
    ("cache-control", "public, max-age=31536000"),
    ("content-encoding", "br"),
    ("content-encoding", "gzip"),
    ("content-type", "application/dns-message"),
    ("content-type", "application/javascript"),
    ("content-type", "application/json"),
    ("content-type", "application/x-www-form-urlencoded"),
    ("content-type", "image/gif"),
    ("content-type", "image/jpeg"),
    ("content-type", "image/png"),
    ("content-type", "text/css"),
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/plain"),
    ("content-type", "text/plain;charset=utf-8"),
    ("range", "bytes=0-"),
    ("strict-transport-security", "max-age=31536000"),
    (
        "strict-transport-security",
        "max-age=31536000; includesubdomains",
    ),
    (
        "strict-transport-security",
        "max-age=31536000; includesubdomains; preload",
    ),
    ("vary", "accept-encoding"),
    ("vary", "origin"),
    ("x-content-type-options", "nosniff"),
    ("x-xss-protection", "1; mode=block"),
    (":status", "100"),
    (":status", "204"),
    (":status", "206"),
    (":status", "302"),
    (":status", "400"),
    (":status", "403"),
    (":status", "421"),
    (":status", "425"),
    (":status", "500"),
    ("accept-language", ""),
    ("access-control-allow-credentials", "FALSE"),
    ("access-control-allow-credentials", "TRUE"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-methods", "get"),
    ("access-control-allow-methods", "get, post, options"),
    ("access-control-allow-methods", "options"),
    ("access-control-expose-headers", "content-length"),
    ("access-control-request-headers", "content-type"),
    ("access-control-request-method", "get"),
    ("access-control-request-method", "post"),
    ("alt-svc", "clear"),
    ("authorization", ""),
    (
        "content-security-policy",
        "script-src 'none'; object-src 'none'; base-uri 'none'",
    ),
    ("early-data", "1"),
    ("expect-ct", ""),
    ("forwarded", ""),
    ("if-range", ""),
    ("origin", ""),
    ("purpose", "prefetch"),
    ("server", ""),
    ("timing-allow-origin", "*"),
    ("upgrade-insecure-requests", "1"),
    ("user-agent", ""),
    ("x-forwarded-for", ""),
    ("x-frame-options", "deny"),
    ("x-frame-options", "sameorigin"),
];

/// Appends a section of fields; names are in lower case.
pub fn encode<Text: AsRef<str>>(fields: &[(Text, Text)], out: &mut Vec<u8>) {
    // No entry of a dynamic table is required, and its base is 0.
    out.extend_from_slice(&[0, 0]);
    for (name, value) in fields {
        let (name, value) = (name.as_ref(), value.as_ref());
        let known = STATIC.iter().position(|(other, _)| *other == name);
        let exact = STATIC.iter().position(|entry| *entry == (name, value));
        match (exact, known) {
            (Some(index), _) => integer::write(out, index, 6, 0xc0),
            (None, Some(index)) => {
                integer::write(out, index, 4, 0x50);
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

/// An entry of the static table.
fn entry(index: usize) -> Option<(&'static [u8], &'static [u8])> {
    let (name, value) = STATIC.get(index)?;
    Some((name.as_bytes(), value.as_bytes()))
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
    fn every_static_entry_has_its_name_and_value() {
        for (index, expected) in [
            (2, ("age", "0")),
            (7, ("etag", "")),
            (12, ("location", "")),
            (14, ("set-cookie", "")),
            (41, ("cache-control", "public, max-age=31536000")),
            (72, ("accept-language", "")),
            (98, ("x-frame-options", "sameorigin")),
        ] {
            assert_eq!(STATIC[index], expected, "{index}");
        }
        for (index, (name, value)) in STATIC.into_iter().enumerate() {
            let mut section = vec![0, 0];
            integer::write(&mut section, index, 6, 0xc0);
            assert_eq!(decode(&section), Some(vec![(name.into(), value.into())]));
            let mut named = vec![0, 0];
            integer::write(&mut named, index, 4, 0x50);
            write_text("own", &mut named);
            assert_eq!(decode(&named), Some(vec![(name.into(), "own".into())]));
        }
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
