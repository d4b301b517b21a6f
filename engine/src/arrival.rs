//! When an answer arrived: the kernel's stamp of its packet, as a time of the engine's clock.
//!
//! The engine has to be woken to read an answer, which takes tens of microseconds that are not the
//! server's. The kernel stamps packets with the wall clock, which may be set while we run, so a
//! stamp is believed only while the wall clock keeps pace with ours. Whatever cannot be believed
//! is given as `None`: then the engine's own clock says when it read the answer.

use crate::clock::Clock;
use crate::system::time::realtime_ns;

/// Older than this, a stamp is believed only if its bytes cannot have waited for others.
const FRESH_NS: u64 = 100_000;
/// How far the clocks may part between two readings: readings that are not quite simultaneous,
/// and one in a thousand of the time, twice of what a wall clock is ever slowed down or sped up.
const APART_NS: u64 = 50_000;
const APART_SHARE: u64 = 1_000;

/// Who says when an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The kernel, when it got the packet.
    Kernel,
    /// The engine, when it read the answer.
    Engine,
}

impl Arrival {
    pub const NAMES: [(&str, Self); 2] = [
        (Self::Kernel.name(), Self::Kernel),
        (Self::Engine.name(), Self::Engine),
    ];

    /// The word for it in a job and in a result.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Engine => "engine",
        }
    }
}

/// How many readings of answers had a stamp that could be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamped {
    pub usable: u64,
    pub readings: u64,
}

/// Turns the kernel's stamps into times of the engine's clock.
pub struct Arrivals {
    clock: Clock,
    /// What the wall clock showed at time zero of ours, as of the last reading, and when that was.
    wall_at_zero: u64,
    compared_at: u64,
    /// The wall clock has not been set since.
    steady_since: u64,
    pub stamped: Stamped,
}

impl Arrivals {
    pub fn new(clock: Clock) -> Self {
        let (wall, now) = (realtime_ns(), clock.now());
        Self {
            clock,
            wall_at_zero: wall.wrapping_sub(now),
            compared_at: now,
            steady_since: now,
            stamped: Stamped::default(),
        }
    }

    /// When that arrived which has just been read. `is_doubtful` tells of an old stamp whether
    /// its bytes may have waited in the kernel for others before them.
    #[inline]
    pub fn time_of(
        &mut self,
        stamp_ns: Option<u64>,
        is_doubtful: impl FnOnce() -> bool,
    ) -> Option<u64> {
        self.time_at(stamp_ns, realtime_ns(), self.clock.now(), is_doubtful)
    }

    /// The same, given what both clocks show now.
    #[inline]
    fn time_at(
        &mut self,
        stamp_ns: Option<u64>,
        wall: u64,
        now: u64,
        is_doubtful: impl FnOnce() -> bool,
    ) -> Option<u64> {
        let arrived = stamp_ns
            .and_then(|stamp| self.convert(stamp, wall, now))
            .filter(|arrived| now - arrived < FRESH_NS || !is_doubtful());
        self.stamped.readings += 1;
        self.stamped.usable += u64::from(arrived.is_some());
        arrived
    }

    /// The stamp as a time of our clock, given what both clocks show now: never after now.
    fn convert(&mut self, stamp: u64, wall: u64, now: u64) -> Option<u64> {
        let wall_at_zero = wall.wrapping_sub(now);
        let parted = wall_at_zero.wrapping_sub(self.wall_at_zero) as i64;
        let elapsed = now.saturating_sub(self.compared_at);
        (self.wall_at_zero, self.compared_at) = (wall_at_zero, now);
        if parted.unsigned_abs() > APART_NS + elapsed / APART_SHARE {
            self.steady_since = now;
            return None;
        }
        let age = wall.saturating_sub(stamp);
        // Stamps from before the wall clock was set are of another time.
        now.checked_sub(age)
            .filter(|&arrived| arrived >= self.steady_since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const WALL: u64 = 1_700_000_000 * SECOND;

    /// At time zero of our clock, which has just begun, the wall clock shows `WALL`.
    fn arrivals() -> Arrivals {
        Arrivals {
            wall_at_zero: WALL,
            compared_at: 0,
            steady_since: 0,
            ..Arrivals::new(Clock::new())
        }
    }

    #[test]
    fn a_stamp_is_as_old_as_the_wall_clock_says() {
        let mut arrivals = arrivals();
        let converted = arrivals.convert(WALL + SECOND - 45_000, WALL + SECOND, SECOND);
        assert_eq!(converted, Some(SECOND - 45_000));
    }

    #[test]
    fn nothing_arrives_after_it_was_read() {
        let mut arrivals = arrivals();
        let converted = arrivals.convert(WALL + SECOND + 300, WALL + SECOND, SECOND);
        assert_eq!(converted, Some(SECOND));
    }

    #[test]
    fn clocks_may_drift_apart() {
        let mut arrivals = arrivals();
        for second in 1..100 {
            // 500 millionths is as fast as the kernel ever lets its clock run.
            let (now, wall) = (second * SECOND, WALL + second * (SECOND + 500_000));
            assert_eq!(
                arrivals.convert(wall - 70_000, wall, now),
                Some(now - 70_000)
            );
        }
    }

    #[test]
    fn a_wall_clock_that_is_set_dates_nothing() {
        for step in [3_600 * SECOND as i64, -3_600 * SECOND as i64, 200_000] {
            let mut arrivals = arrivals();
            let wall = |now: u64| (WALL + now).wrapping_add_signed(step);
            // It is set at 10 ms; packets came before that and after it.
            let (before, after) = (WALL + 9_900_000, wall(10_100_000));
            let read =
                |arrivals: &mut Arrivals, stamp, now| arrivals.convert(stamp, wall(now), now);
            assert_eq!(read(&mut arrivals, before, 10_200_000), None, "{step}");
            if step > 0 {
                assert_eq!(read(&mut arrivals, before, 10_210_000), None, "{step}");
            } else {
                // It seems to come from the future, so it came at the latest now.
                let now = 10_210_000;
                assert_eq!(read(&mut arrivals, before, now), Some(now), "{step}");
            }
            assert_eq!(read(&mut arrivals, after, 10_220_000), None, "{step}");
            let later = wall(10_500_000);
            let arrived = read(&mut arrivals, later, 10_550_000);
            assert_eq!(arrived, Some(10_500_000), "{step}");
        }
    }

    #[test]
    fn an_old_stamp_must_be_beyond_doubt_and_a_fresh_one_need_not() {
        let mut arrivals = arrivals();
        let mut read = |age: u64, is_doubtful: bool| {
            let (wall, now) = (WALL + SECOND, SECOND);
            arrivals.time_at(Some(wall - age), wall, now, || is_doubtful)
        };
        assert_eq!(read(1_000_000, true), None);
        assert_eq!(read(1_000_000, false), Some(SECOND - 1_000_000));
        assert_eq!(read(FRESH_NS - 1, true), Some(SECOND - FRESH_NS + 1));
        let none = arrivals.time_at(None, WALL + SECOND, SECOND, || false);
        assert_eq!(none, None);
        let counted = Stamped {
            usable: 2,
            readings: 4,
        };
        assert_eq!(arrivals.stamped, counted);
    }

    #[test]
    fn nothing_is_known_without_a_stamp() {
        let mut arrivals = Arrivals::new(Clock::new());
        assert_eq!(arrivals.time_of(None, || false), None);
        assert_eq!(arrivals.stamped.readings, 1);
    }
}
