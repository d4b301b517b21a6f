//! What a server makes us answer by itself: pings, settings. It has to take the answers, or they
//! would pile up here without bound.

use crate::failure::{Failure, Fault};

/// Some thousand answers: nobody who means well asks for more before it takes the first.
const LIMIT: usize = 64 << 10;

const FLOOD: Fault = Fault::new(
    Failure::Flood,
    "the server asks for answers (to pings, settings) faster than it takes them",
);

/// Bytes of answers that have not left yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owed(usize);

impl Owed {
    /// Another answer of so many bytes has been appended to what is to be sent.
    pub fn add(&mut self, bytes: usize) -> Result<(), Fault> {
        self.0 += bytes;
        if self.0 > LIMIT { Err(FLOOD) } else { Ok(()) }
    }

    /// All of them have left.
    #[inline]
    pub fn clear(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_leave_are_not_owed() {
        let mut owed = Owed::default();
        for _ in 0..10 {
            assert_eq!(owed.add(LIMIT), Ok(()));
            owed.clear();
        }
        assert_eq!(owed.add(LIMIT), Ok(()));
        assert_eq!(owed.add(1), Err(FLOOD));
    }
}
