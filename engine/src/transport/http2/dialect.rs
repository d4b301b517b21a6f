//! What differs between plain HTTP/2 and what is spoken on top of it.

use std::marker::PhantomData;

use crate::failure::{Failure, Fault};
use crate::job::Request;

use super::hpack::Indexing;
use super::stream::{Form, Response};
use crate::transport::Conclusion;
use crate::transport::rpc::{self, Head, Protocol};

pub trait Dialect: Send {
    const WRONG_STATUS: Failure;
    /// Whether paths repeat so much that they belong into the compression table.
    const PATH_INDEXING: Indexing;
    /// Headers that every request has, unless the job gives them.
    const HEADERS: &'static [(&'static str, &'static str)];
    const FORM: Form;
    /// Whether a body's length is announced in a header.
    const SENDS_LENGTH: bool;
    /// The header that asks for compression.
    const ACCEPT_ENCODING: &'static str = "accept-encoding";

    fn method(request: &Request) -> &str;

    /// The header that tells the server how much time it has.
    fn deadline(_ms: u64) -> Option<(&'static str, String)> {
        None
    }

    /// The body as it goes over the wire.
    fn body(request: &Request) -> Vec<u8>;

    /// What a response that has ended means. `text` is memory for what is decoded of it.
    fn conclude<'a>(
        response: &'a Response,
        answers_head: bool,
        text: &'a mut Vec<u8>,
    ) -> Result<Conclusion<'a>, Fault>;
}

/// HTTP/2 as it is.
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

    fn body(request: &Request) -> Vec<u8> {
        request.body.clone()
    }

    fn conclude<'a>(
        response: &'a Response,
        answers_head: bool,
        _text: &'a mut Vec<u8>,
    ) -> Result<Conclusion<'a>, Fault> {
        let status = response
            .http_status
            .ok_or(Fault::protocol("a response without a status"))?;
        let length = response.length();
        if !answers_head
            && !response.is_cut
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
            message: &[],
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

    fn body(request: &Request) -> Vec<u8> {
        rpc::body(P::RPC, request)
    }

    fn conclude<'a>(
        response: &'a Response,
        _answers_head: bool,
        text: &'a mut Vec<u8>,
    ) -> Result<Conclusion<'a>, Fault> {
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
        rpc::read(P::RPC, head, &response.body, text)
    }
}
