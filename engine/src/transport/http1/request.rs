//! Renders requests to bytes.

use crate::job::{Connections, Endpoint, Header, Request, Rpc};
use crate::transport::{ItemReader, Look, rpc};

/// A rendered request.
#[derive(Clone)]
pub struct Rendered {
    pub bytes: Vec<u8>,
    pub payload_length: u32,
    /// Whether the method is HEAD, whose reply has no body.
    pub is_head: bool,
    /// The reader of items, if the reply is a stream.
    pub items: ItemReader,
    pub look: Look,
}

/// Renders a request once for all calls.
pub fn render(
    endpoint: &Endpoint,
    connections: &Connections,
    request: &Request,
    rpc: Option<Rpc>,
) -> Rendered {
    let method = rpc.map_or(request.method.as_str(), |_| "POST");
    let body = rpc.map_or_else(|| request.body.clone(), |rpc| rpc::body(rpc, &request.body));
    let mut head = format!("{method} {} HTTP/1.1\r\n", request.path);
    let given: Vec<&Header> = endpoint.headers.iter().chain(&request.headers).collect();
    let is_given = |name: &str| {
        given
            .iter()
            .any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    let mut add = |name: &str, value: &str| {
        head.push_str(&format!("{name}: {value}\r\n"));
    };
    if !is_given("host") {
        add("Host", &endpoint.authority);
    }
    let accept = rpc.map_or("Accept-Encoding", rpc::accept_encoding);
    if let Some(accepted) = &endpoint.accept_encoding
        && !is_given(accept)
    {
        add(accept, accepted);
    }
    for (name, value) in &given {
        add(name, value);
    }
    for (name, value) in rpc.map_or(&[][..], rpc::headers) {
        if !is_given(name) {
            add(name, value);
        }
    }
    if let (Some(rpc), Some(ms)) = (rpc, request.deadline_ms) {
        let (name, value) = rpc::deadline(rpc, ms);
        add(name, &value);
    }
    if !body.is_empty() || ["POST", "PUT", "PATCH"].contains(&method) {
        add("Content-Length", &body.len().to_string());
    }
    if !connections.reuse && !is_given("connection") {
        add("Connection", "close");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&body);
    Rendered {
        bytes,
        payload_length: request.body.len() as u32,
        is_head: method.eq_ignore_ascii_case("HEAD"),
        items: ItemReader::new(request.stream.as_ref()),
        look: Look::new(request, connections.kept_bytes),
    }
}
