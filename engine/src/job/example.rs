//! An endpoint and connections for tests.

use super::{Connections, Endpoint, TransportKind};
use crate::system::Address;

/// An endpoint without any options.
pub fn endpoint(transport: TransportKind) -> Endpoint {
    Endpoint {
        transport,
        address: Address::Inet(([127, 0, 0, 1], 80).into()),
        other_addresses: Vec::new(),
        sources: Vec::new(),
        authority: "example".into(),
        path: "/".into(),
        headers: vec![],
        accept_encoding: None,
        tls: None,
        subscribe: None,
        greetings: 0,
        rpc: None,
    }
}

/// One connection of this number of streams.
pub const fn connections(streams: u32) -> Connections {
    Connections {
        count: 1,
        streams_per_connection: streams,
        reuse: true,
        connect_timeout_ms: 1,
        request_timeout_ms: 1,
        kept_bytes: 1 << 20,
    }
}
