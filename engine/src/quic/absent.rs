//! A build without HTTP/3: there is no link, and no way to make one.

use std::convert::Infallible;
use std::net::{SocketAddr, UdpSocket};
use std::time::Instant;

use crate::failure::Fault;
use crate::system::tcp::TcpCounters;
use crate::tls;

use super::ABSENT;

pub struct Client {
    never: Infallible,
}

impl Client {
    pub fn new(_tls: &tls::Client, _streams: u32, _window: u32) -> Result<Self, &'static str> {
        Err(ABSENT)
    }

    pub fn link(&self, _address: SocketAddr) -> Result<Link, Fault> {
        match self.never {}
    }
}

pub struct Link {
    never: Infallible,
}

impl Link {
    pub fn socket(&self) -> &UdpSocket {
        match self.never {}
    }

    pub fn receive(&mut self, _scratch: &mut [u8]) -> u64 {
        match self.never {}
    }

    pub fn stamp_ns(&self) -> Option<u64> {
        match self.never {}
    }

    pub fn is_established(&self) -> bool {
        match self.never {}
    }

    pub fn fault(&self) -> Option<Fault> {
        match self.never {}
    }

    pub fn take(&mut self, _row: &mut [u8]) -> usize {
        match self.never {}
    }

    pub fn send(&mut self, _row: &[u8]) {
        match self.never {}
    }

    pub fn transmit(&mut self) -> u64 {
        match self.never {}
    }

    pub fn expire(&mut self, _now: Instant) -> bool {
        match self.never {}
    }

    pub fn wake_at(&mut self) -> Option<Instant> {
        match self.never {}
    }

    pub fn close(&mut self) -> u64 {
        match self.never {}
    }

    pub fn counters(&self) -> TcpCounters {
        match self.never {}
    }
}
