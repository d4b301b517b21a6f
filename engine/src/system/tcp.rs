//! TCP sockets that never block, and what the kernel counted on them.

use std::io;
use std::mem::MaybeUninit;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

/// What went over one TCP connection in its whole life: payload bytes and segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpCounters {
    pub sent: u64,
    pub received: u64,
    pub segments_out: u64,
    pub segments_in: u64,
    pub retransmitted: u64,
}

/// Starts to connect. The socket becomes writable when that has succeeded or failed.
pub fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM.nonblocking().cloexec(),
        Some(Protocol::TCP),
    )?;
    socket.set_tcp_nodelay(true)?;
    match socket.connect(&SockAddr::from(address)) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket.into()),
    }
}

/// Says to the other side that nothing more will be sent; reading goes on.
pub fn half_close(stream: &TcpStream) {
    // It fails only when the connection is gone already.
    let _ = stream.shutdown(Shutdown::Write);
}

/// Reads the kernel's counters. `end_seen` says whether the other side's FIN has been read: the
/// kernel counts it as one byte received.
pub fn counters(stream: &TcpStream, end_seen: bool) -> TcpCounters {
    let mut info = MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the buffer has the length that is passed, and all zeros is a valid `tcp_info`, so
    // a kernel that knows fewer fields leaves zeros.
    let info = unsafe {
        let result = libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        );
        if result != 0 {
            return TcpCounters::default();
        }
        info.assume_init()
    };
    TcpCounters {
        sent: info.tcpi_bytes_sent.saturating_sub(info.tcpi_bytes_retrans),
        received: info.tcpi_bytes_received.saturating_sub(u64::from(end_seen)),
        segments_out: u64::from(info.tcpi_segs_out),
        segments_in: u64::from(info.tcpi_segs_in),
        retransmitted: u64::from(info.tcpi_total_retrans),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;

    #[test]
    fn counts_payload_exactly() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = connect(listener.local_addr().unwrap()).unwrap();
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
