//! Requests as header fields and bodies.

use crate::job::{Request, Target};
use crate::transport::ItemReader;

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

pub fn render<D: Dialect>(target: &Target, requests: &[Request]) -> Script {
    let mut script = Script {
        fields: Vec::new(),
        requests: Vec::new(),
    };
    let scheme = if target.tls.is_some() {
        "https"
    } else {
        "http"
    };
    for request in requests {
        let stream = request.stream.as_ref();
        let send = stream.map_or(1, |stream| stream.send);
        let body = if send > 0 {
            D::body(request)
        } else {
            Vec::new()
        };
        let mut fields = vec![
            script.number(":method", D::method(request), Indexing::Yes),
            script.number(":scheme", scheme, Indexing::Yes),
            script.number(":path", &request.path, D::PATH_INDEXING),
            script.number(":authority", &target.authority, Indexing::Yes),
        ];
        let given = target.headers.iter().chain(&request.headers);
        let given = given.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()));
        let given: Vec<(String, &str)> = given.collect();
        for (name, value) in D::HEADERS {
            if !given.iter().any(|(other, _)| other == name) {
                fields.push(script.number(name, value, Indexing::Yes));
            }
        }
        if let Some(accepted) = &target.accept_encoding
            && !given.iter().any(|(name, _)| name == D::ACCEPT_ENCODING)
        {
            fields.push(script.number(D::ACCEPT_ENCODING, accepted, Indexing::Yes));
        }
        let deadline = request.deadline_ms.and_then(D::deadline);
        if let Some((name, value)) = &deadline
            && !given.iter().any(|(other, _)| other == name)
        {
            fields.push(script.number(name, value, Indexing::Yes));
        }
        for (name, value) in &given {
            fields.push(script.number(name, value, Indexing::Yes));
        }
        if D::SENDS_LENGTH && !body.is_empty() {
            let length = body.len().to_string();
            fields.push(script.number("content-length", &length, Indexing::No));
        }
        script.requests.push(Rendered {
            fields,
            body,
            payload_length: request.body.len() as u32,
            send,
            in_turn: stream.is_some_and(|stream| stream.in_turn),
            items: ItemReader::new(stream),
            is_head: D::method(request).eq_ignore_ascii_case("HEAD"),
        });
    }
    script
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
