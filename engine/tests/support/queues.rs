//! What waits in the kernel to be read by the other side of a connection on this machine.

use std::net::TcpStream;
use std::time::Duration;

/// Waits until the other side has read all that was written to it.
pub fn await_read(stream: &TcpStream) {
    let (ours, theirs) = (stream.local_addr().unwrap(), stream.peer_addr().unwrap());
    let is_read =
        |(local, remote, bytes)| (local, remote, bytes) == (theirs.port(), ours.port(), 0);
    while !queues().into_iter().any(is_read) {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Waits until something from this port is there to be read.
pub fn await_unread_from(port: u16) {
    let is_there = |(_, remote, bytes)| remote == port && bytes > 0;
    while !queues().into_iter().any(is_there) {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Of each connection its ports, here and there, and how many bytes wait to be read.
fn queues() -> Vec<(u16, u16, u64)> {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let of = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let port = |place: usize| {
            let (_, port) = fields[place].rsplit_once(':')?;
            u16::from_str_radix(port, 16).ok()
        };
        let (_, received) = fields[4].split_once(':')?;
        Some((port(1)?, port(2)?, u64::from_str_radix(received, 16).ok()?))
    };
    table.lines().skip(1).filter_map(of).collect()
}
