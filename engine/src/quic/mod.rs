//! QUIC by quinn's state machine, with one UDP socket per connection, so that datagrams need no
//! dispatching. The protocol above sees a row of pieces of streams.

#[cfg(not(feature = "http3"))]
#[allow(dead_code, reason = "it cannot be created")]
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

/// The error of a build without QUIC.
#[cfg(not(feature = "http3"))]
pub const ABSENT: &str = "not in this build; expected a build with the feature http3";

/// The size of the buffer for datagrams, in bytes.
pub const SCRATCH: usize = READINGS * JOINED;
/// The number of arrivals in a reading.
pub const READINGS: usize = 3;
/// The most bytes of datagrams that the kernel joins to an arrival (GRO).
const JOINED: usize = 64 << 10;
