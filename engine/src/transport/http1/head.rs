//! Reads the head of a reply: the status and the framing of the body (RFC 9112, section 6.3).

use std::mem::MaybeUninit;

use crate::allowance::LONGEST;
use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::transport::rpc::{self, Content};
use crate::transport::{FoundHeader, Look};

const MAX_HEADERS: usize = 128;
pub const HEAD_LIMIT: usize = 256 << 10;
/// The longest head that each connection remembers, in bytes.
const REMEMBERED: usize = 1 << 10;

/// How a body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

/// The head of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub length: usize,
    pub framing: Framing,
    /// Whether the server closes the connection after this reply.
    pub closes: bool,
    pub meaning: rpc::Head,
}

/// A complete head.
#[derive(Debug, PartialEq, Eq)]
pub enum Parsed {
    Incomplete,
    /// An interim (1xx) reply, which another one follows.
    Interim {
        length: usize,
    },
    Final(Head),
}

/// Reads the heads of a connection, most of which are identical to the previous one, byte for byte.
#[derive(Default)]
pub struct Heads {
    last: Vec<u8>,
    /// The parsed head, and whether it answered HEAD.
    meaning: Option<(Head, bool)>,
}

impl Heads {
    /// Reads the head at the front of `input`; none if it is incomplete. The fault is that it is
    /// invalid or oversized.
    #[inline]
    pub fn read(
        &mut self,
        input: &[u8],
        answers_head: bool,
        has_rpc: bool,
    ) -> Result<Parsed, Fault> {
        if let Some((head, answered_head)) = self.meaning
            && answered_head == answers_head
            && input.starts_with(&self.last)
        {
            return Ok(Parsed::Final(head));
        }
        let parsed = parse(input, answers_head, has_rpc)?;
        if let Parsed::Final(head) = parsed
            && head.length <= REMEMBERED
        {
            self.last.clear();
            self.last.extend_from_slice(&input[..head.length]);
            self.meaning = Some((head, answers_head));
        }
        Ok(parsed)
    }
}

/// Passes the head of a reply to `read`, with its length. A later minor version is read as 1.1
/// (RFC 9110, section 2.5), and folded lines belong to their field (RFC 9112, section 5.2).
pub fn with_head<T>(
    input: &[u8],
    read: impl FnOnce(httparse::Result<usize>, &httparse::Response) -> T,
) -> T {
    let later: Vec<u8>;
    let input = match input.split_first_chunk::<8>() {
        Some((b"HTTP/1.2" | b"HTTP/1.3" | b"HTTP/1.4" | b"HTTP/1.5", _))
        | Some((b"HTTP/1.6" | b"HTTP/1.7" | b"HTTP/1.8" | b"HTTP/1.9", _)) => {
            later = [b"HTTP/1.1", &input[8..input.len().min(HEAD_LIMIT)]].concat();
            &later
        }
        _ => input,
    };
    let mut storage = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut []);
    let mut parser = httparse::ParserConfig::default();
    parser.allow_obsolete_multiline_headers_in_responses(true);
    let parsed = parser.parse_response_with_uninit_headers(&mut response, input, &mut storage);
    read(parsed, &response)
}

fn parse(input: &[u8], answers_head: bool, has_rpc: bool) -> Result<Parsed, Fault> {
    with_head(input, |parsed, response| {
        understand(input, parsed, response, answers_head, has_rpc)
    })
}

fn understand(
    input: &[u8],
    parsed: httparse::Result<usize>,
    response: &httparse::Response,
    answers_head: bool,
    has_rpc: bool,
) -> Result<Parsed, Fault> {
    let length = match parsed {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if input.len() < HEAD_LIMIT => return Ok(Parsed::Incomplete),
        Ok(httparse::Status::Partial) => {
            return Err(Fault::new(
                Failure::Oversized,
                "a head of more than 256 KiB",
            ));
        }
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Fault::new(Failure::Oversized, "more than 128 headers"));
        }
        Err(_) => return Err(Fault::protocol("a reply that is not HTTP/1")),
    };
    let status = response.code.unwrap_or(0);
    if status == 101 {
        return Err(Fault::protocol(
            "a switch of protocols that was not requested",
        ));
    }
    if (100..200).contains(&status) {
        return Ok(Parsed::Interim { length });
    }
    let fields = Fields::read(&*response.headers, has_rpc)?;
    let framing = if answers_head || status == 204 || status == 304 {
        Framing::Length(0)
    } else if fields.chunked {
        Framing::Chunked
    } else {
        match fields.content_length {
            Some(length) if length > LONGEST => {
                return Err(Fault::new(Failure::Oversized, "a body of more than 4 GiB"));
            }
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        }
    };
    let old = response.version == Some(0);
    let closes = fields.close || (old && !fields.keep_alive) || framing == Framing::UntilClose;
    Ok(Parsed::Final(Head {
        length,
        framing,
        closes,
        meaning: rpc::Head {
            http_status: status,
            ..fields.meaning
        },
    }))
}

#[derive(Default)]
struct Fields {
    content_length: Option<usize>,
    chunked: bool,
    close: bool,
    keep_alive: bool,
    meaning: rpc::Head,
}

impl Fields {
    fn read(headers: &[httparse::Header], has_rpc: bool) -> Result<Self, Fault> {
        let mut fields = Self::default();
        for header in headers {
            // The length of the name distinguishes nearly all headers without a comparison.
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    let length = decimal(header.value)?;
                    if fields.content_length.is_some_and(|other| other != length) {
                        return Err(Fault::protocol("two different Content-Length headers"));
                    }
                    fields.content_length = Some(length);
                }
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    for coding in header.value.split(|&byte| byte == b',') {
                        let coding = coding.trim_ascii();
                        if fields.chunked || !coding.eq_ignore_ascii_case(b"chunked") {
                            return Err(Fault::protocol(refusal(coding)));
                        }
                        fields.chunked = true;
                    }
                }
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    for word in header.value.split(|&byte| byte == b',') {
                        let word = word.trim_ascii();
                        fields.close |= word.eq_ignore_ascii_case(b"close");
                        fields.keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                16 if header.name.eq_ignore_ascii_case("content-encoding") => {
                    fields.meaning.encoding = Encoding::parse(header.value);
                }
                12 if has_rpc && header.name.eq_ignore_ascii_case("content-type") => {
                    fields.meaning.content = Content::new(header.value);
                }
                11 if has_rpc && header.name.eq_ignore_ascii_case("grpc-status") => {
                    fields.meaning.grpc_status = rpc::status(header.value.trim_ascii());
                }
                13 if has_rpc && header.name.eq_ignore_ascii_case("grpc-encoding") => {
                    fields.meaning.message_encoding = Encoding::parse(header.value);
                }
                _ => {}
            }
        }
        if fields.chunked && fields.content_length.is_some() {
            return Err(Fault::protocol("both a Content-Length and chunks"));
        }
        Ok(fields)
    }
}

/// Finds the headers to capture in a head that has been read before.
#[cold]
pub fn find(head: &[u8], look: &Look, found: &mut Vec<FoundHeader>) {
    with_head(head, |_, response| {
        for header in &*response.headers {
            look.keep_header(header.name.as_bytes(), &unfolded(header.value), found);
        }
    });
}

/// A value, with a space instead of each end of a folded line.
fn unfolded(value: &[u8]) -> Vec<u8> {
    let lines = value.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(&b' ')
}

/// Why a transfer coding is not decoded.
fn refusal(coding: &[u8]) -> &'static str {
    match &*coding.to_ascii_lowercase() {
        b"gzip" | b"x-gzip" => "the transfer encoding gzip, which was not requested",
        b"deflate" => "the transfer encoding deflate, which was not requested",
        b"compress" | b"x-compress" => "the transfer encoding compress, which was not requested",
        b"chunked" => "the transfer encoding chunked a second time",
        _ => "an unknown transfer encoding",
    }
}

fn decimal(value: &[u8]) -> Result<usize, Fault> {
    let value = value.trim_ascii();
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return Err(Fault::protocol("a Content-Length that is not a number"));
    }
    Ok(value
        .iter()
        .fold(0, |number, digit| number * 10 + usize::from(digit - b'0')))
}
