//! How long clients waited because no connection could take another call: there are more clients
//! than connections, or than streams that the server allows. This time is not the engine's.

/// The time that clients waited for a free connection.
#[derive(Default)]
pub struct Crowding {
    is_full: bool,
    /// When a connection became free again for the last time.
    freed_at: u64,
    pub waited_ns: u64,
}

impl Crowding {
    /// No connection is free.
    #[inline]
    pub fn full(&mut self) {
        self.is_full = true;
    }

    /// A connection is free at `at`. If one was free already, no client has been waiting.
    #[inline]
    pub fn freed(&mut self, at: u64) {
        if self.is_full {
            self.is_full = false;
            self.freed_at = at;
        }
    }

    /// A transaction starts that was due at `intended`: its wait counts until a connection became
    /// free, and from then on against the engine.
    #[inline]
    pub fn taken(&mut self, intended: u64) {
        self.waited_ns += self.freed_at.saturating_sub(intended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_without_free_connections_counts_as_waiting() {
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
