//! `wirelab-data` as its users run it.

#![allow(clippy::unwrap_used)]

mod generated;
mod harness;
mod loaded;
mod progress;
mod written;
