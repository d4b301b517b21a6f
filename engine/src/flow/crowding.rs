//! How long clients waited because no connection could take another call: there are more of them
//! than connections, or than the server allows at once. That is not the engine's time.

#[derive(Default)]
pub struct Crowding {
    is_full: bool,
    /// When there was room again, the last time that there was none.
    freed_at: u64,
    pub waited_ns: u64,
}

impl Crowding {
    #[inline]
    pub fn full(&mut self) {
        self.is_full = true;
    }

    /// There is room. Where there was some already, nobody has been waiting for it.
    #[inline]
    pub fn freed(&mut self, at: u64) {
        if self.is_full {
            self.is_full = false;
            self.freed_at = at;
        }
    }

    /// A transaction starts that was due at `intended`: what it waited since there is room counts
    /// against the engine.
    #[inline]
    pub fn taken(&mut self, intended: u64) {
        self.waited_ns += self.freed_at.saturating_sub(intended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_without_room_is_waited() {
        let mut crowding = Crowding::default();
        crowding.taken(10); // there was room from the beginning
        crowding.freed(20);
        crowding.taken(15); // late, and not for want of room
        assert_eq!(crowding.waited_ns, 0);
        crowding.full();
        crowding.freed(100);
        crowding.freed(130);
        crowding.taken(40);
        crowding.taken(110);
        assert_eq!(crowding.waited_ns, 60);
    }
}
