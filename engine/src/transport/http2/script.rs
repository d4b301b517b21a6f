//! Requests as header fields and bodies.

use std::collections::{HashMap, HashSet};

use crate::job::{Connections, Endpoint, Request};
use crate::transport::{self, ItemReader, Look};

use super::Dialect;
use super::hpack::{Field, Indexing};

/// A header with more values than this would fill the dynamic table with what hardly comes again.
const MOST_VALUES: usize = 64;

pub struct Script {
    /// All different fields of the run.
    pub fields: Vec<Field>,
    /// How many of them, the first ones, may enter the dynamic table.
    pub entering: usize,
    pub requests: Vec<Rendered>,
}

impl Script {
    /// Puts the only request of another script into a place. Fields that it has not from its model
    /// get a number of their own, which is the place's for as long as the script is.
    pub fn put(&mut self, place: usize, model: u32, mut filled: Self) {
        let Some(mut request) = filled.requests.pop() else {
            return;
        };
        let known = &self.requests[model as usize].fields;
        let mut own = match self.requests.get(place) {
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
        transport::put(&mut self.requests, place, model, Some(request));
    }
}

#[derive(Clone)]
pub struct Rendered {
    /// Numbers of its fields, in order.
    pub fields: Vec<u32>,
    /// Numbers of fields that are another's at no time.
    pub own: Vec<u32>,
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
    let bodies = requests.iter().map(|request| {
        let sends = request.stream.as_ref().is_none_or(|stream| stream.send > 0);
        if sends { D::body(request) } else { Vec::new() }
    });
    let bodies: Vec<Vec<u8>> = bodies.collect();
    let all: Vec<Vec<(String, String)>> = requests
        .iter()
        .zip(&bodies)
        .map(|(request, body)| fields::<D>(endpoint, request, body.len()))
        .collect();
    let (fields, mut numbers) = number::<D>(&all);
    let render = |(request, body): (&Request, Vec<u8>)| {
        let stream = request.stream.as_ref();
        Rendered {
            fields: numbers.next().unwrap_or_default(),
            own: Vec::new(),
            body,
            payload_length: request.body.len() as u32,
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

/// The different fields of a run: first those that may enter the dynamic table.
struct Fields {
    all: Vec<Field>,
    entering: usize,
}

/// Numbers the different fields, and gives the numbers of each request's.
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
    use crate::job::TransportKind;
    use crate::job::example::{connections, endpoint};
    use crate::transport::http2::Plain;

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
        for (place, name, value, indexing) in [
            (2, ":path", "/69999", Indexing::No),
            (4, "x-trace", "69999", Indexing::No),
            (5, "x-tenant", "0", Indexing::Yes),
        ] {
            let field = &script.fields[last.fields[place] as usize];
            assert_eq!(*field, Field::new(name, value, indexing), "{name}");
        }
    }
}
