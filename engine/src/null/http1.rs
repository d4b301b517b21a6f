//! A null server for HTTP/1.1, with or without pipelining.

use super::{Answering, Then};
use crate::allowance::WHOLE;
use crate::failure::Fault;
use crate::transport::http1::{Body, Framing};
use crate::transport::{Arrival, ItemReader, Look};

const MAX_HEADERS: usize = 64;
const HEAD_LIMIT: usize = 64 << 10;
const BAD_REQUEST: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";

const NOT_IMPLEMENTED: &[u8] = b"HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n";

/// The state of one connection.
pub struct Http1 {
    head: Vec<u8>,
    body: Vec<u8>,
    unread: Unread,
    /// The length of each event in the body.
    event: Option<usize>,
    chunks: Body,
    /// For bodies, which are not searched.
    look: Look,
}

/// The rest of a request's body.
#[derive(Clone, Copy)]
enum Unread {
    Bytes(u64),
    Chunks,
}

struct Asked {
    length: usize,
    body: Unread,
    is_head: bool,
    closes: bool,
}

impl Http1 {
    /// Answers with one body.
    pub fn new(body: &[u8]) -> Self {
        let length = format!("Content-Length: {}", body.len());
        Self::answering("text/plain", &length, body.to_vec())
    }

    /// Answers with `count` events, each in its own chunk.
    pub fn events(event: &[u8], count: u32) -> Self {
        let size = format!("{:x}\r\n", event.len());
        let chunk = [size.as_bytes(), event, b"\r\n"].concat();
        let mut body = chunk.repeat(count as usize);
        body.extend_from_slice(b"0\r\n\r\n");
        Self {
            event: Some(chunk.len()),
            ..Self::answering("text/event-stream", "Transfer-Encoding: chunked", body)
        }
    }

    fn answering(content_type: &str, framing: &str, body: Vec<u8>) -> Self {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n{framing}\r\n\r\n");
        Self {
            head: head.into_bytes(),
            body,
            unread: Unread::Bytes(0),
            event: None,
            chunks: Body::default(),
            look: Look::for_texts(&[], WHOLE),
        }
    }

    /// Skips a request's body. False if more of it must arrive.
    fn skip_body(&mut self, input: &mut &[u8]) -> Result<bool, Fault> {
        let left = match self.unread {
            Unread::Bytes(left) => left,
            Unread::Chunks
                if self
                    .chunks
                    .read(
                        input,
                        &mut Arrival::at(0),
                        &mut ItemReader::default(),
                        &self.look,
                    )?
                    .is_some() =>
            {
                0
            }
            Unread::Chunks => return Ok(false),
        };
        let skipped = left.min(input.len() as u64);
        *input = &input[skipped as usize..];
        self.unread = Unread::Bytes(left - skipped);
        Ok(skipped == left)
    }
}

impl Answering for Http1 {
    fn items(&self) -> Option<(usize, usize)> {
        self.event.map(|length| (self.head.len(), length))
    }

    fn answer(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Then {
        loop {
            match self.skip_body(input) {
                Ok(true) => {}
                Ok(false) => return Then::Keep,
                Err(_) => return Then::Close,
            }
            let asked = match read(input) {
                Ok(Some(asked)) => asked,
                Ok(None) => return Then::Keep,
                Err(refusal) => {
                    out.extend_from_slice(refusal);
                    return Then::Close;
                }
            };
            *input = &input[asked.length..];
            self.unread = asked.body;
            if let Unread::Chunks = asked.body {
                self.chunks.begin(Framing::Chunked, false, true, WHOLE);
            }
            out.extend_from_slice(&self.head);
            if !asked.is_head {
                out.extend_from_slice(&self.body);
            }
            if asked.closes {
                return Then::Close;
            }
        }
    }
}

/// Reads the head of a request, if it is complete. The error is the response to an invalid one.
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
        body: Unread::Bytes(0),
        is_head: request.method == Some("HEAD"),
        closes: request.version == Some(0),
    };
    let mut chunked = false;
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let number = std::str::from_utf8(header.value).ok();
            let number = number.and_then(|text| text.trim().parse().ok());
            asked.body = Unread::Bytes(number.ok_or(BAD_REQUEST)?);
        } else if header.name.eq_ignore_ascii_case("connection") {
            asked.closes |= header.value.trim_ascii().eq_ignore_ascii_case(b"close");
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            chunked = header.value.trim_ascii().eq_ignore_ascii_case(b"chunked");
            if !chunked {
                return Err(NOT_IMPLEMENTED);
            }
        }
    }
    if chunked {
        asked.body = Unread::Chunks;
    }
    Ok(Some(asked))
}
