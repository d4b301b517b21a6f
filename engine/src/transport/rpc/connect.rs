//! Connect: the message is the body; an error is JSON.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Content, Head, NOT_ASKED};
use crate::encoding::Encoding;
use crate::failure::Fault;
use crate::transport::Conclusion;

/// Reads a reply: the message itself, or an error in JSON with a matching HTTP status.
pub fn read(head: Head, body: &[u8]) -> Result<Conclusion<'_>, Fault> {
    match (head.http_status, head.content) {
        (200, Content::Proto | Content::Json) => Ok(Conclusion {
            status: 0,
            success: true,
            body,
            encoding: head.encoding,
            message: Cow::Borrowed(&[]),
        }),
        (200, _) => Err(NOT_ASKED),
        (http_status, content) => {
            let error = (content == Content::Json)
                .then(|| serde_json::from_slice::<ConnectError>(body).ok())
                .flatten();
            let told = error.and_then(|error| code(&error.code));
            let status = told.unwrap_or(inferred(http_status));
            Ok(Conclusion {
                status,
                success: status == 0,
                body: &[],
                encoding: Encoding::Identity,
                message: Cow::Borrowed(body),
            })
        }
    }
}

#[derive(Deserialize)]
struct ConnectError {
    code: String,
}

/// The gRPC status of a Connect error code.
fn code(name: &str) -> Option<u16> {
    const NAMES: [&str; 16] = [
        "canceled",
        "unknown",
        "invalid_argument",
        "deadline_exceeded",
        "not_found",
        "already_exists",
        "permission_denied",
        "resource_exhausted",
        "failed_precondition",
        "aborted",
        "out_of_range",
        "unimplemented",
        "internal",
        "unavailable",
        "data_loss",
        "unauthenticated",
    ];
    let index = NAMES.iter().position(|known| *known == name)?;
    Some(index as u16 + 1)
}

/// The gRPC status of an answer that does not come from a Connect server.
fn inferred(http_status: u16) -> u16 {
    match http_status {
        400 => 13,
        401 => 16,
        403 => 7,
        404 => 12,
        429 | 502 | 503 | 504 => 14,
        _ => 2,
    }
}
