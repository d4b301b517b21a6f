//! Decodes compressed bodies.

mod zstd;

use std::io::{self, Read};

use brotli_decompressor::{BrotliDecoderParameter, Decompressor as BrotliDecoder};
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};

use crate::allowance::DECODED;
use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::transport::{Bulk, Look, Summary};

const BROTLI_BUFFER: usize = 4 << 10;
/// The number of bytes decoded at a time.
const PORTION: usize = 64 << 10;

/// Decodes bodies, one after the other, into the same buffer. A long body is searched as it is
/// decoded, so that it takes no more memory than a short one. The decoders themselves allocate
/// memory, but only for compressed bodies.
#[derive(Default)]
pub struct Decoder {
    decoded: Bulk,
    portion: Vec<u8>,
}

/// Why decoding has ended early.
enum Stop {
    Broken,
    Fault(Fault),
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

impl Decoder {
    /// The decoded body; of a long one its beginning and a summary of the whole. The fault is that
    /// of a body that is oversized or does not match its encoding.
    pub fn decode(
        &mut self,
        encoding: Encoding,
        body: &[u8],
        look: &Look,
    ) -> Result<(&[u8], Option<Summary>), Fault> {
        self.decoded.clear();
        self.portion.resize(PORTION, 0);
        let mut sink = Sink {
            decoded: &mut self.decoded,
            portion: &mut self.portion,
            look,
            room: DECODED,
        };
        let read = match encoding {
            Encoding::Identity => sink.read(body),
            Encoding::Gzip => sink.read(MultiGzDecoder::new(body)),
            Encoding::Deflate => sink.read(ZlibDecoder::new(body)),
            Encoding::Brotli => sink.read(brotli(body)),
            Encoding::Zstd => zstd::read_frames(body, &mut sink),
            Encoding::Unknown => return Err(bad("a content encoding that was not requested")),
        };
        match read {
            Err(Stop::Broken) => Err(bad("a body that does not match its content encoding")),
            Err(Stop::Fault(fault)) => Err(fault),
            Ok(()) => {
                let long = self.decoded.end(look);
                Ok((&self.decoded, long))
            }
        }
    }
}

/// With windows of up to 16 MiB, the limit of RFC 7932; larger ones are an extension.
fn brotli(body: &[u8]) -> BrotliDecoder<&[u8]> {
    let mut decoder = BrotliDecoder::new(body, BROTLI_BUFFER);
    decoder.set_parameter(BrotliDecoderParameter::BROTLI_DECODER_PARAM_LARGE_WINDOW, 0);
    decoder
}

/// Receives decoded bytes.
struct Sink<'a> {
    decoded: &'a mut Bulk,
    portion: &'a mut [u8],
    look: &'a Look,
    /// How many more bytes are accepted.
    room: usize,
}

impl Sink<'_> {
    /// Reads a decoder to its end.
    fn read(&mut self, mut decoder: impl Read) -> Result<(), Stop> {
        loop {
            let count = decoder.read(self.portion)?;
            if count == 0 {
                return Ok(());
            }
            let room = self.room.checked_sub(count);
            self.room = room.ok_or(Stop::Fault(TOO_LARGE))?;
            let taken = self.decoded.take(&self.portion[..count], self.look);
            taken.map_err(Stop::Fault)?;
        }
    }
}

const TOO_LARGE: Fault = Fault::new(
    Failure::Oversized,
    "a body of more than 256 MiB after decoding",
);

const fn bad(detail: &'static str) -> Fault {
    Fault::new(Failure::BadEncoding, detail)
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn look() -> Look {
        Look::for_texts(&["Traceback".into()], 1 << 20)
    }

    #[test]
    fn broken_encodings_are_reported() {
        let (mut decoder, look) = (Decoder::default(), look());
        for (_, encoding) in Encoding::NAMES {
            let fault = decoder
                .decode(encoding, b"not compressed at all", &look)
                .err();
            assert_eq!(
                fault.map(|it| it.failure),
                Some(Failure::BadEncoding),
                "{encoding:?}"
            );
        }
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, b"wirelab wirelab").unwrap();
        let gzip = encoder.finish().unwrap();
        assert!(decoder.decode(Encoding::Gzip, &gzip, &look).is_ok());
        let cut = &gzip[..gzip.len() - 1];
        assert!(
            decoder.decode(Encoding::Gzip, cut, &look).is_err(),
            "its end is missing"
        );
        assert!(decoder.decode(Encoding::Unknown, b"x", &look).is_err());
        assert_eq!(
            decoder.decode(Encoding::Identity, b"x", &look).ok(),
            Some((&b"x"[..], None))
        );
    }

    #[test]
    fn a_small_body_that_expands_enormously_is_refused() {
        let zeros = vec![0; 1 << 20];
        let mut compressed = Vec::new();
        let block = compress_to_vec(zeros.as_slice(), CompressionLevel::Fastest);
        (0..300).for_each(|_| compressed.extend_from_slice(&block));
        let mut decoder = Decoder::default();
        let fault = decoder.decode(Encoding::Zstd, &compressed, &look()).err();
        assert_eq!(fault.map(|it| it.failure), Some(Failure::Oversized));
    }

    #[test]
    fn a_long_body_is_searched_and_not_kept() {
        let mut body = vec![b'x'; 10 << 20];
        body.extend_from_slice(b"Traceback");
        let compressed = compress_to_vec(body.as_slice(), CompressionLevel::Fastest);
        let (mut decoder, look) = (Decoder::default(), look());
        let (beginning, long) = decoder.decode(Encoding::Zstd, &compressed, &look).unwrap();
        let long = long.unwrap();
        assert!(beginning.len() < 1024 && beginning.iter().all(|&byte| byte == b'x'));
        assert_eq!((long.length, long.found), (body.len() as u64, Some(0)));
        assert_eq!(long.xxh3, xxhash_rust::xxh3::xxh3_64(&body));
    }

    /// An extension allows a brotli window of up to 1 GiB, which would be memory.
    #[test]
    fn a_large_window_of_brotli_is_refused() {
        let parameters = brotli::enc::BrotliEncoderParams {
            large_window: true,
            lgwin: 28,
            ..Default::default()
        };
        let (mut large, mut ordinary) = (Vec::new(), Vec::new());
        let body = vec![b'x'; 1000];
        brotli::BrotliCompress(&mut &body[..], &mut large, &parameters).unwrap();
        let parameters = brotli::enc::BrotliEncoderParams::default();
        brotli::BrotliCompress(&mut &body[..], &mut ordinary, &parameters).unwrap();
        let (mut decoder, look) = (Decoder::default(), look());
        assert!(decoder.decode(Encoding::Brotli, &ordinary, &look).is_ok());
        let refused = decoder.decode(Encoding::Brotli, &large, &look).err();
        assert_eq!(refused.map(|it| it.failure), Some(Failure::BadEncoding));
    }
}
