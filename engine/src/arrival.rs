//! When an answer arrived: the kernel's timestamp of its packet, converted to the engine's clock.
//!
//! Waking the engine to read an answer takes tens of microseconds that are not the server's. The
//! kernel stamps packets with the wall clock, which may be set during a run, so a timestamp is used
//! only while the wall clock keeps pace with the engine's. An unusable timestamp becomes `None`;
//! then the answer counts from when the engine read it.

use crate::clock::Clock;
use crate::system::time::realtime_ns;

/// An older timestamp is used only if its bytes cannot have waited for others.
const FRESH_NS: u64 = 100_000;
/// How far the clocks may diverge between two readings: readings are not quite simultaneous, and a
/// wall clock is adjusted by at most 500 ppm, half of this share.
const APART_NS: u64 = 50_000;
const APART_SHARE: u64 = 1_000;

/// Which clock dates the arrival of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The kernel, when it received the packet.
    Kernel,
    /// The engine, when it read the answer.
    Engine,
}

impl Arrival {
    /// The names in a job and in a result.
    pub const NAMES: [(&str, Self); 2] = [
        (Self::Kernel.name(), Self::Kernel),
        (Self::Engine.name(), Self::Engine),
    ];

    /// The name in a job and in a result.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Engine => "engine",
        }
    }
}

/// How many reads of answers had a usable timestamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamped {
    pub usable: u64,
    pub readings: u64,
}

/// Converts the kernel's timestamps to the engine's clock.
pub struct Arrivals {
    clock: Clock,
    /// The wall-clock time at time zero of the engine's clock, as of the last reading, and when
    /// that was.
    wall_at_zero: u64,
    compared_at: u64,
    /// The time since when the wall clock has not been set.
    steady_since: u64,
    /// Whether the last reading had a usable timestamp.
    pub is_stamping: bool,
    pub stamped: Stamped,
}

impl Arrivals {
    /// Begins with a reading of both clocks.
    pub fn new(clock: Clock) -> Self {
        let (wall, now) = (realtime_ns(), clock.now());
        Self {
            clock,
            wall_at_zero: wall.wrapping_sub(now),
            compared_at: now,
            steady_since: now,
            is_stamping: false,
            stamped: Stamped::default(),
        }
    }

    /// When the bytes arrived that have just been read, as a time of the engine's clock. For an old
    /// timestamp, `is_doubtful` says whether its bytes may have waited in the kernel for others
    /// before them.
    #[inline]
    pub fn time_of(
        &mut self,
        stamp_ns: Option<u64>,
        is_doubtful: impl FnOnce() -> bool,
    ) -> Option<u64> {
        self.time_at(stamp_ns, realtime_ns(), self.clock.now(), is_doubtful)
    }

    /// The same, given the present time of both clocks.
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
        self.is_stamping = arrived.is_some();
        self.stamped.readings += 1;
        self.stamped.usable += u64::from(arrived.is_some());
        arrived
    }

    /// The timestamp as a time of the engine's clock, never after now, given the present time of
    /// both clocks.
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
        // A timestamp from before the wall clock was set cannot be converted.
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
    fn a_drift_between_the_clocks_is_corrected() {
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
    fn a_stamp_is_ignored_after_the_wall_clock_was_set() {
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
    fn the_time_of_arrival_is_unknown_without_a_stamp() {
        let mut arrivals = Arrivals::new(Clock::new());
        assert_eq!(arrivals.time_of(None, || false), None);
        assert_eq!(arrivals.stamped.readings, 1);
    }
}
