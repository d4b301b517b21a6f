//! The interface between HTTP/3 and QUIC: pieces of streams, one after the other in a row of bytes,
//! so that HTTP/3 is a state machine over bytes like the other protocols.

/// The length of a header: stream number (8 bytes), length (4), kind (1).
pub const HEADER: usize = 13;

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// More follows on the stream.
    Part,
    /// The last piece of the stream.
    Last,
    /// A reset of the stream by either side; its bytes are the error code.
    Reset,
    /// No piece: all streams before this one may be opened. If they are not more than before, the
    /// server has not allowed more in time.
    Allowed,
    /// No piece: the client ends the connection; the bytes are the error code.
    Close,
}

/// A piece of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    pub stream: u64,
    pub kind: Kind,
    pub bytes: &'a [u8],
}

impl<'a> Piece<'a> {
    /// Reads a piece from the front; pieces are always complete.
    pub fn take(input: &mut &'a [u8]) -> Option<Self> {
        let (header, rest) = input.split_first_chunk::<HEADER>()?;
        let [a, b, c, d, e, f, g, h, i, j, k, l, kind] = *header;
        let length = u32::from_le_bytes([i, j, k, l]) as usize;
        let (bytes, rest) = rest.split_at_checked(length)?;
        *input = rest;
        Some(Self {
            stream: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            kind: match kind {
                0 => Kind::Part,
                1 => Kind::Last,
                2 => Kind::Reset,
                4 => Kind::Close,
                _ => Kind::Allowed,
            },
            bytes,
        })
    }

    /// The header of a piece of `length` bytes.
    pub fn header(stream: u64, kind: Kind, length: usize) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&stream.to_le_bytes());
        header[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        header[HEADER - 1] = kind as u8;
        header
    }

    /// Appends a reset or a close.
    pub fn write_error(stream: u64, kind: Kind, code: u32, out: &mut Vec<u8>) {
        let bytes = &u64::from(code).to_le_bytes();
        Piece {
            stream,
            kind,
            bytes,
        }
        .write(out);
    }

    /// The error code of a reset or of a close; 0 if it has none.
    pub fn code(&self) -> u64 {
        let code = self.bytes.first_chunk();
        code.map_or(0, |code| u64::from_le_bytes(*code))
    }

    /// Appends the piece.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&Self::header(self.stream, self.kind, self.bytes.len()));
        out.extend_from_slice(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_as_they_were_written() {
        let mut row = Vec::new();
        let pieces = [
            (0, Kind::Part, &b"abc"[..]),
            (1 << 40, Kind::Last, b""),
            (3, Kind::Reset, b"x"),
            (8, Kind::Allowed, b""),
            (0, Kind::Close, b"y"),
        ];
        for (stream, kind, bytes) in pieces {
            Piece {
                stream,
                kind,
                bytes,
            }
            .write(&mut row);
        }
        let mut input = row.as_slice();
        for (stream, kind, bytes) in pieces {
            assert_eq!(
                Piece::take(&mut input),
                Some(Piece {
                    stream,
                    kind,
                    bytes
                })
            );
        }
        assert_eq!((input.len(), Piece::take(&mut input)), (0, None));
        assert_eq!(Piece::take(&mut &row[..HEADER + 2]), None);
    }

    #[test]
    fn an_error_code_is_read_as_it_was_written() {
        let mut row = Vec::new();
        Piece::write_error(4, Kind::Reset, 0x10c, &mut row);
        let reset = Piece::take(&mut row.as_slice()).unwrap();
        assert_eq!((reset.stream, reset.kind), (4, Kind::Reset));
        assert_eq!(
            (
                reset.code(),
                Piece {
                    bytes: b"",
                    ..reset
                }
                .code()
            ),
            (0x10c, 0)
        );
    }
}
