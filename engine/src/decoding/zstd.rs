//! Zstandard: a body is one or more frames, each with an optional checksum.

use std::io;

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::{Sink, Stop};

/// The largest window that a frame may request: the limit of RFC 9659 over HTTP.
const WINDOW: u64 = 8 << 20;

/// Decodes all frames of `body`.
pub fn read_frames(mut body: &[u8], sink: &mut Sink) -> Result<(), Stop> {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(WINDOW);
    while !body.is_empty() {
        let frame = match StreamingDecoder::new_with_decoder(&mut body, &mut decoder) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let rest = body.get(length as usize..);
                body = rest.ok_or(io::Error::from(io::ErrorKind::UnexpectedEof))?;
                continue;
            }
            Err(error) => return Err(io::Error::other(error).into()),
        };
        sink.read(frame)?;
        let sent = decoder.get_checksum_from_data();
        if sent.is_some() && sent != decoder.get_calculated_checksum() {
            return Err(io::Error::from(io::ErrorKind::InvalidData).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use crate::allowance::WHOLE;
    use crate::decoding::Decoder;
    use crate::encoding::Encoding;
    use crate::failure::{Failure, Fault};
    use crate::transport::Look;

    const CHECKSUM: usize = 4;
    /// Where the flags of a frame and its window are, after the magic number.
    const FLAGS: usize = 4;
    const WINDOW: usize = 5;

    /// A frame with a checksum. `tests/measure/test_zstandard.py` has frames of the C library.
    fn encode(content: &[u8]) -> Vec<u8> {
        compress_to_vec(content, CompressionLevel::Fastest)
    }

    fn encode_without_checksum(content: &[u8]) -> Vec<u8> {
        let mut frame = encode(content);
        frame[FLAGS] &= !0b100;
        frame.truncate(frame.len() - CHECKSUM);
        frame
    }

    fn decode(body: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut decoder = Decoder::default();
        let look = Look::for_texts(&[], 1 << 20);
        let decoded = decoder.decode(Encoding::Zstd, body, &look);
        decoded.map(|(body, _)| body.to_vec())
    }

    /// Text that neither repeats at once nor is noise, as bodies are.
    fn text(length: usize) -> Vec<u8> {
        let rows = (0_u32..).flat_map(|row| {
            let random = row.wrapping_mul(2_654_435_761);
            format!("{{\"id\": {row}, \"name\": \"{random:x}\"}}\n").into_bytes()
        });
        rows.take(length).collect()
    }

    #[test]
    fn bodies_of_all_lengths_are_decoded() {
        for length in [0, 1, 100, 70_000, WHOLE] {
            let decoded = decode(&encode(&text(length))).unwrap();
            assert!(decoded == text(length), "{length} bytes");
        }
    }

    #[test]
    fn frames_follow_each_other_and_some_are_skipped() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let body = [encode(b"one, "), skipped, encode_without_checksum(b"two")].concat();
        assert_eq!(decode(&body).unwrap(), b"one, two");
        assert!(decode(&body[..body.len() - 2]).is_err(), "cut in a frame");
        let skips_too_far = [0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, b'a'];
        assert!(decode(&skips_too_far).is_err());
    }

    #[test]
    fn a_wrong_checksum_is_reported() {
        let mut body = encode(&text(1000));
        assert!(decode(&body).is_ok());
        *body.last_mut().unwrap() ^= 1;
        assert!(decode(&body).is_err());
    }

    #[test]
    fn a_window_larger_than_any_over_http_is_refused() {
        let windowed = |log: u8| {
            let mut frame = encode(&text(1000));
            frame[WINDOW] = (log - 10) << 3;
            frame
        };
        assert_eq!(decode(&windowed(23)).unwrap(), text(1000));
        let refused = decode(&windowed(27)).err();
        assert_eq!(refused.map(|it| it.failure), Some(Failure::BadEncoding));
    }
}
