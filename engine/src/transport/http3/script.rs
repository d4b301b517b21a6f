//! Renders requests to the bytes of a stream.

use crate::job::{Connections, Endpoint, Request};
use crate::transport::http2::{Plain, fields};
use crate::transport::{ItemReader, Look};

use super::{frame, qpack};

/// The requests of a run.
pub type Script = Vec<Rendered>;

/// A rendered request.
#[derive(Clone)]
pub struct Rendered {
    pub bytes: Vec<u8>,
    pub payload_length: u32,
    pub is_head: bool,
    /// The reader of items, if the response is a stream.
    pub items: ItemReader,
    pub look: Look,
}

/// Renders requests once for all calls.
pub fn render(endpoint: &Endpoint, connections: &Connections, requests: &[Request]) -> Script {
    let kept = connections.kept_bytes;
    requests
        .iter()
        .map(|it| render_one(endpoint, kept, it))
        .collect()
}

fn render_one(endpoint: &Endpoint, kept: usize, request: &Request) -> Rendered {
    let fields = fields::<Plain>(endpoint, request, request.body.len());
    let mut section = Vec::new();
    qpack::encode(&fields, &mut section);
    let mut bytes = Vec::new();
    frame::write(&mut bytes, frame::HEADERS, &section);
    if !request.body.is_empty() {
        frame::write(&mut bytes, frame::DATA, &request.body);
    }
    Rendered {
        bytes,
        payload_length: request.body.len() as u32,
        is_head: request.method.eq_ignore_ascii_case("HEAD"),
        items: ItemReader::new(request.stream.as_ref()),
        look: Look::new(request, kept),
    }
}
