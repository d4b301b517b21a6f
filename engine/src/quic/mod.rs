//! QUIC by quinn's state machine, with one UDP socket per connection, so that datagrams need no
//! dispatching. The protocol above sees a row of pieces of streams.

mod client;
mod faults;
mod link;
pub mod socket;
pub mod streams;

pub use client::Client;
pub use link::Link;

/// The size of the buffer for datagrams, in bytes.
pub const SCRATCH: usize = READINGS * JOINED;
/// The number of arrivals in a reading.
pub const READINGS: usize = 3;
/// The most bytes of datagrams that the kernel joins to an arrival (GRO).
const JOINED: usize = 64 << 10;
