//! Capacity: the highest rate at which a server keeps an objective.
//!
//! The search follows RFC 9971, Multiple Loss Ratio Search. This module only computes: it gets the
//! results of trials and returns the next trial, the bounds and the result. `capacity_run` runs the
//! trials.

mod bounds;
mod goal;
pub(crate) mod ladder;
mod outcome;
mod question;
mod search;
mod table;

pub use bounds::{Bounds, Trial};
pub use goal::Goal;
pub(crate) use outcome::{Capacity, Measured};
pub(crate) use question::Question;
pub use search::{Next, Search, Span};

#[cfg(test)]
mod simulation;
