//! Timers of connections, in the order of their times.

use std::collections::BTreeSet;
use std::time::Instant;

/// At most one timer for each connection; it may be earlier than the connection's own, and is set
/// again then.
#[derive(Default)]
pub struct Wakes {
    ordered: BTreeSet<(Instant, u32)>,
    /// By the index of the connection.
    times: Vec<Option<Instant>>,
}

impl Wakes {
    /// Wakes a connection at this time, unless it is woken before.
    #[inline]
    pub fn set(&mut self, index: u32, at: Instant) {
        let position = index as usize;
        if position >= self.times.len() {
            self.times.resize(position + 1, None);
        }
        let known = &mut self.times[position];
        if known.is_some_and(|known| known <= at) {
            return;
        }
        if let Some(later) = known.replace(at) {
            self.ordered.remove(&(later, index));
        }
        self.ordered.insert((at, index));
    }

    /// The time of the next timer.
    pub fn next(&self) -> Option<Instant> {
        self.ordered.first().map(|(at, _)| *at)
    }

    /// Removes and returns a connection whose time has come.
    pub fn due(&mut self, now: Instant) -> Option<u32> {
        let &(at, index) = self.ordered.first().filter(|(at, _)| *at <= now)?;
        self.ordered.remove(&(at, index));
        self.times[index as usize] = None;
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn connections_are_woken_in_order_and_once() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut wakes = Wakes::default();
        for (index, ms) in [(3, 50), (0, 20), (3, 10), (3, 30), (7, 20)] {
            wakes.set(index, at(ms));
        }
        assert_eq!(wakes.next(), Some(at(10)));
        assert_eq!(wakes.due(at(9)), None);
        let due: Vec<u32> = std::iter::from_fn(|| wakes.due(at(20))).collect();
        assert_eq!((due, wakes.next()), (vec![3, 0, 7], None));
        wakes.set(3, at(40));
        assert_eq!((wakes.due(at(39)), wakes.due(at(40))), (None, Some(3)));
    }
}
