//! Requests as header fields and bodies.

use crate::job::{Connections, Endpoint, Request};
use crate::transport::{ItemReader, Look};

use super::Dialect;
use super::hpack::{Field, Indexing};

pub struct Script {
    /// All different fields of the run.
    pub fields: Vec<Field>,
    pub requests: Vec<Rendered>,
}

pub struct Rendered {
    /// Numbers of its fields, in order.
    pub fields: Vec<u16>,
    pub body: Vec<u8>,
    /// The length of the body without its wrapping.
    pub payload_length: u32,
    pub is_head: bool,
    /// How many times the body is sent, and whether one waits for an item that answers the last.
    pub send: u32,
    pub in_turn: bool,
    /// Ready to find the items of the response, if it is a stream.
    pub items: ItemReader,
    pub look: Look,
}

impl Rendered {
    /// Of all that is sent.
    pub fn length(&self) -> usize {
        self.body.len() * self.send as usize
    }

    /// How many messages so many bytes of it are.
    pub fn messages(&self, bytes: usize) -> u32 {
        match self.send {
            1 => u32::from(bytes > 0 && bytes == self.body.len()),
            _ => bytes.checked_div(self.body.len()).unwrap_or(0) as u32,
        }
    }

    /// Where in the message it goes on when so many bytes have been sent.
    #[inline]
    pub fn place(&self, sent: usize) -> usize {
        if self.send == 1 {
            sent
        } else {
            sent % self.body.len()
        }
    }
}

pub fn render<D: Dialect>(
    endpoint: &Endpoint,
    connections: &Connections,
    requests: &[Request],
) -> Script {
    let mut script = Script {
        fields: Vec::new(),
        requests: Vec::new(),
    };
    for request in requests {
        let stream = request.stream.as_ref();
        let send = stream.map_or(1, |stream| stream.send);
        let body = if send > 0 {
            D::body(request)
        } else {
            Vec::new()
        };
        let fields = fields::<D>(endpoint, request, body.len());
        let fields = fields.iter().map(|(name, value)| {
            let indexing = match name.as_str() {
                ":path" => D::PATH_INDEXING,
                "content-length" => Indexing::No,
                _ => Indexing::Yes,
            };
            script.number(name, value, indexing)
        });
        let fields = fields.collect();
        script.requests.push(Rendered {
            fields,
            body,
            payload_length: request.body.len() as u32,
            send,
            in_turn: stream.is_some_and(|stream| stream.in_turn),
            items: ItemReader::new(stream),
            look: Look::new(request, connections.kept_bytes),
            is_head: D::method(request).eq_ignore_ascii_case("HEAD"),
        });
    }
    script
}

/// The fields of a request with a body of this length; names are in lower case.
pub fn fields<D: Dialect>(
    endpoint: &Endpoint,
    request: &Request,
    length: usize,
) -> Vec<(String, String)> {
    let scheme = if endpoint.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let given = endpoint.headers.iter().chain(&request.headers);
    let given = given.map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
    let given: Vec<(String, String)> = given.collect();
    let mut fields: Vec<(String, String)> = [
        (":method", D::method(request)),
        (":scheme", scheme),
        (":path", &request.path),
        (":authority", &endpoint.authority),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    let mut unless_given = |name: &str, value: &str| {
        if !given.iter().any(|(other, _)| other == name) {
            fields.push((name.into(), value.into()));
        }
    };
    for (name, value) in D::HEADERS {
        unless_given(name, value);
    }
    if let Some(accepted) = &endpoint.accept_encoding {
        unless_given(D::ACCEPT_ENCODING, accepted);
    }
    if let Some((name, value)) = request.deadline_ms.and_then(D::deadline) {
        unless_given(name, &value);
    }
    fields.extend(given);
    if D::SENDS_LENGTH && length > 0 {
        fields.push(("content-length".into(), length.to_string()));
    }
    fields
}

impl Script {
    /// The number of a field; the same one for the same field.
    fn number(&mut self, name: &str, value: &str, indexing: Indexing) -> u16 {
        let field = Field::new(name, value, indexing);
        let place = self
            .fields
            .iter()
            .position(|other| *other == field)
            .unwrap_or_else(|| {
                self.fields.push(field);
                self.fields.len() - 1
            });
        place as u16
    }
}
