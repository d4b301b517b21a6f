//! QUIC by quinn's state machine, over UDP sockets of our own: one for each connection, so that
//! datagrams need no sorting. To the protocol above it is a row of pieces of streams.

#[cfg(not(feature = "http3"))]
#[allow(dead_code, reason = "nobody can have one")]
mod absent;
#[cfg(feature = "http3")]
mod client;
#[cfg(feature = "http3")]
mod faults;
#[cfg(feature = "http3")]
mod link;
#[cfg(feature = "http3")]
pub mod socket;
#[cfg(feature = "http3")]
pub mod streams;

#[cfg(not(feature = "http3"))]
pub use absent::{Client, Link};
#[cfg(feature = "http3")]
pub use client::Client;
#[cfg(feature = "http3")]
pub use link::Link;

/// Why a program without QUIC cannot do what it was asked to.
#[cfg(not(feature = "http3"))]
pub const ABSENT: &str = "not in this build; expected one made with the feature http3";

/// So many bytes are needed to read datagrams into.
pub const SCRATCH: usize = READINGS * JOINED;
/// How many times datagrams are read at once, and how many bytes of them the kernel joins.
const READINGS: usize = 3;
const JOINED: usize = 64 << 10;
