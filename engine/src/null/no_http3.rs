//! A build without HTTP/3.

use std::io;

use crate::quic::ABSENT;
use crate::system::signals::Signals;

pub fn run(_port: u16, _body: &[u8], _signals: &Signals) -> io::Result<()> {
    Err(io::Error::other(format!("http3: {ABSENT}")))
}
