//! The faults of QUIC connections.

use std::io;

use quinn_proto::{ConnectError, ConnectionError, TransportErrorCode};
use rustls::{AlertDescription, Error};
use thiserror::Error;

use crate::failure::{Failure, Fault};
use crate::tls::handshake_fault;

/// TLS alerts are QUIC errors from this number on (RFC 9001, section 4.8).
const ALERTS: u64 = 0x100;

/// Why connecting could not start.
#[derive(Debug, Error)]
pub enum BeginError {
    #[error(transparent)]
    Socket(#[from] io::Error),
    #[error(transparent)]
    Quic(#[from] ConnectError),
}

/// The fault of a connection that could not be started.
pub fn begin(error: &BeginError) -> Fault {
    match error {
        BeginError::Socket(error) => Fault::connecting(error),
        BeginError::Quic(_) => Fault::new(
            Failure::ConnectFailed,
            "QUIC cannot connect to this address",
        ),
    }
}

/// The fault of a socket whose datagrams are undeliverable (ICMP).
pub fn socket(error: &io::Error, was_established: bool) -> Fault {
    match was_established {
        false => Fault::connecting(error),
        true => Fault::new(
            Failure::Reset,
            "nothing listens on the server's port any more",
        ),
    }
}

/// The fault of a lost connection. `refused` is the error of the server's certificate.
pub fn lost(reason: &ConnectionError, was_established: bool, refused: Option<Error>) -> Fault {
    match reason {
        ConnectionError::TransportError(error) => match (alert(error.code), refused) {
            (Some(_), Some(refused)) => handshake_fault(&refused),
            (Some(alert @ AlertDescription::NoApplicationProtocol), None) => {
                handshake_fault(&Error::AlertReceived(alert))
            }
            (Some(_), None) => handshake("the TLS handshake failed"),
            (None, _) => Fault::protocol("packets that violate QUIC"),
        },
        ConnectionError::ConnectionClosed(close) => match alert(close.error_code) {
            Some(alert) => handshake_fault(&Error::AlertReceived(alert)),
            None if close.error_code == TransportErrorCode::CONNECTION_REFUSED => {
                Fault::new(Failure::ConnectRefused, "the server refuses connections")
            }
            None => closed(was_established),
        },
        ConnectionError::VersionMismatch => handshake("the server uses another version of QUIC"),
        ConnectionError::TimedOut => Fault::new(
            Failure::IdleTimeout,
            "the connection was idle for longer than the server allows",
        ),
        ConnectionError::Reset => Fault::new(
            Failure::Reset,
            "the server does not know the connection any more",
        ),
        _ => closed(was_established),
    }
}

fn closed(was_established: bool) -> Fault {
    match was_established {
        true => Fault::new(
            Failure::ClosedEarly,
            "the server closed the connection before it replied",
        ),
        false => handshake("the server closed the connection before it was established"),
    }
}

fn alert(code: TransportErrorCode) -> Option<AlertDescription> {
    let number = u64::from(code).checked_sub(ALERTS)?;
    u8::try_from(number).ok().map(AlertDescription::from)
}

const fn handshake(detail: &'static str) -> Fault {
    Fault::new(Failure::HandshakeFailed, detail)
}
