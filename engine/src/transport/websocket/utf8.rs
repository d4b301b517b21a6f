//! Validates UTF-8 in pieces, which may end within a character.

/// An incomplete character of at most four bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Utf8 {
    begun: [u8; 4],
    length: usize,
}

impl Utf8 {
    /// Whether the bytes are UTF-8 so far, with this piece.
    pub fn take(&mut self, mut piece: &[u8]) -> bool {
        while self.length > 0 {
            let Some((&byte, rest)) = piece.split_first() else {
                return true;
            };
            piece = rest;
            self.begun[self.length] = byte;
            self.length += 1;
            match str::from_utf8(&self.begun[..self.length]) {
                Ok(_) => self.length = 0,
                Err(error) if error.error_len().is_some() => return false,
                Err(_) => {}
            }
        }
        match str::from_utf8(piece) {
            Ok(_) => true,
            Err(error) if error.error_len().is_some() => false,
            Err(error) => {
                let begun = &piece[error.valid_up_to()..];
                self.begun[..begun.len()].copy_from_slice(begun);
                self.length = begun.len();
                true
            }
        }
    }

    /// Whether the last character is complete.
    pub fn is_whole(&self) -> bool {
        self.length == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn is_utf8(bytes: &[u8], size: usize) -> bool {
        let mut utf8 = Utf8::default();
        bytes.chunks(size).all(|piece| utf8.take(piece)) && utf8.is_whole()
    }

    #[test]
    fn pieces_are_judged_as_the_whole() {
        let texts: [&[u8]; 6] = [
            "aä€𝄞z".as_bytes(),
            b"\xff",
            b"a\xc3",
            b"\xe2\x82",
            b"\xed\xa0\x80",
            b"\xf0\x9d\x84\x9e\x9e",
        ];
        for text in texts {
            for size in 1..6 {
                let expected = str::from_utf8(text).is_ok();
                assert_eq!(is_utf8(text, size), expected, "{text:?} {size}");
            }
        }
        let mut random = Random::new(3);
        for _ in 0..5_000 {
            let mut bytes = "häß€𝄞".repeat(2).into_bytes();
            let position = random.below(bytes.len());
            bytes[position] ^= 1 << random.below(8);
            let size = 1 + random.below(5);
            assert_eq!(is_utf8(&bytes, size), str::from_utf8(&bytes).is_ok());
        }
    }
}
