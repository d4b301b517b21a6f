//! Zstandard: a body is one frame or several, each with a checksum if its sender wanted one.

use std::io::{self, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Appends what the frames of `body` contain. Stops after the frame with which `decoded` gets
/// longer than `limit`; it then has at most one byte more.
pub fn read_frames(mut body: &[u8], decoded: &mut Vec<u8>, limit: usize) -> io::Result<()> {
    let mut decoder = FrameDecoder::new();
    while !body.is_empty() && decoded.len() <= limit {
        let frame = match StreamingDecoder::new_with_decoder(&mut body, &mut decoder) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let rest = body.get(length as usize..);
                body = rest.ok_or(io::ErrorKind::UnexpectedEof)?;
                continue;
            }
            Err(error) => return Err(io::Error::other(error)),
        };
        let room = limit + 1 - decoded.len();
        frame.take(room as u64).read_to_end(decoded)?;
        let sent = decoder.get_checksum_from_data();
        if decoded.len() <= limit && sent.is_some() && sent != decoder.get_calculated_checksum() {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1 << 20;

    fn encode(content: &[u8], checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(checksum).unwrap();
        io::Write::write_all(&mut encoder, content).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(body: &[u8]) -> io::Result<Vec<u8>> {
        let mut decoded = Vec::new();
        read_frames(body, &mut decoded, LIMIT).map(|()| decoded)
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
    fn what_zstd_encodes_is_decoded() {
        for length in [0, 1, 100, 70_000, LIMIT] {
            for level in [-5, 1, 3, 19] {
                let body = zstd::stream::encode_all(text(length).as_slice(), level).unwrap();
                assert!(
                    decode(&body).unwrap() == text(length),
                    "{length} bytes at {level}"
                );
            }
        }
    }

    #[test]
    fn frames_follow_each_other_and_some_are_skipped() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let body = [encode(b"one, ", true), skipped, encode(b"two", false)].concat();
        assert_eq!(decode(&body).unwrap(), b"one, two");
        assert!(decode(&body[..body.len() - 2]).is_err(), "cut in a frame");
        let skips_too_far = [0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, b'a'];
        assert!(decode(&skips_too_far).is_err());
    }

    #[test]
    fn a_wrong_checksum_is_told() {
        let mut body = encode(&text(1000), true);
        assert!(decode(&body).is_ok());
        *body.last_mut().unwrap() ^= 1;
        assert!(decode(&body).is_err());
    }

    #[test]
    fn no_more_is_decoded_than_the_limit_and_a_byte() {
        let mut decoded = Vec::new();
        let body = [encode(&text(50), true), encode(&text(LIMIT), true)].concat();
        read_frames(&body, &mut decoded, 60).unwrap();
        assert_eq!(decoded.len(), 61);
    }
}
