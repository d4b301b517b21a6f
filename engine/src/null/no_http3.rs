//! Replaces the null server for HTTP/3 in a build without it.

use std::io;

use crate::quic::ABSENT;
use crate::system::signals::Signals;

/// Fails: this build has no HTTP/3.
pub fn run(_port: u16, _body: &[u8], _signals: &Signals) -> io::Result<()> {
    Err(io::Error::other(format!("http3: {ABSENT}")))
}
