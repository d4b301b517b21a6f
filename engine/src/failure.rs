//! Every way in which a transaction can fail has a class of its own.

use std::io;

/// The class of a failure, as it is counted and as it stands in the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Failure {
    /// Nothing listens at the address.
    ConnectRefused = 1,
    /// No connection within the connect time-out.
    ConnectTimeout,
    /// The connection failed for another reason: no route, no free local port, ...
    ConnectFailed,
    /// The connection stood, but the protocol's own opening was refused or broken.
    HandshakeFailed,
    /// Nothing of the reply within the request time-out.
    Timeout,
    /// The reply had begun and was not complete within the request time-out.
    SlowReply,
    /// The server reset the connection.
    Reset,
    /// The server closed the connection, or its side of it, before anything of the reply came.
    ClosedEarly,
    /// The server closed the connection in the midst of the reply.
    Truncated,
    /// The reply breaks the rules of its protocol.
    ProtocolError,
    /// The reply is larger than the engine accepts.
    Oversized,
    /// Another HTTP status than expected.
    Status,
    /// Another gRPC status than expected.
    GrpcStatus,
    /// Another body than expected, by hash or by length.
    BodyMismatch,
    /// The body contains what it must not contain.
    ForbiddenContent,
    /// Another number of items of a stream than expected.
    ItemCount,
    /// The server gave the connection up (GOAWAY) before it served the request.
    Goaway,
    /// The server reset the stream (HTTP/2 RST_STREAM, QUIC RESET_STREAM).
    StreamReset,
    /// The body is not what its content encoding says.
    BadEncoding,
    /// The connection was silent for longer than its idle time-out (QUIC).
    IdleTimeout,
    /// A WebSocket message that calls itself text and is not UTF-8.
    InvalidUtf8,
    /// The server asks for answers (to pings, to settings) faster than it takes them, or answers
    /// requests that it has not taken.
    Flood,
    /// The answer lacks a value that later requests need.
    MissingValue,
}

impl Failure {
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

    /// The name for the number that a sample carries; 0 is success.
    pub fn name_of(number: u8) -> &'static str {
        match number {
            0 => "",
            number => Self::ALL
                .get(usize::from(number) - 1)
                .map_or("unknown", |it| it.name()),
        }
    }
}

/// A failure with what happened, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub failure: Failure,
    pub detail: &'static str,
}

impl Fault {
    /// Whether nothing answers at the address; what answers and refuses is there.
    pub fn is_absence(&self) -> bool {
        matches!(
            self.failure,
            Failure::ConnectRefused | Failure::ConnectTimeout | Failure::ConnectFailed
        )
    }

    pub const fn new(failure: Failure, detail: &'static str) -> Self {
        Self { failure, detail }
    }

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
                Self::new(Failure::ConnectFailed, "no free local port is left")
            }
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
                Self::new(Failure::ConnectFailed, "the host cannot be reached")
            }
            io::ErrorKind::TimedOut => Self::new(Failure::ConnectTimeout, "the host does not answer"),
            _ if error.raw_os_error() == Some(libc::EMFILE) => Self::new(
                Failure::ConnectFailed,
                "the limit of open files is reached (ulimit -n)",
            ),
            _ => Self::new(Failure::ConnectFailed, "the connection cannot be made"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_names() {
        for failure in Failure::ALL {
            assert_eq!(Failure::name_of(failure as u8), failure.name());
        }
        assert_eq!(Failure::name_of(0), "");
    }
}
