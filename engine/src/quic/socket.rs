//! A UDP socket that takes many datagrams at a time from the kernel, and gives it many.

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn_proto::{Connection, EcnCodepoint, Transmit};
use quinn_udp::{RecvMeta, UdpSocketState};

use super::{JOINED, READINGS};

/// How often it is read from in a row: there may be datagrams without end. The socket says again that
/// there are more.
const READS: usize = 16;
/// Datagrams that are handed to the kernel at once.
const MOST_SEGMENTS: usize = 32;
/// When the kernel takes nothing, it is tried again after this time.
pub const RETRY: Duration = Duration::from_micros(500);

pub struct Socket {
    pub socket: UdpSocket,
    state: UdpSocketState,
    /// Packets that the kernel has not taken yet.
    packets: Vec<u8>,
    unsent: Option<Transmit>,
}

impl Socket {
    pub fn new(socket: UdpSocket) -> io::Result<Self> {
        Ok(Self {
            state: UdpSocketState::new((&socket).into())?,
            socket,
            packets: Vec::new(),
            unsent: None,
        })
    }

    /// Whether datagrams are never cut up on their way, so that their largest size can be found.
    pub fn keeps_whole(&self) -> bool {
        !self.state.may_fragment()
    }

    /// Gives the datagrams that are there to `take`; says how many bytes there were. `scratch`
    /// has room for `quic::SCRATCH`.
    pub fn receive(
        &self,
        scratch: &mut [u8],
        mut take: impl FnMut(&RecvMeta, Option<EcnCodepoint>, BytesMut),
    ) -> io::Result<u64> {
        let mut received = 0;
        for _ in 0..READS {
            let (first, rest) = scratch.split_at_mut(JOINED);
            let (second, third) = rest.split_at_mut(JOINED);
            let mut buffers = [first, second, third].map(IoSliceMut::new);
            let mut metas = [RecvMeta::default(); READINGS];
            let count = match self
                .state
                .recv((&self.socket).into(), &mut buffers, &mut metas)
            {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(received),
                other => other?,
            };
            for (buffer, meta) in buffers.iter().zip(&metas[..count]) {
                received += meta.len as u64;
                let ecn = meta.ecn.and_then(|it| EcnCodepoint::from_bits(it as u8));
                let mut joined = BytesMut::from(&buffer[..meta.len]);
                while !joined.is_empty() {
                    let length = meta.stride.clamp(1, joined.len());
                    take(meta, ecn, joined.split_to(length));
                }
            }
            if count < READINGS {
                break;
            }
        }
        Ok(received)
    }

    /// Hands the packets of a connection to the kernel, as many as it takes; gives the number of
    /// bytes. The error says that they reach nobody.
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

    /// Whether packets wait for the kernel to take them.
    pub fn is_blocked(&self) -> bool {
        self.unsent.is_some()
    }

    /// Tries again to send what waits.
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
            // Lost packets are what QUIC is made for, and too large ones how it finds the limit.
            Ok(()) | Err(_) => self.unsent = None,
        }
        Ok(size as u64)
    }

    /// Sends once.
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
