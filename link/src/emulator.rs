//! The main loop: reads packets from both devices, holds them until they are due, and writes them.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::os::fd::AsFd;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

use crate::conditions::Conditions;
use crate::counters::Counters;
use crate::direction::{Direction, MOST_HELD};
use crate::ends::{End, Ends};
use crate::line::Time;
use crate::tun::MTU;

/// The number of packets that are read from a device before the other one, and due packets, get
/// their turn.
const BATCH: usize = 32;

/// Why the loop returned.
pub enum Event {
    Signal(Signal),
    /// Waiting for the devices failed.
    Failed(Errno),
}

/// A running link.
pub struct Emulator {
    ends: Ends,
    /// From the server to the client.
    down: Direction,
    /// From the client to the server.
    up: Direction,
    /// The number of other packets, such as the kernel's multicasts, which are not forwarded.
    ignored: u64,
}

impl Emulator {
    /// A link between two ends.
    pub fn new(ends: Ends, down: Conditions, up: Conditions, seed: u64) -> Self {
        Self {
            ends,
            down: Direction::new(down, seed, MOST_HELD),
            // Otherwise the same packets would be lost in both directions.
            up: Direction::new(up, !seed, MOST_HELD),
            ignored: 0,
        }
    }

    /// Forwards packets until a signal arrives.
    pub fn carry(&mut self, signals: &SignalFd) -> Event {
        loop {
            match self.wait(signals) {
                Ok(None) | Err(Errno::EINTR) => {}
                Ok(Some(signal)) => return Event::Signal(signal),
                Err(error) => return Event::Failed(error),
            }
            let (server, client) = (&self.ends.server, &self.ends.client);
            self.ignored += take(server, client.address, &mut self.down);
            self.ignored += take(client, server.address, &mut self.up);
            give(&mut self.down, client);
            give(&mut self.up, server);
        }
    }

    /// The counters so far: down, up, and the number of packets that were not forwarded.
    pub fn counters(&mut self) -> (Counters, Counters, u64) {
        let down = self.down.counters(self.ends.server.dropped());
        let up = self.up.counters(self.ends.client.dropped());
        (down, up, self.ignored)
    }

    /// Waits until a packet arrives or is due, or a signal arrives.
    fn wait(&self, signals: &SignalFd) -> nix::Result<Option<Signal>> {
        let due = [&self.down, &self.up]
            .into_iter()
            .filter_map(Direction::next_due)
            .min();
        let timeout = due.map(|due| {
            let left = due.saturating_sub(now());
            TimeSpec::new((left / 1_000_000_000) as _, (left % 1_000_000_000) as _)
        });
        let mut waiting = [
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.ends.server.tun.file().as_fd(), PollFlags::POLLIN),
            PollFd::new(self.ends.client.tun.file().as_fd(), PollFlags::POLLIN),
        ];
        ppoll(&mut waiting, timeout, None)?;
        if waiting[0].any() != Some(true) {
            return Ok(None);
        }
        let signal = signals.read_signal()?;
        Ok(signal.and_then(|it| Signal::try_from(it.ssi_signo as i32).ok()))
    }
}

/// Reads packets from a device into a direction; returns the number of those that are not for `to`.
fn take(from: &End, to: Ipv4Addr, direction: &mut Direction) -> u64 {
    let mut ignored = 0;
    let mut packet = [0; MTU];
    for _ in 0..BATCH {
        let Ok(length) = from.tun.file().read(&mut packet) else {
            break; // No packet is available.
        };
        let packet = &packet[..length];
        if is_for(packet, to) {
            direction.take(now(), packet);
        } else {
            ignored += 1;
        }
    }
    ignored
}

/// Writes due packets to a device.
fn give(direction: &mut Direction, to: &End) {
    for _ in 0..BATCH {
        let given = direction.give(now(), |packet| to.tun.file().write(packet).is_ok());
        if !given {
            break;
        }
    }
}

/// Whether a packet is an IPv4 packet to an address.
fn is_for(packet: &[u8], to: Ipv4Addr) -> bool {
    packet.first().is_some_and(|first| first >> 4 == 4) && packet.get(16..20) == Some(&to.octets())
}

fn now() -> Time {
    clock_gettime(ClockId::from_raw(libc::CLOCK_MONOTONIC)).map_or(0, |it| {
        it.tv_sec() as Time * 1_000_000_000 + it.tv_nsec() as Time
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packets_to_the_other_end_are_carried() {
        let to = Ipv4Addr::new(198, 18, 0, 1);
        let mut packet = [0; 28];
        packet[0] = 0x45;
        packet[16..20].copy_from_slice(&to.octets());

        assert!(is_for(&packet, to));
        assert!(!is_for(&packet, Ipv4Addr::new(198, 18, 0, 2)));
        assert!(!is_for(&packet[..19], to), "cut off");
        packet[0] = 0x60;
        assert!(!is_for(&packet, to), "IPv6");
        assert!(!is_for(&[], to));
    }
}
