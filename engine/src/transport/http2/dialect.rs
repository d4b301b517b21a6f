//! The differences between plain HTTP/2 and the protocols on top of it.

use std::borrow::Cow;
use std::marker::PhantomData;

use crate::failure::{Failure, Fault};
use crate::job::Request;

use super::hpack::Indexing;
use super::stream::{Form, Response};
use crate::transport::Conclusion;
use crate::transport::rpc::{self, Head, Protocol};

/// A protocol on HTTP/2.
pub trait Dialect: Send {
    /// The class of a reply with an unexpected status.
    const WRONG_STATUS: Failure;
    /// Whether paths are repeated so often that they belong into the compression table.
    const PATH_INDEXING: Indexing;
    /// The headers of every request, unless the job sets them.
    const HEADERS: &'static [(&'static str, &'static str)];
    /// The form of bodies.
    const FORM: Form;
    /// Whether requests announce the length of their body.
    const SENDS_LENGTH: bool;
    /// The header with the accepted encodings.
    const ACCEPT_ENCODING: &'static str = "accept-encoding";

    fn method(request: &Request) -> &str;

    /// The header that sends the time-out to the server.
    fn deadline(_ms: u64) -> Option<(&'static str, String)> {
        None
    }

    /// A message, or a body, as sent.
    fn body(message: &[u8]) -> Vec<u8>;

    /// The meaning of a complete response.
    fn conclude(response: &Response, answers_head: bool) -> Result<Conclusion<'_>, Fault>;
}

/// Plain HTTP/2.
pub struct Plain;

impl Dialect for Plain {
    const FORM: Form = Form::Plain;
    const WRONG_STATUS: Failure = Failure::Status;
    const PATH_INDEXING: Indexing = Indexing::No;
    const HEADERS: &'static [(&'static str, &'static str)] = &[];
    const SENDS_LENGTH: bool = true;

    fn method(request: &Request) -> &str {
        &request.method
    }

    fn body(message: &[u8]) -> Vec<u8> {
        message.to_vec()
    }

    fn conclude(response: &Response, answers_head: bool) -> Result<Conclusion<'_>, Fault> {
        let status = response
            .http_status
            .ok_or(Fault::protocol("a response without a status"))?;
        let length = response.length();
        // These replies have no body, and may announce the length that it would have.
        if answers_head || status == 204 || status == 304 {
            if length > 0 {
                return Err(Fault::protocol("a body where none is allowed"));
            }
        } else if !response.is_cut
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
            encoding: response.encoding,
            message: Cow::Borrowed(&[]),
        })
    }
}

/// Unary calls that are plain HTTP requests.
pub struct Wrapped<P>(PhantomData<P>);

impl<P: Protocol> Dialect for Wrapped<P> {
    const FORM: Form = match P::IS_PLAIN {
        true => Form::Plain,
        false => Form::Wrapped,
    };
    const WRONG_STATUS: Failure = Failure::GrpcStatus;
    const PATH_INDEXING: Indexing = Indexing::Yes;
    const HEADERS: &'static [(&'static str, &'static str)] = rpc::headers(P::RPC);
    const SENDS_LENGTH: bool = true;
    const ACCEPT_ENCODING: &'static str = rpc::accept_encoding(P::RPC);

    fn method(_request: &Request) -> &str {
        "POST"
    }

    fn deadline(ms: u64) -> Option<(&'static str, String)> {
        Some(rpc::deadline(P::RPC, ms))
    }

    fn body(message: &[u8]) -> Vec<u8> {
        rpc::body(P::RPC, message)
    }

    fn conclude(response: &Response, _answers_head: bool) -> Result<Conclusion<'_>, Fault> {
        let http_status = response
            .http_status
            .ok_or(Fault::protocol("a response without a status"))?;
        let head = Head {
            http_status,
            content: response.content,
            encoding: response.encoding,
            message_encoding: response.message_encoding,
            grpc_status: response.grpc_status,
        };
        rpc::read(P::RPC, head, &response.body)
    }
}
