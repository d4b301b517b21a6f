//! How long clients waited because no connection could take another call: there are more clients
//! than connections, or than streams that the server allows, or a connection had ended and was
//! being closed. This time is not the engine's.

/// The time that clients waited for a free connection.
#[derive(Default)]
pub struct Crowding {
    is_full: bool,
    /// When a connection became free again for the last time.
    freed_at: u64,
    /// When connections were closed for the last time, in a row.
    closing: (u64, u64),
    pub waited_ns: u64,
    pub closing_ns: u64,
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

    /// An ended connection was closed in this time.
    pub fn closed(&mut self, from: u64, to: u64) {
        let (began, ended) = self.closing;
        self.closing = (if from == ended { began } else { from }, to);
    }

    /// A transaction starts that was due at `intended`: its wait counts until a connection became
    /// free, as closing while connections were closed after that, and otherwise against the engine.
    #[inline]
    pub fn taken(&mut self, intended: u64) {
        self.waited_ns += self.freed_at.saturating_sub(intended);
        let (from, to) = self.closing;
        self.closing_ns += to.saturating_sub(from.max(intended).max(self.freed_at));
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

    #[test]
    fn the_closing_of_connections_has_its_own_time() {
        let mut crowding = Crowding::default();
        crowding.closed(120, 150);
        crowding.closed(150, 170);
        crowding.taken(110); // due before
        crowding.taken(140); // due meanwhile
        crowding.taken(180); // due afterwards
        assert_eq!((crowding.closing_ns, crowding.waited_ns), (50 + 30, 0));
        crowding.closed(200, 210);
        crowding.taken(190);
        assert_eq!(crowding.closing_ns, 90);
        // It waited for a connection, and then for the closing of one.
        crowding.full();
        crowding.freed(300);
        crowding.closed(295, 320);
        crowding.taken(280);
        assert_eq!((crowding.closing_ns, crowding.waited_ns), (110, 20));
    }
}
