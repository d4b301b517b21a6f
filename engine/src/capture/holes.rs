//! Where captured values belong in a request.

use crate::job::Request;

/// A place in a text, in bytes from its beginning, and which value goes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    pub at: usize,
    pub value: usize,
}

/// The places in a request, which itself stands there without the values. In each text they are in
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holes {
    pub path: Vec<Hole>,
    /// By the number of the header.
    pub headers: Vec<(usize, Vec<Hole>)>,
    pub body: Vec<Hole>,
}

impl Holes {
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn len(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(_, holes)| holes.len()).sum();
        self.path.len() + headers + self.body.len()
    }

    /// Which values are needed.
    pub fn values(&self) -> impl Iterator<Item = usize> {
        let headers = self.headers.iter().flat_map(|(_, holes)| holes);
        let all = self.path.iter().chain(headers).chain(&self.body);
        all.map(|hole| hole.value)
    }

    /// The request with a client's values.
    pub fn fill(&self, request: &Request, values: &[String]) -> Request {
        let encoded: Vec<String>;
        let path = match self.path.is_empty() {
            true => request.path.clone(),
            false => {
                encoded = values.iter().map(|value| encode(value)).collect();
                fill(&request.path, &self.path, &encoded)
            }
        };
        let mut headers = request.headers.clone();
        for (number, holes) in &self.headers {
            let text = &mut headers[*number].1;
            *text = fill(text, holes, values);
        }
        Request {
            method: request.method.clone(),
            path,
            headers,
            body: fill_bytes(&request.body, &self.body, values),
            binary: request.binary,
            stream: request.stream.clone(),
            deadline_ms: request.deadline_ms,
            expect: request.expect.clone(),
            captures: request.captures.clone(),
            holes: Self::default(),
        }
    }
}

/// A value as a part of an address (RFC 3986, section 2.3).
pub fn encode(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

fn fill(text: &str, holes: &[Hole], values: &[String]) -> String {
    let mut filled = String::new();
    let mut done = 0;
    for hole in holes {
        filled.push_str(&text[done..hole.at]);
        filled.push_str(&values[hole.value]);
        done = hole.at;
    }
    filled.push_str(&text[done..]);
    filled
}

fn fill_bytes(bytes: &[u8], holes: &[Hole], values: &[String]) -> Vec<u8> {
    let mut filled = Vec::new();
    let mut done = 0;
    for hole in holes {
        filled.extend_from_slice(&bytes[done..hole.at]);
        filled.extend_from_slice(values[hole.value].as_bytes());
        done = hole.at;
    }
    filled.extend_from_slice(&bytes[done..]);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_where_they_belong() {
        let hole = |at, value| Hole { at, value };
        let request = Request {
            path: "/a?c=&d=".into(),
            headers: vec![
                ("x".into(), "1".into()),
                ("authorization".into(), "Bearer ".into()),
            ],
            body: b"[]".to_vec(),
            holes: Holes {
                path: vec![hole(5, 1), hole(8, 0)],
                headers: vec![(1, vec![hole(7, 0)])],
                body: vec![hole(1, 0), hole(1, 1)],
            },
            ..Request::default()
        };
        let values = ["t/1".to_string(), "é".to_string()];
        let filled = request.holes.fill(&request, &values);
        assert_eq!(filled.path, "/a?c=%C3%A9&d=t%2F1");
        assert_eq!(filled.headers[1].1, "Bearer t/1");
        assert_eq!(filled.body, "[t/1é]".as_bytes());
        assert!(filled.holes.is_empty() && request.holes.len() == 5);
        assert_eq!(request.holes.values().collect::<Vec<_>>(), [1, 0, 0, 0, 1]);
    }
}
