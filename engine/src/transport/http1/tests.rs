use super::*;
use crate::job::{TransportKind, example};

fn endpoint() -> Endpoint {
    Endpoint {
        authority: "example:80".into(),
        headers: vec![("X-All".into(), "1".into())],
        ..example::endpoint(TransportKind::Http1)
    }
}

fn request(method: &str, body: &[u8]) -> Request {
    Request {
        method: method.into(),
        path: "/a?b=c".into(),
        headers: vec![("Accept".into(), "*/*".into())],
        body: body.to_vec(),
        binary: false,
        ..Request::default()
    }
}

const REUSED: Connections = example::connections(1);

/// What became of a call: its status and body, or the fault that broke the connection.
type Outcome = Result<(u16, Vec<u8>), Fault>;

struct Conversation {
    codec: Http1,
    script: Vec<Rendered>,
}

impl Conversation {
    fn new(method: &str) -> Self {
        let script = Http1::script(&endpoint(), &REUSED, &[request(method, b"")]);
        let mut codec = Http1::new(1, 0);
        assert!(codec.open(&script, &mut Vec::new()));
        Self { codec, script }
    }

    /// Sends a call and gives the answer in pieces of `piece` bytes, then its end if requested.
    fn answer(&mut self, answer: &[u8], piece: usize, ends: bool) -> Option<Outcome> {
        assert_eq!(self.codec.capacity(), 1);
        self.codec
            .start(&self.script, Start::new(5, 0), &mut Vec::new());
        let mut pending = Vec::new();
        for (index, bytes) in answer.chunks(piece).enumerate() {
            pending.extend_from_slice(bytes);
            let mut input = pending.as_slice();
            let step = self.codec.step(
                &self.script,
                &mut input,
                &mut Arrival::at(index as u64),
                &mut Vec::new(),
            );
            if let Some(outcome) = outcome(step) {
                return Some(outcome);
            }
            pending = input.to_vec();
        }
        if ends {
            outcome(self.codec.end_of_input(&self.script, &mut Arrival::at(9)))
        } else {
            None
        }
    }
}

fn outcome(step: Step) -> Option<Outcome> {
    match step {
        Step::NeedInput => None,
        Step::Replied { call, reply } => {
            assert_eq!((call, reply.first_byte), (5, 0));
            Some(Ok((reply.status, reply.body.to_vec())))
        }
        Step::Broken(fault) => Some(Err(fault)),
        other => panic!("{other:?}"),
    }
}

/// The outcome of one answer, which must not depend on how it is cut into pieces.
fn outcome_of(method: &str, answer: &[u8], ends: bool) -> Option<Outcome> {
    let whole = Conversation::new(method).answer(answer, answer.len(), ends);
    for piece in [1, 2, 3, 7] {
        assert_eq!(Conversation::new(method).answer(answer, piece, ends), whole);
    }
    whole
}

fn body_of(answer: &str) -> (u16, String) {
    let (status, body) = outcome_of("GET", answer.as_bytes(), false)
        .unwrap()
        .unwrap();
    (status, String::from_utf8(body).unwrap())
}

fn fault_of(answer: &str) -> Fault {
    outcome_of("GET", answer.as_bytes(), false)
        .unwrap()
        .unwrap_err()
}

#[test]
fn requests_are_rendered_whole() {
    let script = Http1::script(
        &endpoint(),
        &REUSED,
        &[request("POST", b"hi"), request("GET", b"")],
    );
    let expected = "POST /a?b=c HTTP/1.1\r\nHost: example:80\r\nX-All: 1\r\nAccept: */*\r\n\
                    Content-Length: 2\r\n\r\nhi";
    assert_eq!(String::from_utf8_lossy(&script[0].bytes), expected);
    assert!(!String::from_utf8_lossy(&script[1].bytes).contains("Content-Length"));

    let fresh = Connections {
        reuse: false,
        ..REUSED
    };
    let script = Http1::script(&endpoint(), &fresh, &[request("GET", b"")]);
    assert!(String::from_utf8_lossy(&script[0].bytes).contains("\r\nConnection: close\r\n"));
}

#[test]
fn bodies_with_a_length() {
    let answer = "HTTP/1.1 201 Created\r\ncontent-length: 5\r\n\r\nhello";
    assert_eq!(body_of(answer), (201, "hello".into()));
    assert_eq!(
        body_of("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        (200, String::new())
    );
}

#[test]
fn chunked_bodies() {
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                  4;name=value\r\nwire\r\n3\r\nlab\r\n0\r\nTrailer: x\r\n\r\n";
    assert_eq!(body_of(answer), (200, "wirelab".into()));
}

#[test]
fn interim_replies_are_skipped() {
    let answer = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
                  HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(body_of(answer), (200, "ok".into()));
}

#[test]
fn replies_without_a_body() {
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
    assert_eq!(
        outcome_of("HEAD", length.as_bytes(), false),
        Some(Ok((200, vec![])))
    );
    assert_eq!(
        body_of("HTTP/1.1 204 No Content\r\n\r\n"),
        (204, String::new())
    );
    assert_eq!(
        body_of("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n").0,
        304
    );
}

#[test]
fn bodies_that_end_with_the_connection() {
    let answer = b"HTTP/1.1 200 OK\r\n\r\nuntil the end";
    assert_eq!(
        outcome_of("GET", answer, true),
        Some(Ok((200, b"until the end".to_vec())))
    );
    assert_eq!(outcome_of("GET", answer, false), None);
    assert_eq!(
        outcome_of(
            "GET",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            true
        ),
        None
    );
}

#[test]
fn the_connection_is_kept_or_closed_as_the_server_requests() {
    for (head, closing) in [
        ("HTTP/1.1 200 OK\r\n", false),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n", true),
        ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\n", true),
        ("HTTP/1.0 200 OK\r\n", true),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n", false),
    ] {
        let mut conversation = Conversation::new("GET");
        let answer = format!("{head}Content-Length: 0\r\n\r\n");
        conversation
            .answer(answer.as_bytes(), 1000, false)
            .unwrap()
            .unwrap();
        assert_eq!(conversation.codec.is_closing(), closing, "{head}");
        assert_eq!(conversation.codec.capacity(), usize::from(!closing));
    }
}

#[test]
fn several_calls_follow_each_other() {
    let mut conversation = Conversation::new("GET");
    for body in ["a", "bb", "ccc"] {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let outcome = conversation.answer(answer.as_bytes(), 4, false);
        assert_eq!(outcome, Some(Ok((200, body.as_bytes().to_vec()))));
    }
}

#[test]
fn a_malformed_reply_is_a_protocol_error() {
    for answer in [
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n",
        "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.12 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ] {
        assert_eq!(fault_of(answer).failure, Failure::ProtocolError, "{answer}");
    }
}

#[test]
fn a_body_that_is_compressed_for_its_transfer_is_refused_by_name() {
    for coding in ["gzip", "x-gzip", "Deflate", "compress"] {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}, chunked\r\n\r\n\
             2\r\nhi\r\n0\r\n\r\n"
        );
        let fault = fault_of(&answer);
        assert_eq!(fault.failure, Failure::ProtocolError);
        let name = coding.trim_start_matches("x-").to_ascii_lowercase();
        assert!(fault.detail.contains(&name), "{}", fault.detail);
    }
}

#[test]
fn folded_lines_belong_to_their_field() {
    for head in [
        "X-A: a,\r\n  b\r\nContent-Length: 2",
        "X-A: a\r\n \t\r\nContent-Length: 2",
        "Content-Length:\r\n 2",
        "Transfer-Encoding:\r\n\tidentity,\r\n chunked",
        "Connection: keep-alive,\r\n close\r\nContent-Length: 2",
    ] {
        let mut conversation = Conversation::new("GET");
        let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\nok");
        let answered = conversation.answer(answer.as_bytes(), answer.len(), false);
        match head.contains("identity") {
            true => assert!(answered.unwrap().is_err(), "{head}"),
            false => assert_eq!(answered, Some(Ok((200, b"ok".to_vec()))), "{head}"),
        }
        assert_eq!(conversation.codec.closing, head.contains("close"), "{head}");
        body_of(&format!("HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n{KEPT}"));
    }
}

const KEPT: &str = "Content-Length: 2\r\n\r\nok";

#[test]
fn a_captured_value_has_spaces_instead_of_folds() {
    let mut look = Look::for_texts(&[], 1 << 20);
    look.headers = vec!["x-a".into()];
    let mut found = Vec::new();
    let head = "HTTP/1.2 200 OK\r\nX-A: a, \r\n  b\r\n\tc\r\nContent-Length: 2\r\n\r\n";
    head::find(head.as_bytes(), &look, &mut found);
    assert_eq!(found, [("x-a".to_string(), b"a, b c".to_vec())]);
}

#[test]
fn later_minor_versions_are_read_as_the_known_one() {
    for version in 2..=9 {
        let answer = format!("HTTP/1.{version} 200 OK\r\n{KEPT}");
        assert_eq!(body_of(&answer), (200, "ok".into()));
    }
}

#[test]
fn trailers_are_limited_as_headers_are() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n";
    let answer = |trailers: &str| {
        let answer = [head, trailers, "\r\n"].concat();
        Conversation::new("GET").answer(answer.as_bytes(), 100_000, false)
    };
    let line = format!("x: {}\r\n", "y".repeat(1019));
    let ok = Some(Ok((200, b"ok".to_vec())));
    assert_eq!(answer(&line.repeat(255)), ok);
    let long = format!("x: {}\r\n", "y".repeat(200_000));
    assert_eq!(answer(&long), ok);
    for endless in [line.repeat(300), long.repeat(2)] {
        let fault = answer(&endless).unwrap().unwrap_err();
        assert_eq!(fault.failure, Failure::Oversized);
    }
}

#[test]
fn a_grpc_status_is_a_number_of_16_bits_or_none() {
    for (status, expected) in [("7 ", Some(7)), ("65536", None), ("x", None)] {
        let text = format!("HTTP/1.1 200 OK\r\nGrpc-Status: {status}\r\nContent-Length: 0\r\n\r\n");
        let parsed = Heads::default().read(text.as_bytes(), false, true);
        let Ok(Parsed::Final(parsed)) = parsed else {
            panic!("{parsed:?}");
        };
        assert_eq!(parsed.meaning.grpc_status, expected, "{status}");
    }
}

#[test]
fn a_reply_that_is_too_large_is_refused() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_string(),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n".to_string(),
        format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(200)),
    ] {
        let outcome = Conversation::new("GET").answer(answer.as_bytes(), 100_000, false);
        assert_eq!(outcome.unwrap().unwrap_err().failure, Failure::Oversized);
    }
}

#[test]
fn bytes_without_a_request_break_the_connection() {
    let mut conversation = Conversation::new("GET");
    for (mut input, expected) in [
        (&b"HTTP/1.1 200 OK\r\n\r\n"[..], Failure::ProtocolError),
        // So may a server close an idle connection.
        (
            b"HTTP/1.1 408 Request Timeout\r\n\r\n",
            Failure::ClosedEarly,
        ),
    ] {
        let step = conversation.codec.step(
            &conversation.script,
            &mut input,
            &mut Arrival::at(0),
            &mut Vec::new(),
        );
        let Step::Broken(fault) = step else {
            panic!("{step:?}");
        };
        assert_eq!(fault.failure, expected);
    }
}

#[test]
fn an_abandoned_call_closes_the_connection() {
    let mut conversation = Conversation::new("GET");
    conversation
        .codec
        .start(&conversation.script, Start::new(1, 0), &mut Vec::new());
    assert!(!conversation.codec.abandon(1, &mut Vec::new()));
    assert_eq!(conversation.codec.take_call(), None);
}

#[test]
fn a_repeated_or_similar_head_is_parsed_correctly() {
    let mut conversation = Conversation::new("GET");
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    let longer = "HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\nhi there, and good bye now";
    let other = "HTTP/1.1 404 OK\r\nContent-Length: 2\r\n\r\nhi";
    for answer in [ok, ok, other, other, ok, &longer[..longer.len() - 1], ok] {
        for piece in [1, 7, answer.len()] {
            let again = conversation.answer(answer.as_bytes(), piece, false);
            assert_eq!(again, outcome_of("GET", answer.as_bytes(), false));
        }
    }
    // The same head with no body behind it: it answers HEAD.
    let mut codec = conversation.codec;
    let script = Http1::script(&endpoint(), &REUSED, &[request("HEAD", b"")]);
    codec.start(&script, Start::new(5, 0), &mut Vec::new());
    let head = &ok[..ok.len() - 2];
    let step = codec.step(
        &script,
        &mut head.as_bytes(),
        &mut Arrival::at(0),
        &mut Vec::new(),
    );
    assert_eq!(outcome(step), Some(Ok((200, Vec::new()))));
}
