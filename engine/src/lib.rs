//! The load engine of wirelab.
//!
//! Four axes that never mix: a *pacer* says when a transaction is due, a *stop rule* says when the
//! last one has started, a *transport* turns requests into bytes and bytes into replies, and a
//! *recorder* keeps what was measured. Only the reactor in `worker` combines them.

mod allowance;
mod answers;
mod arrival;
pub mod capacity;
mod capacity_run;
mod capture;
mod cli;
mod clock;
mod compare;
mod counters;
mod crew;
mod deadlines;
mod decoding;
mod display;
mod duration;
mod encoding;
mod error;
mod events;
mod expect;
mod failure;
mod flow;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod histogram;
mod job;
mod null;
mod objective;
mod pacer;
mod plan;
mod pool;
mod precision;
mod proto;
mod quic;
mod random;
mod recorder;
mod result;
mod run;
mod secrets;
mod session;
mod slots;
mod statistics;
mod stop;
mod system;
mod tls;
mod transport;
mod wakes;
mod worker;

pub use cli::run;
