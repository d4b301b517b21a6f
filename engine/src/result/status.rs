//! The names of statuses.

use std::collections::BTreeMap;

use crate::expect::{ANY_REPLY, STATUS_DIFFERS};
use crate::job::{Endpoint, TransportKind};

/// The protocol of statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statuses {
    Http,
    Grpc,
    /// A protocol without statuses.
    None,
}

impl Statuses {
    /// The statuses of an endpoint's replies.
    pub fn of(endpoint: &Endpoint) -> Self {
        match (endpoint.transport, endpoint.rpc) {
            (TransportKind::Websocket, _) => Self::None,
            (TransportKind::Grpc, _) | (_, Some(_)) => Self::Grpc,
            _ => Self::Http,
        }
    }

    /// A status with its name, if it has one.
    pub fn show(self, status: u16) -> String {
        let name = match self {
            Self::Http => http(status),
            Self::Grpc => grpc(status),
            Self::None => None,
        };
        name.map_or(status.to_string(), |name| format!("{status} {name}"))
    }

    /// The expected and the actual value of a reply, a status with its name; without a reply only
    /// what happened instead.
    pub fn difference(self, reason: &str, status: u16, expected: &str, got: &str) -> String {
        match reason {
            _ if expected == ANY_REPLY => got.into(),
            STATUS_DIFFERS => format!("expected {expected}, got {}", self.show(status)),
            _ => format!("expected {expected}, got {got}"),
        }
    }

    /// A hint for replies with a status, if there is one.
    pub fn hint(self, status: u16) -> Option<&'static str> {
        const LIMIT: &str = "the server limits the rate, and times include those of its refusals: \
                             lift the limit, or reduce the load with -r or -c";
        const CREDENTIALS: &str = "the server requires credentials, or they have expired: pass \
                                   them with -H @FILE or --user @FILE, or log in with --first";
        const FORBIDDEN: &str = "the server forbids the request; the credentials are missing or \
                                 not sufficient: pass others with -H @FILE or --user @FILE, or \
                                 log in with --first";
        match (self, status) {
            (Self::Http, 301 | 302 | 303 | 307 | 308) => Some(
                "redirections are followed only with --follow, and only to the same server; \
                 otherwise use the address in the server's Location header",
            ),
            (Self::Http, 401) | (Self::Grpc, 16) => Some(CREDENTIALS),
            (Self::Http, 403) | (Self::Grpc, 7) => Some(FORBIDDEN),
            (Self::Http, 429) | (Self::Grpc, 8) => Some(LIMIT),
            _ => None,
        }
    }

    /// The number of replies by status, without zeros.
    pub fn counted(self, statuses: &[u64]) -> BTreeMap<u16, u64> {
        if self == Self::None {
            return BTreeMap::new();
        }
        let counted = statuses.iter().enumerate().filter(|(_, count)| **count > 0);
        counted
            .map(|(status, count)| (status as u16, *count))
            .collect()
    }
}

/// The names of RFC 9110 and of the IANA registry, as far as servers send them.
fn http(status: u16) -> Option<&'static str> {
    Some(match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        207 => "Multi-Status",
        208 => "Already Reported",
        226 => "IM Used",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        305 => "Use Proxy",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        418 => "I'm a Teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        423 => "Locked",
        424 => "Failed Dependency",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        506 => "Variant Also Negotiates",
        507 => "Insufficient Storage",
        508 => "Loop Detected",
        510 => "Not Extended",
        511 => "Network Authentication Required",
        _ => return None,
    })
}

fn grpc(status: u16) -> Option<&'static str> {
    const NAMES: [&str; 17] = [
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ];
    NAMES.get(usize::from(status)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_their_names() {
        assert_eq!(Statuses::Http.show(503), "503 Service Unavailable");
        assert_eq!(Statuses::Http.show(599), "599");
        assert_eq!(Statuses::Grpc.show(14), "14 UNAVAILABLE");
        assert_eq!(Statuses::Grpc.show(99), "99");
        assert!(Statuses::Http.hint(429).is_some_and(|it| it.contains("-r")));
        assert_eq!(Statuses::Http.hint(401), Statuses::Grpc.hint(16));
        assert_eq!(Statuses::Http.hint(403), Statuses::Grpc.hint(7));
        assert!(
            Statuses::Http
                .hint(403)
                .is_some_and(|it| it.contains("not sufficient"))
        );
        assert!(
            Statuses::Http
                .hint(302)
                .is_some_and(|it| it.contains("--follow"))
        );
        assert_eq!(
            (Statuses::Http.hint(200), Statuses::None.hint(429)),
            (None, None)
        );
        let mut statuses = vec![0; 600];
        (statuses[200], statuses[404]) = (7, 2);
        assert_eq!(
            Statuses::Http.counted(&statuses),
            [(200, 7), (404, 2)].into()
        );
        assert!(Statuses::None.counted(&statuses).is_empty());
    }

    #[test]
    fn numbers_that_are_no_statuses_are_not_named() {
        let reported = |reason| Statuses::Grpc.difference(reason, 0, "5", "0");
        assert_eq!(reported("number of items differs"), "expected 5, got 0");
        assert_eq!(reported(STATUS_DIFFERS), "expected 5, got 0 OK");
        let cut = Statuses::Http.difference("reset", 0, ANY_REPLY, "the server reset it");
        assert_eq!(cut, "the server reset it");
    }
}
