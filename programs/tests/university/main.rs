//! `wirelab-data university` and `university-queries` as their users run them.

#![allow(clippy::unwrap_used)]

mod formats;
mod harness;
mod mysql_load;
mod queries;
mod refused;
mod tables;
