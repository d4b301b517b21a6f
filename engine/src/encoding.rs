//! Content encodings: bodies that servers compress because they were asked whether they would.

mod zstd;

use std::io::{self, Read};

use brotli_decompressor::Decompressor as BrotliDecoder;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};

use crate::failure::{Failure, Fault};
use crate::transport::REPLY_LIMIT;

const BROTLI_BUFFER: usize = 4 << 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    #[default]
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
    /// One that is not known here, or several.
    Unknown,
}

impl Encoding {
    /// Those that can be asked for, as HTTP calls them.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("gzip", Self::Gzip),
        ("deflate", Self::Deflate),
        ("br", Self::Brotli),
        ("zstd", Self::Zstd),
    ];

    /// Reads the value of `content-encoding`.
    pub fn parse(value: &[u8]) -> Self {
        let value = value.trim_ascii();
        if value.is_empty() || value.eq_ignore_ascii_case(b"identity") {
            return Self::Identity;
        }
        let mut known = Self::NAMES.iter();
        known
            .find(|(name, _)| value.eq_ignore_ascii_case(name.as_bytes()))
            .map_or(Self::Unknown, |(_, encoding)| *encoding)
    }
}

/// Decodes bodies, one after the other, into the same memory. The decoders themselves allocate:
/// only what is compressed pays for that.
#[derive(Default)]
pub struct Decoder {
    decoded: Vec<u8>,
}

impl Decoder {
    /// The body as it was before it was encoded.
    pub fn decode(&mut self, encoding: Encoding, body: &[u8]) -> Result<&[u8], Fault> {
        self.decoded.clear();
        let read = match encoding {
            Encoding::Identity => self.read(body),
            Encoding::Gzip => self.read(MultiGzDecoder::new(body)),
            Encoding::Deflate => self.read(ZlibDecoder::new(body)),
            Encoding::Brotli => self.read(BrotliDecoder::new(body, BROTLI_BUFFER)),
            Encoding::Zstd => zstd::read_frames(body, &mut self.decoded, REPLY_LIMIT),
            Encoding::Unknown => return Err(bad("a content encoding that nobody asked for")),
        };
        match read {
            Err(_) => Err(bad("a body that is not in its content encoding")),
            Ok(()) if self.decoded.len() > REPLY_LIMIT => {
                let detail = "a body of more than 256 MiB when decoded";
                Err(Fault::new(Failure::Oversized, detail))
            }
            Ok(()) => Ok(&self.decoded),
        }
    }

    fn read(&mut self, decoder: impl Read) -> io::Result<()> {
        let mut decoder = decoder.take(REPLY_LIMIT as u64 + 1);
        decoder.read_to_end(&mut self.decoded).map(drop)
    }
}

const fn bad(detail: &'static str) -> Fault {
    Fault::new(Failure::BadEncoding, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognised() {
        for (value, expected) in [
            ("", Encoding::Identity),
            ("identity", Encoding::Identity),
            (" GZIP ", Encoding::Gzip),
            ("br", Encoding::Brotli),
            ("compress", Encoding::Unknown),
            ("gzip, br", Encoding::Unknown),
        ] {
            assert_eq!(Encoding::parse(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn what_is_broken_is_told() {
        let mut decoder = Decoder::default();
        for (_, encoding) in Encoding::NAMES {
            let fault = decoder.decode(encoding, b"not compressed at all").err();
            assert_eq!(
                fault.map(|it| it.failure),
                Some(Failure::BadEncoding),
                "{encoding:?}"
            );
        }
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, b"wirelab wirelab").unwrap();
        let gzip = encoder.finish().unwrap();
        assert!(decoder.decode(Encoding::Gzip, &gzip).is_ok());
        let cut = &gzip[..gzip.len() - 1];
        assert!(
            decoder.decode(Encoding::Gzip, cut).is_err(),
            "its end is missing"
        );
        assert!(decoder.decode(Encoding::Unknown, b"x").is_err());
        assert_eq!(
            decoder.decode(Encoding::Identity, b"x").ok(),
            Some(&b"x"[..])
        );
    }

    #[test]
    fn a_small_body_that_is_enormous_is_refused() {
        let zeros = vec![0; 1 << 20];
        let mut compressed = Vec::new();
        let block = ::zstd::stream::encode_all(zeros.as_slice(), 1).unwrap();
        (0..300).for_each(|_| compressed.extend_from_slice(&block));
        let fault = Decoder::default().decode(Encoding::Zstd, &compressed).err();
        assert_eq!(fault.map(|it| it.failure), Some(Failure::Oversized));
    }
}
