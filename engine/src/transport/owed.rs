//! Counts answers that a server demands by itself: to pings, to settings. If it does not read them,
//! they would accumulate without limit.

use crate::failure::{Failure, Fault};

/// Some thousand answers: no well-behaved server demands more before it reads the first.
const LIMIT: usize = 64 << 10;

const FLOOD: Fault = Fault::new(
    Failure::Flood,
    "the server sends pings or settings faster than it reads their answers",
);

/// The bytes of unsent answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owed(usize);

impl Owed {
    /// Adds an answer of this many bytes. The fault is that there are too many.
    pub fn add(&mut self, bytes: usize) -> Result<(), Fault> {
        self.0 += bytes;
        if self.0 > LIMIT { Err(FLOOD) } else { Ok(()) }
    }

    /// All answers have been sent.
    #[inline]
    pub fn clear(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_were_sent_are_not_owed() {
        let mut owed = Owed::default();
        for _ in 0..10 {
            assert_eq!(owed.add(LIMIT), Ok(()));
            owed.clear();
        }
        assert_eq!(owed.add(LIMIT), Ok(()));
        assert_eq!(owed.add(1), Err(FLOOD));
    }
}
