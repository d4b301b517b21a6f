//! A UDP socket that receives and sends many datagrams per system call.

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn_proto::{Connection, EcnCodepoint, Transmit};
use quinn_udp::{RecvMeta, UdpSocketState};

use super::{JOINED, READINGS};

/// The most datagrams per system call.
const MOST_SEGMENTS: usize = 32;
/// The time before a retry if the kernel accepts nothing.
pub const RETRY: Duration = Duration::from_micros(500);

/// Passes the datagrams of an arrival, by its number in the reading, to `take`.
pub fn datagrams(
    number: usize,
    arrival: &RecvMeta,
    scratch: &[u8],
    mut take: impl FnMut(Option<EcnCodepoint>, BytesMut),
) {
    let ecn = arrival.ecn.and_then(|it| EcnCodepoint::from_bits(it as u8));
    let mut joined = BytesMut::from(&scratch[number * JOINED..][..arrival.len]);
    while !joined.is_empty() {
        let length = arrival.stride.clamp(1, joined.len());
        take(ecn, joined.split_to(length));
    }
}

/// The socket and its unsent packets.
pub struct Socket {
    pub socket: UdpSocket,
    state: UdpSocketState,
    /// Packets that the kernel has not accepted yet.
    packets: Vec<u8>,
    unsent: Option<Transmit>,
}

impl Socket {
    /// Prepares a socket. The error is that of its options.
    pub fn new(socket: UdpSocket) -> io::Result<Self> {
        Ok(Self {
            state: UdpSocketState::new((&socket).into())?,
            socket,
            packets: Vec::new(),
            unsent: None,
        })
    }

    /// Whether datagrams are never fragmented, so that path MTU discovery works.
    pub fn keeps_whole(&self) -> bool {
        !self.state.may_fragment()
    }

    /// Reads available datagrams into `scratch`, whose length is `quic::SCRATCH`: each arrival at a
    /// multiple of `quic::JOINED`. Returns their number.
    pub fn receive(
        &self,
        scratch: &mut [u8],
        arrivals: &mut [RecvMeta; READINGS],
    ) -> io::Result<usize> {
        let (first, rest) = scratch.split_at_mut(JOINED);
        let (second, third) = rest.split_at_mut(JOINED);
        let mut buffers = [first, second, third].map(IoSliceMut::new);
        let read = self
            .state
            .recv((&self.socket).into(), &mut buffers, arrivals);
        match read {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            other => other,
        }
    }

    /// Sends as many packets of a connection as the kernel accepts; returns the number of bytes.
    /// The error says that they are undeliverable.
    pub fn transmit(&mut self, connection: &mut Connection) -> io::Result<u64> {
        let segments = self.state.max_gso_segments().min(MOST_SEGMENTS);
        let now = Instant::now();
        let mut sent = self.flush()?;
        while self.unsent.is_none() {
            self.packets.clear();
            self.unsent = connection.poll_transmit(now, segments, &mut self.packets);
            if self.unsent.is_none() {
                break;
            }
            sent += self.flush()?;
        }
        Ok(sent)
    }

    /// Whether packets wait for the kernel to accept them.
    pub fn is_blocked(&self) -> bool {
        self.unsent.is_some()
    }

    /// Retries to send waiting packets.
    fn flush(&mut self) -> io::Result<u64> {
        let Some(transmit) = &self.unsent else {
            return Ok(0);
        };
        let size = transmit.size;
        match self.send(transmit, &self.packets[..size]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(0),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                self.unsent = None;
                return Err(error);
            }
            // QUIC retransmits lost packets, and finds the MTU by sending too large ones.
            Ok(()) | Err(_) => self.unsent = None,
        }
        Ok(size as u64)
    }

    /// Sends packets once, without a retry.
    pub fn send(&self, transmit: &Transmit, contents: &[u8]) -> io::Result<()> {
        let ecn = transmit.ecn;
        let packets = quinn_udp::Transmit {
            destination: transmit.destination,
            ecn: ecn.and_then(|it| quinn_udp::EcnCodepoint::from_bits(it as u8)),
            contents,
            segment_size: transmit.segment_size,
            src_ip: transmit.src_ip,
        };
        self.state.try_send((&self.socket).into(), &packets)
    }
}
