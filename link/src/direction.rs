//! One direction of the link: holds a limited number of packets until they are due.

use std::collections::VecDeque;

use crate::conditions::Conditions;
use crate::counters::Counters;
use crate::line::{Fate, Line, Time};
use crate::tun::MTU;

/// The most packets that are held: 100 MB. A line of 1 Gbit/s with a delay of 300 ms needs 25,000.
pub const MOST_HELD: usize = 1 << 16;

type Buffer = Box<[u8; MTU]>;

struct Held {
    due: Time,
    length: usize,
    bytes: Buffer,
}

/// The packets of one direction.
pub struct Direction {
    line: Line,
    held: VecDeque<Held>,
    /// Unused buffers, for reuse.
    spare: Vec<Buffer>,
    most_held: usize,
    counters: Counters,
}

impl Direction {
    /// A direction without packets.
    pub fn new(conditions: Conditions, seed: u64, most_held: usize) -> Self {
        Self {
            line: Line::new(conditions, seed),
            held: VecDeque::new(),
            spare: Vec::new(),
            most_held,
            counters: Counters::default(),
        }
    }

    /// Accepts a packet, which will be due later, or drops it.
    pub fn take(&mut self, now: Time, packet: &[u8]) {
        self.counters.packets += 1;
        self.counters.bytes += packet.len() as u64;
        if self.held.len() == self.most_held || packet.len() > MTU {
            self.counters.overrun += 1;
            return;
        }
        match self.line.offer(now, packet.len() as u32) {
            Fate::QueueFull => self.counters.dropped_by_queue += 1,
            Fate::Lost => self.counters.lost += 1,
            Fate::Arrives(due) => {
                let mut bytes = self.spare.pop().unwrap_or_else(|| Box::new([0; MTU]));
                bytes[..packet.len()].copy_from_slice(packet);
                self.held.push_back(Held {
                    due,
                    length: packet.len(),
                    bytes,
                });
                let held = self.held.len();
                self.counters.held_high_water_packets =
                    self.counters.held_high_water_packets.max(held);
            }
        }
    }

    /// When the next packet is due.
    pub fn next_due(&self) -> Option<Time> {
        self.held.front().map(|held| held.due)
    }

    /// Passes the next packet to `deliver` if it is due; returns whether it was. `deliver` returns
    /// whether the other end has accepted it.
    pub fn give(&mut self, now: Time, deliver: impl FnOnce(&[u8]) -> bool) -> bool {
        if self.next_due().is_none_or(|due| due > now) {
            return false;
        }
        let Some(held) = self.held.pop_front() else {
            return false;
        };
        self.counters.late.record(now - held.due);
        if deliver(&held.bytes[..held.length]) {
            self.counters.delivered_packets += 1;
            self.counters.delivered_bytes += held.length as u64;
        } else {
            self.counters.refused += 1;
        }
        self.spare.push(held.bytes);
        true
    }

    /// The counters so far, with the given drops of the device.
    pub fn counters(&self, dropped_by_device: u64) -> Counters {
        Counters {
            dropped_by_device,
            queue_high_water_bytes: self.line.most_waiting_bytes(),
            lateness_us: self.counters.late.lateness(),
            ..self.counters.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delayed(most_held: usize) -> Direction {
        let conditions = Conditions {
            delay_ns: 1000,
            ..Conditions::NOTHING
        };
        Direction::new(conditions, 1, most_held)
    }

    #[test]
    fn packets_are_delivered_when_due_and_in_order() {
        let mut direction = delayed(10);
        direction.take(0, b"first");
        direction.take(5, b"second");
        let mut given = Vec::new();
        let mut give = |direction: &mut Direction, now| {
            direction.give(now, |packet| {
                given.push(packet.to_vec());
                true
            })
        };

        assert_eq!(direction.next_due(), Some(1000));
        assert!(!give(&mut direction, 999));
        assert!(give(&mut direction, 1003));
        assert!(!give(&mut direction, 1003));
        assert!(give(&mut direction, 1005));
        assert_eq!(direction.next_due(), None);
        assert_eq!(given, [b"first".to_vec(), b"second".to_vec()]);
        let counters = direction.counters(4);
        assert_eq!((counters.packets, counters.bytes), (2, 11));
        assert_eq!(
            (counters.delivered_packets, counters.delivered_bytes),
            (2, 11)
        );
        assert_eq!(counters.dropped_by_device, 4);
        assert!((counters.lateness_us.max - 0.003).abs() < 1e-9);
    }

    #[test]
    fn the_queue_keeps_its_limit_and_reuses_buffers() {
        let mut direction = delayed(2);
        for now in 0..5 {
            direction.take(now, &[7; 100]);
        }
        assert_eq!(direction.counters(0).overrun, 3);
        while direction.give(2000, |_| false) {}
        assert_eq!(direction.spare.len(), 2);
        direction.take(2000, &[7; 100]);

        assert_eq!(direction.spare.len(), 1);
        let counters = direction.counters(0);
        assert_eq!((counters.refused, counters.delivered_packets), (2, 0));
        assert_eq!(counters.held_high_water_packets, 2);
    }

    #[test]
    fn drops_are_counted_by_their_cause() {
        let conditions = Conditions {
            rate_bit_s: 8_000,
            queue_bytes: 1000,
            loss: 1.0,
            ..Conditions::NOTHING
        };
        let mut direction = Direction::new(conditions, 1, 10);
        for _ in 0..4 {
            direction.take(0, &[0; 500]);
        }
        let counters = direction.counters(0);

        assert_eq!((counters.lost, counters.dropped_by_queue), (3, 1));
        assert_eq!(counters.queue_high_water_bytes, 1000);
    }
}
