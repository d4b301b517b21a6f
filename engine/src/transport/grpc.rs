//! gRPC: one or many messages in both directions on an HTTP/2 stream; the status in the trailers.

use crate::capture::decode;
use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::job::Request;

use super::Conclusion;
use super::http2::{Dialect, Form, Http2, Indexing, Response};
use super::rpc::{Content, encoding_of_message, not_grpc, with_prefix};

/// One connection's side of gRPC.
pub type Grpc = Http2<Unary>;

/// The dialect of gRPC.
pub struct Unary;

impl Dialect for Unary {
    const FORM: Form = Form::Message;
    const WRONG_STATUS: Failure = Failure::GrpcStatus;
    const PATH_INDEXING: Indexing = Indexing::Yes;
    const HEADERS: &'static [(&'static str, &'static str)] = &[
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        (
            "user-agent",
            concat!("grpc-wirelab/", env!("CARGO_PKG_VERSION")),
        ),
    ];
    const SENDS_LENGTH: bool = false;
    const ACCEPT_ENCODING: &'static str = "grpc-accept-encoding";

    fn method(_request: &Request) -> &str {
        "POST"
    }

    fn deadline(ms: u64) -> Option<(&'static str, String)> {
        Some(("grpc-timeout", format!("{ms}m")))
    }

    fn body(message: &[u8]) -> Vec<u8> {
        with_prefix(message)
    }

    fn conclude(response: &Response, _answers_head: bool) -> Result<Conclusion<'_>, Fault> {
        // Many servers send nothing before their first message.
        let is_unseen = response.is_cut && response.http_status.is_none();
        if !is_unseen && response.http_status != Some(200) {
            return Err(not_grpc(response.http_status.unwrap_or_default()));
        }
        if !is_unseen && response.content != Content::Grpc {
            return Err(Fault::protocol(
                "a content type other than application/grpc",
            ));
        }
        let status = match response.grpc_status {
            Some(status) => status,
            // The engine did not wait for it.
            None if response.is_cut => 0,
            None => return Err(Fault::protocol("trailers without a grpc-status")),
        };
        let (encoding, body) = match status {
            _ if response.items.is_on() => (Encoding::Identity, &*response.body),
            0 => single_message(response)?,
            _ => (Encoding::Identity, &[][..]),
        };
        Ok(Conclusion {
            status,
            success: status == 0,
            body,
            encoding,
            message: decode(&response.grpc_message),
        })
    }
}

/// The message of a body that must have exactly one, and its encoding.
fn single_message(response: &Response) -> Result<(Encoding, &[u8]), Fault> {
    let Some((flag, length)) = response.prefix.read() else {
        return Err(Fault::protocol("success without a message"));
    };
    let encoding = encoding_of_message(flag, response.message_encoding)?;
    if length != response.length() {
        return Err(Fault::protocol(
            "a message that differs from its announced length, or several messages",
        ));
    }
    Ok((encoding, &response.body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Arrival, Look};

    fn response(fields: &[(&str, &str)], body: &[u8]) -> Response {
        let mut response = Response::default();
        let look = Look::for_texts(&[], 1 << 20);
        for piece in body.chunks(3) {
            let taken = response.take(piece, true, &mut Arrival::at(0), Form::Message, &look);
            assert_eq!(taken, Ok(false));
        }
        response.field(b":status", b"200", &look);
        response.field(b"content-type", b"application/grpc+proto", &look);
        for (name, value) in fields {
            response.field(name.as_bytes(), value.as_bytes(), &look);
        }
        response
    }

    fn fault(fields: &[(&str, &str)], body: &[u8]) -> Failure {
        Unary::conclude(&response(fields, body), false)
            .err()
            .unwrap()
            .failure
    }

    #[test]
    fn a_message_is_extracted_from_its_frame() {
        let response = response(&[("grpc-status", "0")], &[0, 0, 0, 0, 2, 8, 1]);
        let conclusion = Unary::conclude(&response, false).ok().unwrap();
        assert_eq!(
            (conclusion.status, conclusion.success, conclusion.body),
            (0, true, &[8, 1][..])
        );
    }

    #[test]
    fn a_status_alone_is_a_reply() {
        let response = response(
            &[
                ("grpc-status", "5"),
                ("grpc-message", "caf%C3%A9 100%25 %4"),
            ],
            &[],
        );
        let conclusion = Unary::conclude(&response, false).ok().unwrap();
        assert_eq!((conclusion.status, conclusion.success), (5, false));
        assert_eq!(&*conclusion.message, "café 100% %4".as_bytes());
    }

    #[test]
    fn a_compressed_message_has_the_encoding_of_its_headers() {
        let fields = [("grpc-status", "0"), ("grpc-encoding", "gzip")];
        for (flag, expected) in [(0, Encoding::Identity), (1, Encoding::Gzip)] {
            let response = response(&fields, &[flag, 0, 0, 0, 2, 8, 1]);
            let conclusion = Unary::conclude(&response, false).ok().unwrap();
            assert_eq!(
                (conclusion.encoding, conclusion.body),
                (expected, &[8, 1][..])
            );
        }
        assert_eq!(fault(&fields, &[2, 0, 0, 0, 0]), Failure::ProtocolError);
    }

    #[test]
    fn a_malformed_reply_is_a_protocol_error() {
        let ok = [("grpc-status", "0")];
        for body in [
            &[][..],
            &[0, 0, 0],
            &[1, 0, 0, 0, 0],
            &[0, 0, 0, 0, 5, 1],
            &[0; 10],
        ] {
            assert_eq!(fault(&ok, body), Failure::ProtocolError, "{body:?}");
        }
        assert_eq!(fault(&[], &[0; 5]), Failure::ProtocolError);
        assert_eq!(
            fault(&[("content-type", "text/html")], &[]),
            Failure::ProtocolError
        );
        assert_eq!(fault(&[(":status", "503")], &[]), Failure::Status);
    }
}
