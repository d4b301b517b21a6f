//! The two ends of a link: one device in the present network namespace, one in a new one.
//!
//! Nothing has to be cleaned up: a device ends with its descriptor, and a namespace with the last
//! process in it, so they end with this process even if it is killed.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use nix::sched::{CloneFlags, unshare};

use crate::tun::{Tun, put_loopback_up};

/// Reserved for network benchmarks by RFC 2544: no other host has such an address.
const FIRST: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
const MASK: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 252);
const MOST_LINKS: u32 = 1 << 10;

/// Both ends of a link.
pub struct Ends {
    /// The device in the namespace in which this program was started: the servers' end.
    pub server: End,
    /// The device in the new namespace: the clients' end.
    pub client: End,
    /// Reserves the number of this link, and so its addresses.
    _reserved: UnixListener,
}

/// One end of a link.
pub struct End {
    pub tun: Tun,
    pub address: Ipv4Addr,
    devices: File,
}

/// Why the link could not be created.
pub enum CannotLink {
    /// A required operation is not permitted.
    NotPermitted(String),
    Failed(String),
}

impl Ends {
    /// Creates both ends, and moves this process to the client's.
    pub fn open() -> Result<Self, CannotLink> {
        let (number, reserved) =
            reserve().map_err(|error| failed("find a free address", &error))?;
        let [server, client] = [1, 2].map(|host| address(number, host));
        let server = End::open(&format!("wirelab{number}"), server)?;
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| failed("create a network namespace", &error.into()))?;
        put_loopback_up().map_err(|error| failed("bring up the loopback device", &error))?;
        let client = End::open("wirelab", client)?;
        Ok(Self {
            server,
            client,
            _reserved: reserved,
        })
    }
}

impl End {
    fn open(name: &str, address: Ipv4Addr) -> Result<Self, CannotLink> {
        let tun = Tun::open(name, address, MASK)
            .map_err(|error| failed(&format!("create the device {name}"), &error))?;
        // The file belongs to the namespace in which it is opened.
        let devices = File::open("/proc/thread-self/net/dev")
            .map_err(|error| failed("read /proc/thread-self/net/dev", &error))?;
        Ok(Self {
            tun,
            address,
            devices,
        })
    }

    /// The number of packets that the kernel dropped before they were read from the device.
    pub fn dropped(&mut self) -> u64 {
        let mut text = String::new();
        let read = self
            .devices
            .rewind()
            .and_then(|()| self.devices.read_to_string(&mut text));
        read.map_or(0, |_| transmit_drops(&text, self.tun.name()))
    }
}

/// The transmit drops of a device in /proc/net/dev.
fn transmit_drops(table: &str, name: &str) -> u64 {
    table
        .lines()
        .filter_map(|line| line.trim_start().split_once(':'))
        .find(|(device, _)| *device == name)
        .and_then(|(_, numbers)| numbers.split_whitespace().nth(11)?.parse().ok())
        .unwrap_or(0)
}

/// Reserves the first number that no other link of this namespace has, and whose address is not in
/// use. The error is that all are in use.
fn reserve() -> io::Result<(u32, UnixListener)> {
    for number in 0..MOST_LINKS {
        if is_ours(address(number, 1)) || is_ours(address(number, 2)) {
            continue;
        }
        // An abstract name is not on disk, belongs to this namespace, and is released when this
        // process ends.
        let name = SocketAddr::from_abstract_name(format!("wirelab-link-{number}"))?;
        match UnixListener::bind_addr(&name) {
            Ok(reserved) => return Ok((number, reserved)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("all {MOST_LINKS} are in use")))
}

/// Whether a device of this namespace has an address: only then a socket can be bound to it.
fn is_ours(address: Ipv4Addr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

fn address(link: u32, host: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(FIRST) + 4 * link + host)
}

fn failed(what: &str, error: &io::Error) -> CannotLink {
    let message = format!("cannot {what}: {error}");
    let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::NotFound];
    if kinds.contains(&error.kind()) {
        CannotLink::NotPermitted(message)
    } else {
        CannotLink::Failed(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    9    0     0       0          0
wirelab0: 6000      60    0    5    0     0          0         0     7000      70    0   42    0     0       0          0
";

    #[test]
    fn drops_are_those_of_the_device_on_its_way_out() {
        assert_eq!(transmit_drops(TABLE, "wirelab0"), 42);
        assert_eq!(transmit_drops(TABLE, "wirelab"), 0);
    }

    #[test]
    fn links_have_separate_neighbouring_addresses() {
        assert_eq!(address(0, 1), Ipv4Addr::new(198, 18, 0, 1));
        assert_eq!(address(0, 2), Ipv4Addr::new(198, 18, 0, 2));
        assert_eq!(address(64, 1), Ipv4Addr::new(198, 18, 1, 1));
    }
}
