//! gRPC-Web: a message and the trailers in one body.

use std::borrow::Cow;

use memchr::memchr;

use super::{Content, Head, NOT_ASKED, PREFIX, encoding_of_message, not_grpc};
use crate::capture::decode;
use crate::encoding::Encoding;
use crate::failure::{Failure, Fault};
use crate::transport::Conclusion;

/// The flag of the trailers.
const TRAILERS: u8 = 0x80;

/// Reads a reply.
pub fn read(head: Head, body: &[u8]) -> Result<Conclusion<'_>, Fault> {
    if head.http_status != 200 {
        return Err(not_grpc(head.http_status));
    }
    if head.content != Content::GrpcWeb {
        return Err(NOT_ASKED);
    }
    if head.encoding != Encoding::Identity {
        let detail = "a body compressed as a whole instead of its messages";
        return Err(Fault::new(Failure::BadEncoding, detail));
    }
    read_frames(head, body)
}

/// Reads a message and the trailers, each with a prefix; without a message if the call has failed.
fn read_frames(head: Head, body: &[u8]) -> Result<Conclusion<'_>, Fault> {
    let (mut message, mut trailers) = (None, None);
    let mut rest = body;
    while !rest.is_empty() {
        let (flag, content) = take_frame(&mut rest)?;
        match flag {
            _ if trailers.is_some() => {
                return Err(Fault::protocol("data after the trailers"));
            }
            TRAILERS => trailers = Some(content),
            _ if message.is_some() => {
                return Err(Fault::protocol("several messages in reply to one"));
            }
            _ => message = Some((encoding_of_message(flag, head.message_encoding)?, content)),
        }
    }
    let status = trailers.and_then(|block| super::status(field(block, b"grpc-status")));
    let status = status
        .or(head.grpc_status)
        .ok_or(Fault::protocol("trailers without a grpc-status"))?;
    if status == 0 && message.is_none() {
        return Err(Fault::protocol("success without a message"));
    }
    let (encoding, body) = message.filter(|_| status == 0).unwrap_or_default();
    Ok(Conclusion {
        status,
        success: status == 0,
        body,
        encoding,
        message: trailers.map_or(Cow::default(), |block| {
            decode(field(block, b"grpc-message"))
        }),
    })
}

fn take_frame<'a>(rest: &mut &'a [u8]) -> Result<(u8, &'a [u8]), Fault> {
    const CUT: Fault = Fault::protocol("a body that ends within a message");
    let (&[flag, a, b, c, d], after) = rest.split_first_chunk::<PREFIX>().ok_or(CUT)?;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    let (content, after) = after.split_at_checked(length).ok_or(CUT)?;
    *rest = after;
    Ok((flag, content))
}

/// The value of a field in a block of `name: value` lines.
fn field<'a>(block: &'a [u8], wanted: &[u8]) -> &'a [u8] {
    let found = block.split(|&byte| byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(memchr(b':', line)?)?;
        let is_wanted = name.trim_ascii().eq_ignore_ascii_case(wanted);
        is_wanted.then(|| value[1..].trim_ascii())
    });
    found.unwrap_or_default()
}
