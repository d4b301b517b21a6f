//! Requests as bytes.

use crate::job::{Header, Request, Target};

pub struct Rendered {
    pub bytes: Vec<u8>,
    pub payload_length: u32,
    /// A reply to HEAD has no body, whatever its headers say.
    pub is_head: bool,
}

/// Renders a request once, for all times that it is sent.
pub fn render(target: &Target, keep_open: bool, request: &Request) -> Rendered {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method, request.path);
    let given: Vec<&Header> = target.headers.iter().chain(&request.headers).collect();
    let is_given = |name: &str| {
        given
            .iter()
            .any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    let mut add = |name: &str, value: &str| {
        head.push_str(&format!("{name}: {value}\r\n"));
    };
    if !is_given("host") {
        add("Host", &target.authority);
    }
    if let Some(accepted) = &target.accept_encoding
        && !is_given("accept-encoding")
    {
        add("Accept-Encoding", accepted);
    }
    for (name, value) in &given {
        add(name, value);
    }
    if !request.body.is_empty() || ["POST", "PUT", "PATCH"].contains(&request.method.as_str()) {
        add("Content-Length", &request.body.len().to_string());
    }
    if !keep_open && !is_given("connection") {
        add("Connection", "close");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&request.body);
    Rendered {
        bytes,
        payload_length: request.body.len() as u32,
        is_head: request.method.eq_ignore_ascii_case("HEAD"),
    }
}
