use super::*;
use crate::job::{self, Stream, TransportKind, example};

const STREAMS: u32 = 3;

fn endpoint() -> Endpoint {
    Endpoint {
        path: "/ws".into(),
        headers: vec![("Sec-WebSocket-Protocol".into(), "games".into())],
        ..example::endpoint(TransportKind::Websocket)
    }
}

fn request(body: &[u8], binary: bool) -> Request {
    Request {
        method: "GET".into(),
        path: "/".into(),
        headers: vec![],
        body: body.to_vec(),
        binary,
        ..Request::default()
    }
}

const CONNECTIONS: Connections = example::connections(STREAMS);

struct Client {
    codec: Websocket,
    script: Script,
    out: Vec<u8>,
}

#[derive(Debug, PartialEq)]
enum Came {
    Opened,
    Reply(u32, Vec<u8>),
    Broken(Failure),
}

impl Client {
    fn new(body: &[u8]) -> Self {
        Self::greeted(body, 0)
    }

    fn greeted(body: &[u8], greetings: u32) -> Self {
        let endpoint = Endpoint {
            greetings,
            ..endpoint()
        };
        Self::of(&endpoint, &[request(body, false), request(body, true)])
    }

    fn of(endpoint: &Endpoint, requests: &[Request]) -> Self {
        let script = Websocket::script(endpoint, &CONNECTIONS, requests);
        let mut codec = Websocket::new(STREAMS, 1);
        let mut out = Vec::new();
        assert!(!codec.open(&script, &mut out));
        Self { codec, script, out }
    }

    fn opened(body: &[u8]) -> Self {
        let mut client = Self::new(body);
        let answer = client.answer();
        assert_eq!(client.receive(answer.as_bytes()), [Came::Opened]);
        client.out.clear();
        client
    }

    /// The right answer to the handshake that has been sent.
    fn answer(&self) -> String {
        let head = String::from_utf8(self.out.clone()).unwrap();
        let key = head.split("Sec-WebSocket-Key: ").nth(1).unwrap().trim();
        format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\n\
             connection: keep-alive, Upgrade\r\nsec-websocket-accept: {}\r\n\r\n",
            handshake::accept(key)
        )
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<Came> {
        let mut input = bytes;
        let mut came = Vec::new();
        loop {
            came.push(
                match self
                    .codec
                    .step(&self.script, &mut input, &mut Arrival::at(7), &mut self.out)
                {
                    Step::NeedInput => return came,
                    Step::Opened => Came::Opened,
                    Step::Replied { call, reply } => Came::Reply(call, reply.body.to_vec()),
                    Step::Broken(fault) => {
                        came.push(Came::Broken(fault.failure));
                        return came;
                    }
                    other => panic!("{other:?}"),
                },
            );
        }
    }

    fn start(&mut self, call: u32, request: u32) {
        self.codec
            .start(&self.script, Start::new(call, request), &mut self.out);
    }

    /// The frames that have been sent, unmasked.
    fn sent(&mut self) -> Vec<(u8, Vec<u8>)> {
        let bytes = std::mem::take(&mut self.out);
        let mut frames = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (length, header) = match rest[1] & 127 {
                126 => (usize::from(u16::from_be_bytes([rest[2], rest[3]])), 4),
                127 => (
                    u64::from_be_bytes(rest[2..10].try_into().unwrap()) as usize,
                    10,
                ),
                short => (usize::from(short), 2),
            };
            assert_eq!(
                (rest[0] & 0x80, rest[1] & 0x80),
                (0x80, 0x80),
                "final and masked"
            );
            let mask = &rest[header..header + 4];
            let payload = &rest[header + 4..header + 4 + length];
            let unmasked = payload
                .iter()
                .zip(mask.iter().cycle())
                .map(|(a, b)| a ^ b)
                .collect();
            frames.push((rest[0] & 15, unmasked));
            rest = &rest[header + 4 + length..];
        }
        frames
    }
}

/// A frame of the server's.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        length if length < 126 => frame.push(length as u8),
        length if length < 65_536 => {
            frame.push(126);
            frame.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            frame.push(127);
            frame.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(payload);
    frame
}

const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;

#[test]
fn the_accept_value_is_that_of_the_specification() {
    assert_eq!(
        handshake::accept("dGhlIHNhbXBsZSBub25jZQ=="),
        "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    );
}

#[test]
fn the_handshake_is_a_request_with_a_fresh_key() {
    let client = Client::new(b"");
    let head = String::from_utf8(client.out).unwrap();
    assert!(
        head.starts_with("GET /ws HTTP/1.1\r\nHost: example\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nSec-WebSocket-Protocol: games\r\n") && head.ends_with("\r\n\r\n"));
    let mut again = Vec::new();
    let mut other = Websocket::new(STREAMS, 2);
    other.open(&client.script, &mut again);
    assert_ne!(head.into_bytes(), again);
}

#[test]
fn an_answer_in_pieces_opens() {
    let mut client = Client::new(b"");
    let answer = client.answer().into_bytes();
    for end in 1..answer.len() {
        assert_eq!(client.receive(&answer[..end]), []);
    }
    assert_eq!(client.codec.capacity(), 0);
    assert_eq!(client.receive(&answer), [Came::Opened]);
    assert_eq!(client.codec.capacity(), STREAMS as usize);
}

#[test]
fn a_wrong_answer_does_not_open() {
    let right = Client::new(b"").answer();
    for wrong in [
        right.replace("101", "200"),
        right.replace("101", "404"),
        right.replace("WebSocket", "h2c"),
        right.replace("keep-alive, Upgrade", "close"),
        right.replace("accept: ", "accept: x"),
        right.replace(
            "\r\n\r\n",
            "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        ),
        "SSH-2.0\r\n\r\n".into(),
    ] {
        let came = Client::new(b"").receive(wrong.as_bytes());
        assert_eq!(came, [Came::Broken(Failure::HandshakeFailed)], "{wrong}");
    }
}

#[test]
fn messages_of_every_length_arrive_unchanged() {
    for length in [0, 1, 7, 125, 126, 65_535, 65_536, 100_001] {
        let body: Vec<u8> = (0..length).map(|index| (index % 128) as u8).collect();
        let mut client = Client::opened(&body);
        client.start(1, 0);
        client.start(2, 1);
        assert_eq!(
            client.sent(),
            [(opcode::TEXT, body.clone()), (opcode::BINARY, body.clone())]
        );
        let came = client.receive(&[frame(TEXT, &body), frame(TEXT, b"")].concat());
        assert_eq!(came, [Came::Reply(1, body), Came::Reply(2, vec![])]);
    }
}

#[test]
fn each_frame_has_its_own_mask() {
    let mut client = Client::opened(b"the same message");
    client.start(1, 0);
    client.start(2, 0);
    let (first, second) = client.out.split_at(client.out.len() / 2);
    assert_ne!(first, second);
}

#[test]
fn fragments_are_put_together_around_a_ping() {
    let mut client = Client::opened(b"");
    client.start(1, 0);
    client.sent();
    let answer = [
        frame(0x01, b"wire"),
        frame(PING, b"there?"),
        frame(0x00, b"l"),
        frame(0x80, b"ab"),
    ];
    let bytes = answer.concat();
    assert_eq!(
        client.receive(&bytes),
        [Came::Reply(1, b"wirelab".to_vec())]
    );
    assert_eq!(client.sent(), [(opcode::PONG, b"there?".to_vec())]);
}

#[test]
fn frames_in_pieces_wait_for_their_rest() {
    let mut client = Client::opened(b"");
    client.start(1, 0);
    let answer = frame(TEXT, &[b'x'; 300]);
    for end in 0..answer.len() {
        assert_eq!(client.receive(&answer[..end]), []);
    }
    let mut input = answer.as_slice();
    let step = client.codec.step(
        &client.script,
        &mut input,
        &mut Arrival::at(99),
        &mut client.out,
    );
    let Step::Replied { reply, .. } = step else {
        panic!("{step:?}")
    };
    assert_eq!(
        (reply.first_byte, reply.bytes_received as usize),
        (7, answer.len())
    );
}

#[test]
fn a_close_is_answered() {
    let mut client = Client::opened(b"");
    assert_eq!(
        client.receive(&frame(CLOSE, &[3, 233, b'b', b'y', b'e'])),
        []
    );
    assert_eq!(client.sent(), [(opcode::CLOSE, vec![3, 233])]);
    assert!(client.codec.is_closing() && client.codec.is_idle());
    assert_eq!(client.codec.capacity(), 0);

    let mut client = Client::opened(b"");
    client.start(1, 0);
    assert_eq!(
        client.receive(&frame(CLOSE, &[])),
        [Came::Broken(Failure::ClosedEarly)]
    );
}

#[test]
fn a_close_frame_is_sent_once() {
    let mut client = Client::opened(b"");
    for _ in 0..2 {
        client.codec.close(&mut client.out);
    }
    assert_eq!(client.sent(), [(opcode::CLOSE, vec![3, 232])]);
}

#[test]
fn a_surplus_message_breaks_the_connection_whenever_it_comes() {
    let (answer, surplus) = (frame(TEXT, b"yes"), frame(TEXT, b"and more"));
    let reply = Came::Reply(1, b"yes".to_vec());
    let broken = Came::Broken(Failure::ProtocolError);

    let mut client = Client::opened(b"");
    client.start(1, 0);
    let between = [answer.clone(), frame(PING, b"?"), surplus.clone()].concat();
    assert_eq!(client.receive(&between), [reply, broken]);
    assert_eq!((client.codec.capacity(), client.codec.is_idle()), (0, true));

    let mut client = Client::opened(b"");
    client.start(1, 0);
    let reply = Came::Reply(1, b"yes".to_vec());
    assert_eq!(client.receive(&answer), [reply]);
    let broken = Came::Broken(Failure::ProtocolError);
    assert_eq!(client.receive(&surplus), [broken]);
}

#[test]
fn a_greeting_is_no_answer() {
    let mut client = Client::new(b"");
    let bytes = [client.answer().as_bytes(), &frame(TEXT, b"welcome")].concat();
    let expected = [Came::Opened, Came::Broken(Failure::ProtocolError)];
    assert_eq!(client.receive(&bytes), expected);
    assert_eq!(client.codec.capacity(), 0);
}

#[test]
fn expected_greetings_come_before_the_first_call() {
    for piece in [1, 7, 1_000] {
        let mut client = Client::greeted(b"", 2);
        let greetings = [frame(0x01, b"wel"), frame(0x80, b"come"), frame(TEXT, b"2")];
        let bytes = [client.answer().as_bytes(), &greetings.concat()].concat();
        let mut pending = Vec::new();
        let mut came = Vec::new();
        for bytes in bytes.chunks(piece) {
            assert_eq!((client.codec.capacity(), &came), (0, &vec![]));
            pending.extend_from_slice(bytes);
            let mut input = pending.as_slice();
            let step = client.codec.step(
                &client.script,
                &mut input,
                &mut Arrival::at(7),
                &mut client.out,
            );
            came.extend((step == Step::Opened).then_some(Came::Opened));
            pending = input.to_vec();
        }
        assert_eq!(came, [Came::Opened]);
        client.start(1, 0);
        let reply = Came::Reply(1, b"yes".to_vec());
        assert_eq!(client.receive(&frame(TEXT, b"yes")), [reply]);
    }
}

#[test]
fn streams_end_with_a_text_and_begin_after_the_subscription_is_answered() {
    let subscribe = job::Message {
        body: b"init".to_vec(),
        binary: false,
        answers: 1,
    };
    let endpoint = Endpoint {
        greetings: 1,
        subscribe: Some(subscribe),
        ..endpoint()
    };
    let stream = Stream {
        until_texts: vec!["\"end\"".into(), "\"error\"".into()],
        ..Stream::default()
    };
    let request = Request {
        stream: Some(stream),
        ..request(b"go", false)
    };
    let mut client = Client::of(&endpoint, &[request]);
    let greeted = [client.answer().as_bytes(), &frame(TEXT, b"hello")].concat();
    client.out.clear();
    assert_eq!(client.receive(&greeted), []);
    assert_eq!(client.sent(), [(opcode::TEXT, b"init".to_vec())]);
    assert_eq!(client.codec.capacity(), 0);
    assert_eq!(client.receive(&frame(TEXT, b"ack")), [Came::Opened]);
    for end in ["{\"end\":2}", "{\"error\":1}"] {
        client.start(1, 0);
        let (head, tail) = end.as_bytes().split_at(4);
        let frames = [
            frame(TEXT, b"end"),
            frame(0x01, b"an "),
            frame(0x80, b"item"),
            frame(0x01, head),
            frame(0x80, tail),
        ];
        let body = format!("endan item{end}").into_bytes();
        let mut input: &[u8] = &frames.concat();
        let mut at = Arrival::at(7);
        let step = client
            .codec
            .step(&client.script, &mut input, &mut at, &mut client.out);
        let Step::Replied { reply, .. } = step else {
            panic!("{step:?}")
        };
        assert_eq!((reply.items.count, reply.body), (2, body.as_slice()));
    }
}

#[test]
fn a_message_instead_of_the_end_is_a_violation() {
    let mut client = Client::opened(b"");
    assert!(client.codec.close(&mut client.out));
    assert!(client.codec.awaits_end() && !client.codec.is_closing());
    let came = client.receive(&frame(TEXT, b"late"));
    assert_eq!(came, [Came::Broken(Failure::ProtocolError)]);

    let mut client = Client::opened(b"");
    client.codec.close(&mut client.out);
    client.sent();
    assert_eq!(client.receive(&frame(CLOSE, &[3, 232])), []);
    assert!(client.codec.is_closing() && !client.codec.awaits_end());
    assert_eq!(client.sent(), [], "both have said it");
}

#[test]
fn violations_break_the_connection() {
    for bytes in [
        frame(0xc1, b"compressed"),
        vec![0x81, 0x81, 1, 2, 3, 4, 5],
        frame(0x83, b"unknown kind"),
        frame(0x80, b"continues nothing"),
        [frame(0x01, b"a"), frame(0x81, b"b")].concat(),
        frame(0x09, b"ping in fragments"),
        frame(PING, &[0; 126]),
    ] {
        let mut client = Client::opened(b"");
        client.start(1, 0);
        assert_eq!(
            client.receive(&bytes),
            [Came::Broken(Failure::ProtocolError)],
            "{bytes:?}"
        );
        assert_eq!(client.codec.take_call().map(|lost| lost.call), Some(1));
    }
    let huge = [0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0];
    assert_eq!(
        Client::opened(b"").receive(&huge),
        [Came::Broken(Failure::Oversized)]
    );
    let unasked = frame(TEXT, b"hello");
    assert_eq!(
        Client::opened(b"").receive(&unasked),
        [Came::Broken(Failure::ProtocolError)]
    );
}
