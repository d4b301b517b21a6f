//! Renders requests to header fields and bodies.

use std::collections::{HashMap, HashSet};

use crate::job::{Connections, Endpoint, Request};
use crate::transport::{self, ItemReader, Look};

use super::Dialect;
use super::hpack::{Field, Indexing};

/// A header with more values would fill the dynamic table with rarely repeated ones.
const MOST_VALUES: usize = 64;

/// The requests of a run.
pub struct Script {
    /// All distinct fields of the run.
    pub fields: Vec<Field>,
    /// The number of fields, from the first, that may be entered into the dynamic table.
    pub entering: usize,
    pub requests: Vec<Rendered>,
}

impl Script {
    /// Puts the only request of another script at an index. Fields that differ from its model's get
    /// their own numbers, which stay with the index.
    pub fn put(&mut self, index: usize, model: u32, mut filled: Self) {
        let Some(mut request) = filled.requests.pop() else {
            return;
        };
        let known = &self.requests[model as usize].fields;
        let mut own = match self.requests.get(index) {
            Some(before) => before.own.clone(),
            None => Vec::new(),
        };
        let mut used = 0;
        for (position, number) in request.fields.iter_mut().enumerate() {
            let field = filled.fields[*number as usize].clone();
            let same = known
                .get(position)
                .filter(|&&it| self.fields[it as usize] == field);
            *number = match (same, own.get(used)) {
                (Some(&number), _) => number,
                (None, Some(&number)) => {
                    self.fields[number as usize] = field.unindexed();
                    used += 1;
                    number
                }
                (None, None) => {
                    self.fields.push(field.unindexed());
                    own.push(self.fields.len() as u32 - 1);
                    used += 1;
                    self.fields.len() as u32 - 1
                }
            };
        }
        request.own = own;
        transport::put(&mut self.requests, index, model, Some(request));
    }
}

/// A rendered request.
#[derive(Clone)]
pub struct Rendered {
    /// The numbers of its fields, in order.
    pub fields: Vec<u32>,
    /// The numbers of fields that no other request has.
    pub own: Vec<u32>,
    /// One or several messages.
    pub body: Vec<u8>,
    /// The end of each message in the body, and the length of all up to it without their framing.
    pub messages: Vec<(usize, u32)>,
    pub is_head: bool,
    /// How often the body is sent.
    pub send: u32,
    /// Whether a message waits for an item in reply to the last one.
    pub in_turn: bool,
    /// The reader of items, if the response is a stream.
    pub items: ItemReader,
    pub look: Look,
}

impl Rendered {
    /// The length of all bodies together.
    pub fn length(&self) -> usize {
        self.body.len() * self.send as usize
    }

    /// The number of whole messages in this number of sent bytes.
    pub fn sent(&self, bytes: usize) -> usize {
        let Some(passes) = bytes.checked_div(self.body.len()) else {
            return 0;
        };
        let rest = bytes % self.body.len();
        let more = self.messages.partition_point(|(end, _)| *end <= rest);
        passes * self.messages.len() + more
    }

    /// The length of this number of messages, in bytes.
    pub fn end(&self, messages: usize) -> usize {
        let (passes, more) = (
            messages / self.messages.len(),
            messages % self.messages.len(),
        );
        let end = more.checked_sub(1).map_or(0, |last| self.messages[last].0);
        passes * self.body.len() + end
    }

    /// The same without their framing.
    pub fn payload(&self, messages: usize) -> u32 {
        let (passes, more) = (
            messages / self.messages.len(),
            messages % self.messages.len(),
        );
        let all = self.messages.last().map_or(0, |(_, length)| *length);
        let rest = more.checked_sub(1).map_or(0, |last| self.messages[last].1);
        all.saturating_mul(passes as u32).saturating_add(rest)
    }

    /// The offset in the body after this number of sent bytes.
    #[inline]
    pub fn offset(&self, sent: usize) -> usize {
        if self.send == 1 {
            sent
        } else {
            sent % self.body.len()
        }
    }
}

/// Renders all requests of a run.
pub fn render<D: Dialect>(
    endpoint: &Endpoint,
    connections: &Connections,
    requests: &[Request],
) -> Script {
    let bodies: Vec<Body> = requests.iter().map(body::<D>).collect();
    let all: Vec<Vec<(String, String)>> = requests
        .iter()
        .zip(&bodies)
        .map(|(request, (body, _))| fields::<D>(endpoint, request, body.len()))
        .collect();
    let (fields, mut numbers) = number::<D>(&all);
    let render = |(request, (body, messages)): (&Request, Body)| {
        let stream = request.stream.as_ref();
        Rendered {
            fields: numbers.next().unwrap_or_default(),
            own: Vec::new(),
            body,
            messages,
            send: stream.map_or(1, |stream| stream.send),
            in_turn: stream.is_some_and(|stream| stream.in_turn),
            items: ItemReader::new(stream),
            look: Look::new(request, connections.kept_bytes),
            is_head: D::method(request).eq_ignore_ascii_case("HEAD"),
        }
    };
    let requests = requests.iter().zip(bodies).map(render).collect();
    Script {
        entering: fields.entering,
        fields: fields.all,
        requests,
    }
}

/// A body and the ends of its messages.
type Body = (Vec<u8>, Vec<(usize, u32)>);

/// The messages of a request, one after the other.
fn body<D: Dialect>(request: &Request) -> Body {
    let (mut whole, mut ends, mut length) = (Vec::new(), Vec::new(), 0);
    let stream = request.stream.as_ref();
    let messages = match stream.map(|stream| (stream.send, stream.messages.as_slice())) {
        Some((0, _)) => &[][..],
        None | Some((_, [])) => std::slice::from_ref(&request.body),
        Some((_, messages)) => messages,
    };
    for message in messages {
        whole.extend(D::body(message));
        length += message.len() as u32;
        ends.push((whole.len(), length));
    }
    if ends.is_empty() {
        ends.push((0, 0));
    }
    (whole, ends)
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

/// The distinct fields of a run: first those that may be entered into the dynamic table.
struct Fields {
    all: Vec<Field>,
    entering: usize,
}

/// Numbers the distinct fields, and returns the numbers of each request's fields.
fn number<D: Dialect>(all: &[Vec<(String, String)>]) -> (Fields, impl Iterator<Item = Vec<u32>>) {
    let mut values: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (name, value) in all.iter().flatten() {
        let known = values.entry(name).or_default();
        if known.len() <= MOST_VALUES {
            known.insert(value);
        }
    }
    let indexing = |name: &str| match name {
        ":path" => D::PATH_INDEXING,
        "content-length" => Indexing::No,
        _ => Indexing::Yes,
    };
    let enters = |name: &str| {
        let varies = values.get(name).is_some_and(|it| it.len() > MOST_VALUES);
        indexing(name) == Indexing::Yes && !varies
    };
    let (mut fields, mut known) = (Vec::new(), HashMap::new());
    let mut add = |wanted: Indexing| {
        for (name, value) in all.iter().flatten() {
            if enters(name) == (wanted == Indexing::Yes) {
                known
                    .entry((name.as_str(), value.as_str()))
                    .or_insert_with(|| {
                        fields.push(Field::new(name, value, wanted));
                        fields.len() as u32 - 1
                    });
            }
        }
        fields.len()
    };
    let entering = add(Indexing::Yes);
    add(Indexing::No);
    let numbers = all.iter().map(move |request| {
        let number = |(name, value): &(String, String)| known[&(name.as_str(), value.as_str())];
        request.iter().map(number).collect()
    });
    let all = fields;
    (Fields { all, entering }, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::example::{connections, endpoint};
    use crate::job::{Stream, TransportKind};
    use crate::transport::grpc::Unary;
    use crate::transport::http2::Plain;

    #[test]
    fn several_messages_are_counted_each() {
        let stream = Stream {
            send: 2,
            messages: vec![b"a".to_vec(), b"bcd".to_vec()],
            ..Stream::default()
        };
        let request = Request {
            stream: Some(stream),
            ..Request::default()
        };
        let script = render::<Unary>(&endpoint(TransportKind::Grpc), &connections(1), &[request]);
        let rendered = &script.requests[0];
        assert_eq!(rendered.body, b"\0\0\0\0\x01a\0\0\0\0\x03bcd");
        assert_eq!(rendered.length(), 28);
        assert_eq!(
            [0, 5, 6, 14, 20, 28].map(|bytes| rendered.sent(bytes)),
            [0, 0, 1, 2, 3, 4]
        );
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| rendered.end(number)),
            [0, 6, 14, 20, 28]
        );
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| rendered.payload(number)),
            [0, 1, 4, 5, 8]
        );
    }

    #[test]
    fn fields_are_numbered_once_and_those_that_vary_stay_outside_the_table() {
        let request = |number: usize| Request {
            method: "GET".into(),
            path: format!("/{number}"),
            headers: vec![
                ("x-trace".into(), number.to_string()),
                ("x-tenant".into(), (number % 3).to_string()),
            ],
            ..Request::default()
        };
        // More fields than fit into 16 bits.
        let requests: Vec<Request> = (0..70_000).map(request).collect();
        let script = render::<Plain>(&endpoint(TransportKind::Http2), &connections(1), &requests);
        // :method, :scheme, :authority and three tenants.
        assert_eq!(script.entering, 6);
        assert_eq!(script.fields.len(), 6 + 2 * 70_000);
        let last = script.requests.last().unwrap();
        for (index, name, value, indexing) in [
            (2, ":path", "/69999", Indexing::No),
            (4, "x-trace", "69999", Indexing::No),
            (5, "x-tenant", "0", Indexing::Yes),
        ] {
            let field = &script.fields[last.fields[index] as usize];
            assert_eq!(*field, Field::new(name, value, indexing), "{name}");
        }
    }
}
