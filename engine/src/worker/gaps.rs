//! Gaps in which the event loop could not run although it had work: its CPU was stolen or used by
//! another program.

/// The shortest gap: handling one event takes much less.
const LEAST_NS: u64 = 1_000_000;

/// Watches the clock readings of the loop, of which there are several per event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps {
    last: u64,
    pub total_ns: u64,
}

impl Gaps {
    /// Begins at `now`, without gaps.
    pub fn since(now: u64) -> Self {
        Self {
            last: now,
            total_ns: 0,
        }
    }

    /// Adds a gap if the loop was busy since the last call and took too long.
    #[inline]
    pub fn look(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.last);
        self.last = now;
        if elapsed > LEAST_NS {
            self.total_ns += elapsed;
        }
    }

    /// Ignores the time since the last call, whose length is not known in advance.
    #[inline]
    pub fn skip(&mut self, now: u64) {
        self.last = now;
    }

    /// Adds a gap if the loop slept since `then` for longer than `sleep_ns`, unless an event woke
    /// it.
    #[inline]
    pub fn woke(&mut self, then: u64, sleep_ns: Option<u64>, was_woken: bool, now: u64) {
        self.last = now;
        let Some(sleep_ns) = sleep_ns.filter(|&it| !was_woken || it == 0) else {
            return;
        };
        let late = now.saturating_sub(then.saturating_add(sleep_ns));
        if late > LEAST_NS {
            self.total_ns += late;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn only_long_intervals_at_work_count() {
        let mut gaps = Gaps::since(10 * MS);
        gaps.look(11 * MS);
        gaps.look(14 * MS);
        gaps.skip(30 * MS);
        gaps.look(30 * MS + 1);
        assert_eq!(gaps.total_ns, 3 * MS);
    }

    #[test]
    fn sleep_is_no_gap_and_oversleeping_is() {
        let mut gaps = Gaps::since(0);
        gaps.woke(0, None, true, 500 * MS);
        gaps.woke(500 * MS, Some(100 * MS), true, 520 * MS);
        gaps.woke(520 * MS, Some(10 * MS), false, 531 * MS);
        assert_eq!(gaps.total_ns, 0);
        gaps.woke(531 * MS, Some(10 * MS), false, 545 * MS);
        assert_eq!(gaps.total_ns, 4 * MS);
        // Who does not sleep at all is late, whatever is there afterwards.
        gaps.woke(545 * MS, Some(0), true, 548 * MS);
        assert_eq!(gaps.total_ns, 7 * MS);
        gaps.look(548 * MS + 1);
        assert_eq!(gaps.total_ns, 7 * MS);
    }
}
