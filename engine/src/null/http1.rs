//! HTTP/1.1, pipelined or not.

use super::{Answering, Then};

const MAX_HEADERS: usize = 64;
const HEAD_LIMIT: usize = 64 << 10;
const BAD_REQUEST: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
/// A body in chunks would have to be read through to its end, which costs what is not wanted.
const LENGTH_REQUIRED: &[u8] = b"HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\n\r\n";

pub struct Http1 {
    head: Vec<u8>,
    body: Vec<u8>,
    /// Bytes of a request's body that are still to come.
    unread: u64,
}

struct Asked {
    length: usize,
    body_length: u64,
    is_head: bool,
    closes: bool,
}

impl Http1 {
    pub fn new(body: &[u8]) -> Self {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n"
        );
        Self {
            head: head.into_bytes(),
            body: body.to_vec(),
            unread: 0,
        }
    }

    fn skip_body(&mut self, input: &mut &[u8]) -> bool {
        let skipped = self.unread.min(input.len() as u64);
        *input = &input[skipped as usize..];
        self.unread -= skipped;
        self.unread == 0
    }
}

impl Answering for Http1 {
    fn answer(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Then {
        while self.skip_body(input) {
            let asked = match read(input) {
                Ok(Some(asked)) => asked,
                Ok(None) => return Then::Keep,
                Err(refusal) => {
                    out.extend_from_slice(refusal);
                    return Then::Close;
                }
            };
            *input = &input[asked.length..];
            self.unread = asked.body_length;
            out.extend_from_slice(&self.head);
            if !asked.is_head {
                out.extend_from_slice(&self.body);
            }
            if asked.closes {
                return Then::Close;
            }
        }
        Then::Keep
    }
}

/// Reads the head of a request, if it is whole. The error is the answer to a wrong one.
fn read(input: &[u8]) -> Result<Option<Asked>, &'static [u8]> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(input) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if input.len() < HEAD_LIMIT => return Ok(None),
        _ => return Err(BAD_REQUEST),
    };
    let mut asked = Asked {
        length,
        body_length: 0,
        is_head: request.method == Some("HEAD"),
        closes: request.version == Some(0),
    };
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let number = std::str::from_utf8(header.value).ok();
            let number = number.and_then(|text| text.trim().parse().ok());
            asked.body_length = number.ok_or(BAD_REQUEST)?;
        } else if header.name.eq_ignore_ascii_case("connection") {
            asked.closes |= header.value.trim_ascii().eq_ignore_ascii_case(b"close");
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(LENGTH_REQUIRED);
        }
    }
    Ok(Some(asked))
}
