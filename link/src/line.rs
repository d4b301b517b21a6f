//! The model of one direction: computes when a packet arrives from when it was sent. It is pure:
//! the caller passes the time, and packets are not kept.
//!
//! A packet waits in the queue until the line is free, is sent at the line's rate, and then travels
//! for the delay. Packets arrive in the order in which they were sent, whatever the jitter: a later
//! one never overtakes an earlier one.

use std::collections::VecDeque;

use crate::conditions::Conditions;
use crate::random::Random;

/// Nanoseconds of the caller's clock.
pub type Time = u64;

/// The outcome of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives at this time.
    Arrives(Time),
    /// The queue had no room for it (tail drop).
    QueueFull,
    /// It was sent, occupied the line, and was lost.
    Lost,
}

/// The state of one direction.
#[derive(Debug)]
pub struct Line {
    conditions: Conditions,
    random: Random,
    /// When the last packet that was accepted will have been sent.
    free_at: Time,
    /// The packets that wait for the line: when each will be sent, and its length.
    waiting: VecDeque<(Time, u32)>,
    waiting_bytes: u64,
    most_waiting_bytes: u64,
    last_arrival: Time,
}

impl Line {
    /// An idle line.
    pub fn new(conditions: Conditions, seed: u64) -> Self {
        Self {
            conditions,
            random: Random::new(seed),
            free_at: 0,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            most_waiting_bytes: 0,
            last_arrival: 0,
        }
    }

    /// The outcome of a packet of `length` bytes that is sent at `now`, which must not be earlier
    /// than in the previous call.
    pub fn offer(&mut self, now: Time, length: u32) -> Fate {
        self.begin_to_send(now);
        let starts_at = self.free_at.max(now);
        if starts_at > now {
            if self.waiting_bytes + u64::from(length) > self.conditions.queue_bytes {
                return Fate::QueueFull;
            }
            self.waiting.push_back((starts_at, length));
            self.waiting_bytes += u64::from(length);
            self.most_waiting_bytes = self.most_waiting_bytes.max(self.waiting_bytes);
        }
        self.free_at = starts_at + self.sending_time(length);
        // A line without loss draws no number.
        if self.conditions.loss > 0.0 && self.random.share() < self.conditions.loss {
            return Fate::Lost;
        }
        let arrival = self.free_at + self.conditions.delay_ns + self.jitter();
        self.last_arrival = self.last_arrival.max(arrival);
        Fate::Arrives(self.last_arrival)
    }

    /// The most bytes that have waited at once.
    pub fn most_waiting_bytes(&self) -> u64 {
        self.most_waiting_bytes
    }

    /// Removes packets from the queue that are being sent by now.
    fn begin_to_send(&mut self, now: Time) {
        while let Some(&(starts_at, length)) = self.waiting.front() {
            if starts_at > now {
                break;
            }
            self.waiting.pop_front();
            self.waiting_bytes -= u64::from(length);
        }
    }

    /// The time to send a packet, rounded up, so that the rate is never exceeded.
    fn sending_time(&self, length: u32) -> Time {
        match self.conditions.rate_bit_s {
            0 => 0,
            rate => (u64::from(length) * 8_000_000_000).div_ceil(rate),
        }
    }

    fn jitter(&mut self) -> Time {
        match self.conditions.jitter_ns {
            0 => 0,
            most => (self.random.share() * most as f64) as Time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Time = 1_000_000;

    fn line(rate_bit_s: u64, queue_bytes: u64) -> Line {
        let conditions = Conditions {
            delay_ns: 20 * MS,
            rate_bit_s,
            queue_bytes,
            ..Conditions::NOTHING
        };
        Line::new(conditions, 1)
    }

    #[test]
    fn a_line_without_conditions_lets_everything_pass_at_once() {
        let mut line = Line::new(Conditions::NOTHING, 1);

        assert_eq!(line.offer(7, 1500), Fate::Arrives(7));
        assert_eq!(line.offer(7, 1500), Fate::Arrives(7));
        assert_eq!(line.most_waiting_bytes(), 0);
    }

    #[test]
    fn a_packet_takes_its_length_over_the_rate_and_then_the_delay() {
        // 1500 bytes at 12 Mbit/s take 1 ms.
        let mut line = line(12_000_000, 10_000);

        assert_eq!(line.offer(0, 1500), Fate::Arrives(21 * MS));
        assert_eq!(line.offer(5 * MS, 750), Fate::Arrives(25 * MS + MS / 2));
    }

    #[test]
    fn packets_that_come_together_are_sent_one_after_the_other() {
        let mut line = line(12_000_000, 10_000);
        let fates: Vec<Fate> = (0..4).map(|_| line.offer(0, 1500)).collect();

        assert_eq!(fates, [21, 22, 23, 24].map(|at| Fate::Arrives(at * MS)));
        assert_eq!(line.most_waiting_bytes(), 4500, "one is on the line");
    }

    #[test]
    fn packets_beyond_the_queue_are_dropped_at_its_tail() {
        let mut line = line(12_000_000, 3000);
        let fates: Vec<Fate> = (0..5).map(|_| line.offer(0, 1500)).collect();

        assert_eq!(fates[2], Fate::Arrives(23 * MS));
        assert_eq!(fates[3..], [Fate::QueueFull, Fate::QueueFull]);
        // At 1 ms the second packet begins to be sent, and leaves room for one.
        assert_eq!(line.offer(MS, 1500), Fate::Arrives(24 * MS));
        assert_eq!(line.offer(MS, 1), Fate::QueueFull);
        assert_eq!(line.most_waiting_bytes(), 3000);
    }

    #[test]
    fn a_packet_on_a_free_line_needs_no_queue() {
        let mut line = line(12_000_000, 0);

        assert_eq!(line.offer(0, 1500), Fate::Arrives(21 * MS));
        assert_eq!(line.offer(MS - 1, 1500), Fate::QueueFull);
        assert_eq!(line.offer(MS, 1500), Fate::Arrives(22 * MS));
    }

    #[test]
    fn the_rate_is_kept_over_many_packets_of_any_length() {
        let mut line = line(7_777_777, 100_000_000);
        let mut bytes = 0;
        let mut last = 0;
        for length in (20..1500).cycle().take(20_000) {
            let Fate::Arrives(at) = line.offer(0, length) else {
                panic!("the queue has room");
            };
            bytes += u64::from(length);
            last = at;
        }
        let seconds = (last - 20 * MS) as f64 / 1e9;

        assert!(bytes as f64 * 8.0 / seconds <= 7_777_777.0);
        assert!(bytes as f64 * 8.0 / seconds > 7_777_000.0);
    }

    #[test]
    fn jitter_adds_at_most_its_delay_and_reorders_nothing() {
        let conditions = Conditions {
            delay_ns: 10 * MS,
            jitter_ns: 4 * MS,
            ..Conditions::NOTHING
        };
        let mut line = Line::new(conditions, 7);
        let mut last = 0;
        let mut delays = Vec::new();
        for number in 0..10_000 {
            // Further apart than the jitter, so that none waits for the one before it.
            let now = number * 5 * MS;
            let Fate::Arrives(at) = line.offer(now, 100) else {
                panic!("nothing is lost");
            };
            assert!(at > last);
            last = at;
            delays.push(at - now);
        }
        let mean = delays.iter().sum::<u64>() as f64 / 10_000.0;

        assert!(delays.iter().all(|it| (10 * MS..14 * MS).contains(it)));
        assert!((mean / MS as f64 - 12.0).abs() < 0.1, "{mean}");
        let mut line = Line::new(conditions, 7);
        let close: Vec<Fate> = (0..1000).map(|it| line.offer(it * 1000, 100)).collect();
        assert!(
            close
                .windows(2)
                .all(|two| arrival(two[0]) <= arrival(two[1]))
        );
    }

    #[test]
    fn the_declared_share_is_lost_and_the_seed_determines_which() {
        let conditions = Conditions {
            loss: 0.02,
            ..Conditions::NOTHING
        };
        let lost = |seed| -> Vec<usize> {
            let mut line = Line::new(conditions, seed);
            (0..100_000)
                .filter(|&it| line.offer(it as Time, 100) == Fate::Lost)
                .collect()
        };
        let found = lost(1);

        // Binomial: the standard deviation is sqrt(100000 · 0.02 · 0.98) = 44.3.
        assert!(
            (found.len() as f64 - 2000.0).abs() < 5.0 * 44.3,
            "{}",
            found.len()
        );
        assert_eq!(found, lost(1));
        assert_ne!(found, lost(2));
    }

    #[test]
    fn a_lost_packet_takes_its_time_on_the_line() {
        let conditions = Conditions {
            rate_bit_s: 12_000_000,
            queue_bytes: 10_000_000,
            loss: 0.5,
            ..Conditions::NOTHING
        };
        let mut line = Line::new(conditions, 3);
        let last = (0..1000)
            .map(|_| line.offer(0, 1500))
            .fold(0, |last, fate| match fate {
                Fate::Arrives(at) => at,
                _ => last,
            });

        assert!((985 * MS..=1000 * MS).contains(&last), "{last}");
    }

    fn arrival(fate: Fate) -> Time {
        match fate {
            Fate::Arrives(at) => at,
            other => panic!("{other:?}"),
        }
    }
}
