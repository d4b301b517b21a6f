//! The classes of failures of transactions.

use std::io;

/// The class of a failure, as counted and as recorded in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Failure {
    /// The server's host refused the connection.
    ConnectRefused = 1,
    /// No connection within the connect time-out.
    ConnectTimeout,
    /// The connection failed for another reason: no route, no free local port, ...
    ConnectFailed,
    /// The connection was open, but its TLS or protocol handshake failed.
    HandshakeFailed,
    /// Nothing of the reply within the request time-out.
    Timeout,
    /// The reply had begun and was not complete within the request time-out.
    SlowReply,
    /// The server reset the connection.
    Reset,
    /// The server closed the connection, or its side of it, before anything of the reply came.
    ClosedEarly,
    /// The server closed the connection during the reply.
    Truncated,
    /// The reply violates its protocol.
    ProtocolError,
    /// The reply is larger than the engine accepts.
    Oversized,
    /// An unexpected HTTP status.
    Status,
    /// An unexpected gRPC status.
    GrpcStatus,
    /// An unexpected body, by hash or by length.
    BodyMismatch,
    /// The body contains a forbidden text.
    ForbiddenContent,
    /// An unexpected number of items in a stream.
    ItemCount,
    /// The server closed the connection gracefully (GOAWAY) before it served the request.
    Goaway,
    /// The server reset the stream (HTTP/2 RST_STREAM, QUIC RESET_STREAM).
    StreamReset,
    /// The body does not match its content encoding.
    BadEncoding,
    /// The connection was idle for longer than its time-out (QUIC).
    IdleTimeout,
    /// A WebSocket text message that is not UTF-8.
    InvalidUtf8,
    /// The server sends pings or settings faster than it reads their answers, or replies to
    /// requests that it has not read.
    Flood,
    /// The answer lacks a value that is to be captured.
    MissingValue,
}

impl Failure {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 23] = [
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::ConnectFailed,
        Self::HandshakeFailed,
        Self::Timeout,
        Self::SlowReply,
        Self::Reset,
        Self::ClosedEarly,
        Self::Truncated,
        Self::ProtocolError,
        Self::Oversized,
        Self::Status,
        Self::GrpcStatus,
        Self::BodyMismatch,
        Self::ForbiddenContent,
        Self::ItemCount,
        Self::Goaway,
        Self::StreamReset,
        Self::BadEncoding,
        Self::IdleTimeout,
        Self::InvalidUtf8,
        Self::Flood,
        Self::MissingValue,
    ];

    /// The name in results and samples.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConnectRefused => "connect_refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::ConnectFailed => "connect_failed",
            Self::HandshakeFailed => "handshake_failed",
            Self::Timeout => "timeout",
            Self::SlowReply => "slow_reply",
            Self::Reset => "reset",
            Self::ClosedEarly => "closed_early",
            Self::Truncated => "truncated",
            Self::ProtocolError => "protocol_error",
            Self::Oversized => "oversized",
            Self::Status => "status",
            Self::GrpcStatus => "grpc_status",
            Self::BodyMismatch => "body_mismatch",
            Self::ForbiddenContent => "forbidden_content",
            Self::ItemCount => "item_count",
            Self::Goaway => "goaway",
            Self::StreamReset => "stream_reset",
            Self::BadEncoding => "bad_encoding",
            Self::IdleTimeout => "idle_timeout",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::Flood => "flood",
            Self::MissingValue => "missing_value",
        }
    }

    /// The name for the number in a sample; empty for 0, which is success.
    pub fn name_of(number: u8) -> &'static str {
        match number {
            0 => "",
            number => Self::ALL
                .get(usize::from(number) - 1)
                .map_or("unknown", |it| it.name()),
        }
    }
}

/// A failure and its cause in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub failure: Failure,
    pub detail: &'static str,
}

impl Fault {
    /// Whether nothing accepts connections at the address.
    pub fn is_absence(&self) -> bool {
        matches!(
            self.failure,
            Failure::ConnectRefused | Failure::ConnectTimeout | Failure::ConnectFailed
        )
    }

    /// A fault of a class, with its cause.
    pub const fn new(failure: Failure, detail: &'static str) -> Self {
        Self { failure, detail }
    }

    /// A violation of the protocol.
    pub const fn protocol(detail: &'static str) -> Self {
        Self::new(Failure::ProtocolError, detail)
    }

    /// The fault of a connection that `connect` could not open.
    pub fn connecting(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => {
                Self::new(Failure::ConnectRefused, "nothing listens at the address")
            }
            io::ErrorKind::AddrNotAvailable => {
                Self::new(Failure::ConnectFailed, "no local port is free")
            }
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                Self::new(Failure::ConnectFailed, "the host is unreachable")
            }
            io::ErrorKind::TimedOut => {
                Self::new(Failure::ConnectTimeout, "the host did not answer")
            }
            _ if error.raw_os_error() == Some(libc::EMFILE) => Self::new(
                Failure::ConnectFailed,
                "the limit of open files is reached (ulimit -n)",
            ),
            _ => Self::new(Failure::ConnectFailed, "connecting failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted_back_to_names() {
        for failure in Failure::ALL {
            assert_eq!(Failure::name_of(failure as u8), failure.name());
        }
        assert_eq!(Failure::name_of(0), "");
    }
}
