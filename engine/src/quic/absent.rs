//! Replaces QUIC in a build without HTTP/3: no client or link can be created.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Instant;

use crate::failure::Fault;
use crate::system::tcp::TcpCounters;
use crate::tls;

use super::ABSENT;

/// Cannot be created.
pub struct Client {
    never: Infallible,
}

impl Client {
    /// Fails: this build has no HTTP/3.
    pub fn new(_tls: &tls::Client, _streams: u32, _window: u32) -> Result<Self, &'static str> {
        Err(ABSENT)
    }

    /// Cannot be called.
    pub fn link(&self, _address: SocketAddr, _source: Option<IpAddr>) -> Result<Link, Fault> {
        match self.never {}
    }
}

/// Cannot be created.
pub struct Link {
    never: Infallible,
}

impl Link {
    /// Cannot be called.
    pub fn socket(&self) -> &UdpSocket {
        match self.never {}
    }

    /// Cannot be called.
    pub fn read(&mut self, _scratch: &mut [u8]) -> usize {
        match self.never {}
    }

    /// Cannot be called.
    pub fn receive(&mut self, _number: usize, _scratch: &[u8]) -> (u64, Option<u64>) {
        match self.never {}
    }

    /// Cannot be called.
    pub fn is_established(&self) -> bool {
        match self.never {}
    }

    /// Cannot be called.
    pub fn fault(&self) -> Option<Fault> {
        match self.never {}
    }

    /// Cannot be called.
    pub fn take(&mut self, _row: &mut [u8]) -> usize {
        match self.never {}
    }

    /// Cannot be called.
    pub fn send(&mut self, _row: &[u8]) {
        match self.never {}
    }

    /// Cannot be called.
    pub fn transmit(&mut self) -> u64 {
        match self.never {}
    }

    /// Cannot be called.
    pub fn expire(&mut self, _now: Instant) -> bool {
        match self.never {}
    }

    /// Cannot be called.
    pub fn wake_at(&mut self) -> Option<Instant> {
        match self.never {}
    }

    /// Cannot be called.
    pub fn close(&mut self) -> u64 {
        match self.never {}
    }

    /// Cannot be called.
    pub fn counters(&self) -> TcpCounters {
        match self.never {}
    }
}
