//! Non-blocking stream sockets: TCP with the kernel's counters, or Unix sockets, which lack the
//! options and counters of TCP.

use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

use rustix::net::{RecvFlags, SendFlags, recv, send};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::Address;
use super::time::nanoseconds;

/// The size of the buffer for the header of a timestamp, of 32 bytes, and of another one.
const CONTROL_BYTES: usize = 64;

/// The counters of a TCP connection over its lifetime: payload bytes and segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpCounters {
    pub sent: u64,
    pub received: u64,
    pub segments_out: u64,
    pub segments_in: u64,
    pub retransmitted: u64,
}

/// Starts to connect, from a local address if one is given. The socket becomes writable when that
/// has succeeded or failed.
pub fn connect(address: &Address, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let kind = Type::STREAM.nonblocking().cloexec();
    let socket = match address {
        Address::Unix(_) => Socket::new(Domain::UNIX, kind, None)?,
        Address::Inet(address) => {
            let tcp = Some(Protocol::TCP);
            let socket = Socket::new(Domain::for_address(*address), kind, tcp)?;
            socket.set_tcp_nodelay(true)?;
            if let Some(source) = source {
                // Ports are chosen when it connects, so each source has all of them for each server.
                switch_on(&socket, libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT);
                socket.bind(&SockAddr::from(SocketAddr::new(source, 0)))?;
            }
            socket
        }
    };
    match socket.connect(&address.of_system()?) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket.into()),
    }
}

/// Ends the sending direction; receiving goes on.
pub fn half_close(stream: &TcpStream) {
    // This fails only if the connection has ended.
    let _ = stream.shutdown(Shutdown::Write);
}

/// Reads without the cancellation point of the C library's function.
#[inline]
pub fn read(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    let (_, count) = recv(stream, buffer, RecvFlags::empty())?;
    Ok(count)
}

/// Writes, likewise without a cancellation point.
#[inline]
pub fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    Ok(send(stream, bytes, SendFlags::NOSIGNAL)?)
}

/// Makes the kernel timestamp received packets, for `read_stamped`. If it refuses, there are no
/// timestamps.
pub fn stamp_arrivals(stream: &TcpStream) {
    switch_on(stream, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS);
}

/// Switches an option of a socket on, unless the kernel refuses.
fn switch_on(socket: &impl AsRawFd, level: libc::c_int, option: libc::c_int) {
    let on: libc::c_int = 1;
    // SAFETY: the kernel copies the number.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        );
    }
}

/// Reads like `read`, and returns when the kernel received the last packet, in nanoseconds since
/// 1970.
#[inline]
pub fn read_stamped(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<(usize, Option<u64>)> {
    let mut control = [0_u64; CONTROL_BYTES / size_of::<u64>()];
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: all zeros is an empty message; what it points to outlives the call, and the lengths
    // are those of what it points to.
    let (count, message) = unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = CONTROL_BYTES as _;
        let count = libc::recvmsg(stream.as_raw_fd(), &raw mut message, 0);
        (count, message)
    };
    if count < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has written the headers, and `control`, which they are in, still lives.
    let stamp = unsafe { stamp_of(&message) };
    Ok((count as usize, stamp))
}

/// The timestamp among the control headers of a message.
///
/// # Safety
/// The control part of `message` must be what the kernel has written.
unsafe fn stamp_of(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: by the caller's promise these walk the kernel's headers.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(current) = header.as_ref() {
            if (current.cmsg_level, current.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS)
            {
                let time = libc::CMSG_DATA(header).cast::<libc::timespec>();
                return Some(nanoseconds(&time.read_unaligned()));
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    None
}

/// Whether packets have ever arrived out of order. Then the timestamp may be that of a packet which
/// waited in the kernel for the retransmission of an earlier one.
pub fn was_disordered(stream: &TcpStream) -> bool {
    info(stream).is_some_and(|info| info.tcpi_rcv_ooopack > 0)
}

/// Reads the kernel's counters. `end_seen` says whether the other side's FIN has been read: the
/// kernel counts it as one byte received.
pub fn counters(stream: &TcpStream, end_seen: bool) -> TcpCounters {
    info(stream).map_or_else(TcpCounters::default, |info| TcpCounters {
        sent: info.tcpi_bytes_sent.saturating_sub(info.tcpi_bytes_retrans),
        received: info.tcpi_bytes_received.saturating_sub(u64::from(end_seen)),
        segments_out: u64::from(info.tcpi_segs_out),
        segments_in: u64::from(info.tcpi_segs_in),
        retransmitted: u64::from(info.tcpi_total_retrans),
    })
}

/// The kernel's data on a connection.
fn info(stream: &TcpStream) -> Option<libc::tcp_info> {
    let mut info = MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the buffer has the length that is passed, and all zeros is a valid `tcp_info`, so
    // a kernel that knows fewer fields leaves zeros.
    unsafe {
        let result = libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        );
        (result == 0).then(|| info.assume_init())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Duration;

    use super::super::time::realtime_ns;
    use super::*;

    #[test]
    fn the_kernel_stamps_the_arrival_of_bytes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = connect(&listener.local_addr().unwrap().into(), None).unwrap();
        stream.set_nonblocking(false).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        let mut buffer = [0; 100];
        peer.write_all(b"without").unwrap();
        assert_eq!(read_stamped(&stream, &mut buffer).unwrap(), (7, None));

        stamp_arrivals(&stream);
        // The kernel begins to stamp packets a moment after it was asked to.
        let mut stamp = None;
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(10));
            let before = realtime_ns();
            peer.write_all(b"with").unwrap();
            let (count, stamped) = read_stamped(&stream, &mut buffer).unwrap();
            let after = realtime_ns();
            assert_eq!(&buffer[..count], b"with");
            stamp = stamped.map(|stamp| before <= stamp && stamp <= after);
            if stamp.is_some() {
                break;
            }
        }
        assert_eq!(stamp, Some(true));
        assert!(!was_disordered(&stream));
        drop(peer);
        assert_eq!(read_stamped(&stream, &mut buffer).unwrap(), (0, None));
    }

    #[test]
    fn payload_is_counted_exactly() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = connect(&listener.local_addr().unwrap().into(), None).unwrap();
        stream.set_nonblocking(false).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        (&stream).write_all(&[1; 1000]).unwrap();
        peer.read_exact(&mut [0; 1000]).unwrap();
        peer.write_all(&[2; 77_777]).unwrap();
        drop(peer);
        half_close(&stream);
        let mut received = Vec::new();
        (&stream).read_to_end(&mut received).unwrap();
        std::thread::sleep(Duration::from_millis(20));

        let counters = counters(&stream, true);
        assert_eq!((counters.sent, counters.received), (1000, 77_777));
        assert!(
            counters.segments_out >= 4 && counters.segments_in >= 4,
            "{counters:?}"
        );
    }
}
