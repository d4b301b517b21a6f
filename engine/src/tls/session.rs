//! TLS on one connection.
//!
//! rustls allocates memory once per encrypted and once per decrypted record; the buffers here are
//! reused.

use rustls::CommonState;
use rustls::client::UnbufferedClientConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, UnbufferedStatus};

use crate::failure::Fault;

use super::faults;

/// The most plain bytes of a record.
const RECORD: usize = 16 << 10;
/// The most bytes that a record adds: 29 with the existing cipher suites.
const OVERHEAD: usize = 32;

/// The most encrypted bytes of an incomplete record: decryption may return this many more bytes
/// than were read.
pub const MOST_KEPT: usize = RECORD + 2048;

/// TLS on one connection.
pub struct Session {
    connection: UnbufferedClientConnection,
    /// The beginning of an incomplete record.
    kept: Vec<u8>,
    /// Whether the server has sent close_notify.
    has_ended: bool,
}

impl Session {
    /// Begins with a new connection.
    pub fn new(connection: UnbufferedClientConnection) -> Self {
        Self {
            connection,
            kept: Vec::new(),
            has_ended: false,
        }
    }

    /// The parameters of the session.
    pub fn common(&self) -> &CommonState {
        &self.connection
    }

    /// Whether the handshake is incomplete.
    pub fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// Whether the server has sent close_notify.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Decrypts received bytes to the front of `plain`, which is at least `MOST_KEPT` longer than
    /// `sealed`, and returns their number. TLS's own records are appended to `out`. The fault is
    /// that of the session.
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

    /// Decrypts the complete records at the front of `sealed`; also returns their length.
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

    /// Encrypts plain bytes and appends them to `out`. Only after the handshake.
    pub fn seal(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        loop {
            // The kept bytes are passed again, as rustls keeps positions in them.
            match self.connection.process_tls_records(&mut self.kept).state {
                Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, out),
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let start = out.len();
                    let records = plain.len().div_ceil(RECORD);
                    out.resize(start + plain.len() + records * OVERHEAD, 0);
                    // This fails only if the keys are exhausted or the session has failed: then
                    // nothing more is sent, and reading returns the fault.
                    let length = traffic.encrypt(plain, &mut out[start..]).unwrap_or(0);
                    out.truncate(start + length);
                    return;
                }
                Ok(ConnectionState::PeerClosed) => self.has_ended = true,
                _ => return,
            }
        }
    }

    /// Appends close_notify.
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

/// Appends a handshake record.
fn encode<Data>(data: &mut EncodeTlsData<'_, Data>, out: &mut Vec<u8>) {
    let start = out.len();
    let Err(EncodeError::InsufficientSize(size)) = data.encode(&mut []) else {
        return;
    };
    out.resize(start + size.required_size, 0);
    let length = data.encode(&mut out[start..]).unwrap_or(0);
    out.truncate(start + length);
}
