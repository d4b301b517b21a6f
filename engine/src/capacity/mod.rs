//! How much a server sustains: the highest rate at which an objective is kept.
//!
//! The search follows RFC 9971, Multiple Loss Ratio Search. `goal`, `bounds`, `search`, `ladder` and
//! `objective` only compute: they are told what trials came to, and say which one is next. `hunt`
//! carries the trials out.

mod bounds;
mod goal;
mod hunt;
mod ladder;
mod objective;
mod outcome;
mod search;
mod table;
mod written;

pub use bounds::{Bounds, Trial};
pub use goal::Goal;
pub use hunt::{Question, Unwatched, run, search};
pub use objective::{Due, Judged, Objective};
pub use outcome::Capacity;
pub use search::{Next, Search, Span};
pub use written::objective;

/// What a search may take, unless it is said.
pub const LONGEST_S: f64 = 300.0;

#[cfg(test)]
mod simulation;
