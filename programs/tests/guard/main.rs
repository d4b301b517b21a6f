//! `wirelab-guard` against real processes: whatever they do, nothing of them is left.

#![allow(clippy::unwrap_used)]

mod ending;
mod harness;
mod lifeline;
mod on_end;
mod starting;
