//! Frames of HTTP/3 (RFC 9114, section 7): a type, a length and a payload.

/// The type of a frame with a part of a body.
pub const DATA: u64 = 0;
/// The type of a frame with a section of fields.
pub const HEADERS: u64 = 1;
/// The type of the frame that cancels a push.
pub const CANCEL_PUSH: u64 = 3;
/// The type of a frame with settings.
pub const SETTINGS: u64 = 4;
/// The type of the frame that announces a push.
pub const PUSH_PROMISE: u64 = 5;
/// The type of the frame that ends a connection.
pub const GOAWAY: u64 = 7;
/// The type of the frame with which a client allows pushes.
pub const MAX_PUSH_ID: u64 = 13;

/// The type of a control stream.
pub const CONTROL: u64 = 0;
/// The type of a push stream.
pub const PUSH: u64 = 1;
/// The type of a stream with instructions for a QPACK decoder.
pub const ENCODER: u64 = 2;
/// The type of a stream with replies to a QPACK encoder.
pub const DECODER: u64 = 3;

/// Whether a type of frames exists only in HTTP/2 (PRIORITY, PING, WINDOW_UPDATE and CONTINUATION):
/// such frames are never allowed here.
pub fn is_of_http2(kind: u64) -> bool {
    matches!(kind, 2 | 6 | 8 | 9)
}

/// Appends a variable-length integer (RFC 9000, section 16).
pub fn write_number(out: &mut Vec<u8>, number: u64) {
    match number {
        0..0x40 => out.push(number as u8),
        0x40..0x4000 => out.extend_from_slice(&(number as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => {
            out.extend_from_slice(&(number as u32 | 0x8000_0000).to_be_bytes());
        }
        _ => out.extend_from_slice(&(number | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

/// Reads a variable-length integer from the front; none if it is incomplete.
pub fn read_number(input: &mut &[u8]) -> Option<u64> {
    let length = 1 << (input.first()? >> 6);
    let (bytes, rest) = input.split_at_checked(length)?;
    *input = rest;
    let number = bytes
        .iter()
        .fold(0, |number, &byte| number << 8 | u64::from(byte));
    // The first two bits encode the number of bytes.
    Some(number & (u64::MAX >> (66 - 8 * length)))
}

/// Appends a frame.
pub fn write(out: &mut Vec<u8>, kind: u64, payload: &[u8]) {
    write_number(out, kind);
    write_number(out, payload.len() as u64);
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read_and_written() {
        // The examples of RFC 9000, A.1.
        for (bytes, number) in [
            (
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..],
                151_288_809_941_952_652,
            ),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ] {
            assert_eq!(read_number(&mut &*bytes), Some(number));
            let mut written = Vec::new();
            write_number(&mut written, number);
            assert_eq!(written, bytes);
            assert_eq!(read_number(&mut &bytes[..bytes.len() - 1]), None);
        }
    }
}
