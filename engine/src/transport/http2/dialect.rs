//! What differs between plain HTTP/2 and what is spoken on top of it.

use crate::failure::{Failure, Fault};
use crate::job::Request;

use super::hpack::Indexing;
use super::stream::Response;

pub trait Dialect: Send {
    const WRONG_STATUS: Failure;
    /// Whether paths repeat so much that they belong into the compression table.
    const PATH_INDEXING: Indexing;
    /// Headers that every request has, unless the job gives them.
    const HEADERS: &'static [(&'static str, &'static str)];
    /// Whether a body's length is announced in a header.
    const SENDS_LENGTH: bool;

    fn method(request: &Request) -> &str;

    /// The body as it goes over the wire.
    fn body(request: &Request) -> Vec<u8>;

    /// What a response that has ended means.
    fn conclude(response: &Response, answers_head: bool) -> Result<Conclusion<'_>, Fault>;
}

pub struct Conclusion<'a> {
    pub status: u16,
    pub success: bool,
    pub body: &'a [u8],
}

/// HTTP/2 as it is.
pub struct Plain;

impl Dialect for Plain {
    const WRONG_STATUS: Failure = Failure::Status;
    const PATH_INDEXING: Indexing = Indexing::No;
    const HEADERS: &'static [(&'static str, &'static str)] = &[];
    const SENDS_LENGTH: bool = true;

    fn method(request: &Request) -> &str {
        &request.method
    }

    fn body(request: &Request) -> Vec<u8> {
        request.body.clone()
    }

    fn conclude(response: &Response, answers_head: bool) -> Result<Conclusion<'_>, Fault> {
        let status = response
            .http_status
            .ok_or(Fault::protocol("a response without a status"))?;
        let length = response.body.len();
        if !answers_head
            && response
                .content_length
                .is_some_and(|announced| announced != length)
        {
            return Err(Fault::protocol("a body of another length than announced"));
        }
        Ok(Conclusion {
            status,
            success: (200..300).contains(&status),
            body: &response.body,
        })
    }
}
