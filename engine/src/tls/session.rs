//! TLS on one connection.
//!
//! rustls allocates once for each record that it seals and once for each that it opens; the
//! buffers here are used again and again.

use rustls::CommonState;
use rustls::client::UnbufferedClientConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, UnbufferedStatus};

use crate::failure::Fault;

use super::faults;

/// The most that fits into one record, and how much longer a record is than what it holds: at
/// most 29 bytes with the cipher suites there are.
const RECORD: usize = 16 << 10;
const OVERHEAD: usize = 32;

/// Sealed bytes that may be waiting for the rest of their record: what is opened at a time can be
/// so much more than what was read.
pub const MOST_KEPT: usize = RECORD + 2048;

pub struct Session {
    connection: UnbufferedClientConnection,
    /// The beginning of a record that is not whole yet.
    kept: Vec<u8>,
    /// The server has said that it sends nothing more.
    has_ended: bool,
}

impl Session {
    pub fn new(connection: UnbufferedClientConnection) -> Self {
        Self {
            connection,
            kept: Vec::new(),
            has_ended: false,
        }
    }

    pub fn common(&self) -> &CommonState {
        &self.connection
    }

    pub fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Opens what has arrived: writes the plain bytes to the front of `plain`, which is at least
    /// `MOST_KEPT` longer than `sealed`, and gives their number. What TLS itself has to answer
    /// is appended to `out`.
    pub fn open(
        &mut self,
        sealed: &mut [u8],
        plain: &mut [u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, Fault> {
        if self.kept.is_empty() {
            let (used, opened) = self.open_whole(sealed, plain, out);
            self.kept.extend_from_slice(&sealed[used..]);
            return opened;
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.extend_from_slice(sealed);
        let (used, opened) = self.open_whole(&mut kept, plain, out);
        kept.drain(..used);
        self.kept = kept;
        opened
    }

    /// Opens the whole records at the front of `sealed`; says how long they were, too.
    fn open_whole(
        &mut self,
        sealed: &mut [u8],
        plain: &mut [u8],
        out: &mut Vec<u8>,
    ) -> (usize, Result<usize, Fault>) {
        let (mut used, mut filled) = (0, 0);
        loop {
            let is_handshaking = self.connection.is_handshaking();
            let UnbufferedStatus { discard, state } =
                self.connection.process_tls_records(&mut sealed[used..]);
            used += discard;
            match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(Ok(record)) = traffic.next_record() {
                        let end = filled + record.payload.len();
                        plain[filled..end].copy_from_slice(record.payload);
                        filled = end;
                    }
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => self.has_ended = true,
                Ok(_) => return (used, Ok(filled)),
                Err(error) if is_handshaking => return (used, Err(faults::handshake(&error))),
                Err(error) => return (used, Err(faults::session(&error))),
            }
        }
    }

    /// Seals plain bytes and appends them to `out`. Only after the handshake.
    pub fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        loop {
            // What is kept is shown again, as rustls remembers places in it.
            match self.connection.process_tls_records(&mut self.kept).state {
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let start = out.len();
                    let records = plain.len().div_ceil(RECORD);
                    out.resize(start + plain.len() + records * OVERHEAD, 0);
                    // It fails only when the keys are used up or the session has been broken:
                    // then nothing is sent any more, and reading tells why.
                    let length = traffic.encrypt(plain, &mut out[start..]).unwrap_or(0);
                    out.truncate(start + length);
                    return;
                }
                Ok(ConnectionState::PeerClosed) => self.has_ended = true,
                _ => return,
            }
        }
    }

    /// Appends the farewell.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        let state = self.connection.process_tls_records(&mut self.kept).state;
        if let Ok(ConnectionState::WriteTraffic(mut traffic)) = state {
            let start = out.len();
            out.resize(start + 2 + OVERHEAD, 0);
            let length = traffic.queue_close_notify(&mut out[start..]).unwrap_or(0);
            out.truncate(start + length);
        }
    }
}

/// Appends a record of the handshake.
fn encode<Data>(data: &mut EncodeTlsData<'_, Data>, out: &mut Vec<u8>) {
    let start = out.len();
    let Err(EncodeError::InsufficientSize(size)) = data.encode(&mut []) else {
        return;
    };
    out.resize(start + size.required_size, 0);
    let length = data.encode(&mut out[start..]).unwrap_or(0);
    out.truncate(start + length);
}
