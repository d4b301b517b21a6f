//! A endpoint and connections for tests, which change what each is about.

use super::{Connections, Endpoint, TransportKind};

pub fn endpoint(transport: TransportKind) -> Endpoint {
    Endpoint {
        transport,
        address: ([127, 0, 0, 1], 80).into(),
        other_addresses: Vec::new(),
        authority: "example".into(),
        path: "/".into(),
        headers: vec![],
        accept_encoding: None,
        tls: None,
        subscribe: None,
        rpc: None,
    }
}

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
