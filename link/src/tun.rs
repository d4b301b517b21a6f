//! TUN devices: network interfaces whose packets a program reads and writes.

use std::ffi::c_ulong;
use std::fs::{File, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::libc;

/// The longest packet, as on Ethernet.
pub const MTU: usize = 1500;

/// The packets that the kernel queues until they are read: bursts of a sender must wait in the
/// queue of the emulated link, and not be dropped before it.
const DEVICE_QUEUE: libc::c_int = 10_000;

/// A device that exists as long as this value: the kernel removes it with its descriptor.
pub struct Tun {
    file: File,
    name: String,
}

impl Tun {
    /// Creates a device in the present network namespace and brings it up: `own` is its address,
    /// and `mask` determines which others are reached through it. The error is that of the kernel.
    pub fn open(name: &str, own: Ipv4Addr, mask: Ipv4Addr) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/net/tun")?;
        let mut request = Request::new(name);
        request.0.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
        request.send(&file, libc::TUNSETIFF)?;

        let socket = control_socket()?;
        for (address, what) in [(own, libc::SIOCSIFADDR), (mask, libc::SIOCSIFNETMASK)] {
            let mut request = Request::new(name);
            request.0.ifr_ifru.ifru_addr = socket_address(address);
            request.send(&socket, what)?;
        }
        for (value, what) in [
            (MTU as libc::c_int, libc::SIOCSIFMTU),
            (DEVICE_QUEUE, libc::SIOCSIFTXQLEN),
        ] {
            let mut request = Request::new(name);
            request.0.ifr_ifru.ifru_mtu = value;
            request.send(&socket, what)?;
        }
        put_up(&socket, name)?;
        Ok(Self {
            file,
            name: name.to_owned(),
        })
    }

    /// The name of the device.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The descriptor of the device.
    pub fn file(&self) -> &File {
        &self.file
    }
}

/// Brings up the loopback device of the present network namespace.
pub fn put_loopback_up() -> io::Result<()> {
    put_up(&control_socket()?, "lo")
}

fn put_up(socket: &OwnedFd, name: &str) -> io::Result<()> {
    let mut request = Request::new(name);
    request.0.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    request.send(socket, libc::SIOCSIFFLAGS)
}

/// The argument of ioctl(2) for network devices: see netdevice(7).
struct Request(libc::ifreq);

impl Request {
    fn new(name: &str) -> Self {
        // SAFETY: an `ifreq` is made of numbers and addresses, of which zeros are valid ones.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        let most = request.ifr_name.len() - 1; // a zero ends the name
        for (place, byte) in request.ifr_name.iter_mut().zip(name.bytes().take(most)) {
            *place = byte as libc::c_char;
        }
        Self(request)
    }

    fn send(&mut self, to: &impl AsRawFd, what: c_ulong) -> io::Result<()> {
        // SAFETY: all requests used here take a pointer to an `ifreq`, which this one is, and it
        // outlives the call.
        let result = unsafe { libc::ioctl(to.as_raw_fd(), what as _, &raw mut self.0) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

fn control_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
    // SAFETY: takes no pointer.
    let socket = unsafe { libc::socket(libc::AF_INET, kind, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it has just been opened, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

fn socket_address(address: Ipv4Addr) -> libc::sockaddr {
    // SAFETY: zeros are a valid `sockaddr_in`.
    let mut found: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    found.sin_family = libc::AF_INET as libc::sa_family_t;
    found.sin_addr.s_addr = u32::from(address).to_be();
    // SAFETY: both are 16 bytes that begin with the family, made to be taken for one another.
    unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(found) }
}
