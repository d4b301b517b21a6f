use super::frame::{flag, kind};
use super::*;
use crate::job::{Expectation, TransportKind};
use crate::transport::grpc::Grpc;

fn target() -> Target {
    Target {
        transport: TransportKind::Http2,
        address: ([127, 0, 0, 1], 80).into(),
        authority: "example".into(),
        path: "/".into(),
        headers: vec![],
    }
}

fn request(body: &[u8]) -> Request {
    Request {
        method: "POST".into(),
        path: "/a".into(),
        headers: vec![("X-Name".into(), "value".into())],
        body: body.to_vec(),
        binary: false,
        expect: Expectation::default(),
    }
}

const CONNECTIONS: Connections = Connections {
    count: 1,
    streams_per_connection: 4,
    reuse: true,
    connect_timeout_ms: 1,
    request_timeout_ms: 1,
};

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::write_header(&mut out, payload.len(), kind, flags, stream);
    out.extend_from_slice(payload);
    out
}

/// A client's side of a connection, with the server played by hand.
struct Client<C: Codec> {
    codec: C,
    script: C::Script,
    out: Vec<u8>,
}

#[derive(Debug, PartialEq)]
enum Came {
    Opened,
    Reply(u32, u16, Vec<u8>),
    Failed(u32, Failure),
    Broken(Failure),
}

impl<C: Codec> Client<C> {
    fn new(body: &[u8]) -> Self {
        let script = C::script(&target(), &CONNECTIONS, &[request(body)]);
        let mut codec = C::new(4, 0);
        let mut out = Vec::new();
        assert!(!codec.open(&script, &mut out));
        assert!(out.starts_with(frame::PREFACE));
        assert_eq!(codec.capacity(), 0);
        out.clear();
        Self { codec, script, out }
    }

    fn opened(body: &[u8]) -> Self {
        let mut client = Self::new(body);
        assert_eq!(
            client.receive(&frame(kind::SETTINGS, 0, 0, &[])),
            [Came::Opened]
        );
        assert_eq!(client.sent(), [(kind::SETTINGS, flag::ACK, 0, vec![])]);
        client
    }

    fn start(&mut self, call: u32) {
        self.codec.start(&self.script, call, 0, &mut self.out);
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<Came> {
        let mut input = bytes;
        let mut came = Vec::new();
        loop {
            came.push(
                match self.codec.step(&self.script, &mut input, 7, &mut self.out) {
                    Step::NeedInput => return came,
                    Step::Opened => Came::Opened,
                    Step::Replied { call, reply } => {
                        assert_eq!(reply.first_byte, 7);
                        Came::Reply(call, reply.status, reply.body.to_vec())
                    }
                    Step::Failed { call, fault } => Came::Failed(call, fault.failure),
                    Step::Broken(fault) => {
                        came.push(Came::Broken(fault.failure));
                        return came;
                    }
                },
            );
        }
    }

    /// The frames that have been sent since the last look.
    fn sent(&mut self) -> Vec<(u8, u8, u32, Vec<u8>)> {
        let bytes = std::mem::take(&mut self.out);
        let mut input = bytes.as_slice();
        let mut frames = Vec::new();
        while let Some(frame) = Frame::take(&mut input).unwrap() {
            frames.push((
                frame.kind,
                frame.flags,
                frame.stream,
                frame.payload.to_vec(),
            ));
        }
        assert!(input.is_empty());
        frames
    }
}

use super::frame::Frame;

const STATUS_200: &[u8] = &[0x88];
const STATUS_404: &[u8] = &[0x8d];
const HEADERS: u8 = flag::END_HEADERS;
const LAST_HEADERS: u8 = flag::END_HEADERS | flag::END_STREAM;

fn data_lengths(frames: &[(u8, u8, u32, Vec<u8>)]) -> Vec<usize> {
    frames
        .iter()
        .filter(|it| it.0 == kind::DATA)
        .map(|it| it.3.len())
        .collect()
}

#[test]
fn calls_are_answered_in_any_order() {
    let mut client = Client::<Http2<Plain>>::opened(b"question");
    assert_eq!(client.codec.capacity(), 4);
    client.start(10);
    client.start(20);
    let kinds: Vec<_> = client.sent().iter().map(|it| (it.0, it.1, it.2)).collect();
    let expected = [
        (kind::HEADERS, HEADERS, 1),
        (kind::DATA, flag::END_STREAM, 1),
        (kind::HEADERS, HEADERS, 3),
        (kind::DATA, flag::END_STREAM, 3),
    ];
    assert_eq!(kinds, expected);
    let answer = [
        frame(kind::HEADERS, HEADERS, 3, STATUS_200),
        frame(kind::HEADERS, LAST_HEADERS, 1, STATUS_404),
        frame(kind::DATA, 0, 3, b"ans"),
        frame(kind::DATA, flag::END_STREAM, 3, b"wer"),
    ];
    let came = client.receive(&answer.concat());
    assert_eq!(
        came,
        [
            Came::Reply(10, 404, vec![]),
            Came::Reply(20, 200, b"answer".to_vec())
        ]
    );
    assert!(client.codec.is_idle() && !client.codec.is_closing());
}

#[test]
fn frames_in_pieces_wait_for_their_rest() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, STATUS_200),
        frame(kind::DATA, flag::END_STREAM, 1, b"answer"),
    ]
    .concat();
    let mut pending = Vec::new();
    for &byte in &answer[..answer.len() - 1] {
        pending.push(byte);
        let mut input = pending.as_slice();
        assert_eq!(
            client
                .codec
                .step(&client.script, &mut input, 7, &mut client.out),
            Step::NeedInput
        );
        pending = input.to_vec();
    }
    pending.push(answer[answer.len() - 1]);
    assert_eq!(
        client.receive(&pending),
        [Came::Reply(1, 200, b"answer".to_vec())]
    );
}

#[test]
fn padding_priority_and_continuations_are_understood() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    let padded = flag::PADDED | flag::PRIORITY;
    let answer = [
        frame(
            kind::HEADERS,
            padded,
            1,
            &[2, 0, 0, 0, 0, 0, 0x88, 0x40, 0, 0],
        ),
        frame(kind::CONTINUATION, 0, 1, &[1, b'a']),
        frame(kind::CONTINUATION, flag::END_HEADERS, 1, &[1, b'b']),
        frame(
            kind::DATA,
            flag::PADDED | flag::END_STREAM,
            1,
            &[3, b'h', b'i', 0, 0, 0],
        ),
    ];
    assert_eq!(
        client.receive(&answer.concat()),
        [Came::Reply(1, 200, b"hi".to_vec())]
    );
}

#[test]
fn interim_responses_and_trailers_are_understood() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, b"\x08\x03103"),
        frame(kind::HEADERS, HEADERS, 1, STATUS_200),
        frame(kind::DATA, 0, 1, b"x"),
        frame(kind::HEADERS, LAST_HEADERS, 1, b"\x00\x01t\x01v"),
    ];
    assert_eq!(
        client.receive(&answer.concat()),
        [Came::Reply(1, 200, b"x".to_vec())]
    );
}

#[test]
fn bodies_keep_within_the_windows() {
    let body = vec![7; 100_000];
    let mut client = Client::<Http2<Plain>>::opened(&body);
    client.start(1);
    assert_eq!(
        data_lengths(&client.sent()),
        [16_384, 16_384, 16_384, 16_383]
    );
    // More for the stream alone is of no use while the connection's window is empty.
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 1, &100_000u32.to_be_bytes()));
    assert!(data_lengths(&client.sent()).is_empty());
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 0, &10u32.to_be_bytes()));
    assert_eq!(data_lengths(&client.sent()), [10]);
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 0, &100_000u32.to_be_bytes()));
    let frames = client.sent();
    assert_eq!(
        data_lengths(&frames).iter().sum::<usize>(),
        100_000 - 65_535 - 10
    );
    assert_eq!(frames.last().unwrap().1, flag::END_STREAM);
}

#[test]
fn settings_change_the_windows_of_open_streams() {
    let mut client = Client::<Http2<Plain>>::new(&[7; 1000]);
    client.receive(&frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 100]));
    client.sent();
    client.start(1);
    assert_eq!(data_lengths(&client.sent()), [100]);
    client.receive(&frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 0, 1, 0]));
    assert_eq!(data_lengths(&client.sent()), [156]);
    client.receive(&frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]));
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 1, &200u32.to_be_bytes()));
    assert!(
        data_lengths(&client.sent()).is_empty(),
        "256 too many were allowed before"
    );
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 1, &57u32.to_be_bytes()));
    assert_eq!(data_lengths(&client.sent()), [1]);
}

#[test]
fn the_server_limits_the_number_of_streams() {
    let mut client = Client::<Http2<Plain>>::new(b"");
    client.receive(&frame(kind::SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 2]));
    assert_eq!(client.codec.capacity(), 2);
    client.start(1);
    client.start(2);
    assert_eq!(client.codec.capacity(), 0);
}

#[test]
fn the_server_gets_new_window_in_time() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    client.sent();
    client.receive(&frame(kind::HEADERS, HEADERS, 1, STATUS_200));
    let data = frame(kind::DATA, 0, 1, &[0; 16_384]);
    let mut granted = 0;
    for _ in 0..1024 {
        client.receive(&data);
        let updates = client.sent();
        let for_stream = updates
            .iter()
            .filter(|it| it.0 == kind::WINDOW_UPDATE && it.2 == 1);
        granted += for_stream
            .map(|it| u32::from_be_bytes(*it.3.first_chunk().unwrap()))
            .sum::<u32>();
    }
    assert_eq!(granted, 16 << 20);
}

#[test]
fn pings_are_answered() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.receive(&frame(kind::PING, 0, 0, b"12345678"));
    assert_eq!(
        client.sent(),
        [(kind::PING, flag::ACK, 0, b"12345678".to_vec())]
    );
    client.receive(&frame(kind::PING, flag::ACK, 0, b"12345678"));
    assert_eq!(client.sent(), []);
}

#[test]
fn a_reset_stream_fails_alone() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    client.start(2);
    let came = client.receive(&frame(kind::RST_STREAM, 0, 1, &7u32.to_be_bytes()));
    assert_eq!(came, [Came::Failed(1, Failure::StreamReset)]);
    assert_eq!(client.codec.capacity(), 3);
    let late = frame(kind::DATA, 0, 1, b"late");
    assert_eq!(client.receive(&late), []);
    let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 3, STATUS_200));
    assert_eq!(came, [Came::Reply(2, 200, vec![])]);
}

#[test]
fn goaway_ends_what_the_server_has_not_looked_at() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    for call in 1..=3 {
        client.start(call);
    }
    let mut came = client.receive(&frame(kind::GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]));
    came.sort_by_key(|came| format!("{came:?}"));
    assert_eq!(
        came,
        [
            Came::Failed(2, Failure::Goaway),
            Came::Failed(3, Failure::Goaway)
        ]
    );
    assert!(client.codec.is_closing() && !client.codec.is_idle());
    assert_eq!(client.codec.capacity(), 0);
    let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, STATUS_200));
    assert_eq!(came, [Came::Reply(1, 200, vec![])]);
    assert!(client.codec.is_idle());
}

#[test]
fn an_abandoned_call_is_reset_and_its_answer_ignored() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    client.sent();
    assert!(client.codec.abandon(1, &mut client.out));
    let reset = (
        kind::RST_STREAM,
        0,
        1,
        frame::error::CANCEL.to_be_bytes().to_vec(),
    );
    assert_eq!(client.sent(), [reset]);
    assert_eq!(
        client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, STATUS_200)),
        []
    );
    assert!(client.codec.is_idle());
}

#[test]
fn an_early_answer_stops_the_question() {
    let mut client = Client::<Http2<Plain>>::opened(&[0; 100_000]);
    client.start(1);
    client.sent();
    let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, STATUS_404));
    assert_eq!(came, [Came::Reply(1, 404, vec![])]);
    assert_eq!(client.sent()[0].0, kind::RST_STREAM);
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 0, &100_000u32.to_be_bytes()));
    assert!(data_lengths(&client.sent()).is_empty());
}

#[test]
fn long_headers_are_continued() {
    let mut long = request(b"");
    long.headers = (0..30)
        .map(|number| (format!("x-{number}"), "\u{7f}~".repeat(1000)))
        .collect();
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.script = Http2::<Plain>::script(&target(), &CONNECTIONS, &[long]);
    client.codec.open(&client.script, &mut Vec::new());
    client.receive(&frame(kind::SETTINGS, 0, 0, &[]));
    client.sent();
    client.start(1);
    let frames = client.sent();
    let shape: Vec<_> = frames.iter().map(|it| (it.0, it.1)).collect();
    assert_eq!(shape[0], (kind::HEADERS, flag::END_STREAM));
    assert_eq!(
        *shape.last().unwrap(),
        (kind::CONTINUATION, flag::END_HEADERS)
    );
    assert!(frames.iter().all(|it| it.3.len() <= 16_384));
    let block: Vec<u8> = frames.into_iter().flat_map(|it| it.3).collect();
    let mut fields = 0;
    Decoder::new().decode(&block, |_, _| fields += 1).unwrap();
    assert_eq!(fields, 4 + 30);
}

#[test]
fn violations_break_the_connection() {
    for bytes in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        frame(kind::DATA, 0, 1, b"nobody asked"),
        frame(kind::DATA, 0, 3, b"nobody asked"),
        frame(kind::HEADERS, HEADERS, 2, STATUS_200),
        frame(kind::HEADERS, HEADERS, 1, &[0x80]),
        frame(kind::HEADERS, flag::PADDED, 1, &[9, 0x88]),
        frame(kind::CONTINUATION, 0, 1, &[]),
        [
            frame(kind::HEADERS, 0, 1, STATUS_200),
            frame(kind::PING, 0, 0, &[0; 8]),
        ]
        .concat(),
        frame(kind::PUSH_PROMISE, flag::END_HEADERS, 1, &[0, 0, 0, 2]),
        frame(kind::PING, 0, 0, b"short"),
        frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 0]),
        frame(kind::SETTINGS, 0, 0, &[0, 4, 255, 255, 255, 255]),
        frame(kind::SETTINGS, 0, 0, &[0, 5, 0, 0, 0, 1]),
        frame(kind::WINDOW_UPDATE, 0, 0, &[0, 0, 0, 0]),
        frame(kind::WINDOW_UPDATE, 0, 0, &[0x7f, 255, 255, 255]),
        frame(kind::RST_STREAM, 0, 1, &[0]),
        frame(kind::GOAWAY, 0, 0, &[0; 7]),
    ] {
        let mut client = Client::<Http2<Plain>>::opened(b"");
        client.start(1);
        let came = client.receive(&bytes);
        assert_eq!(came, [Came::Broken(Failure::ProtocolError)], "{bytes:?}");
        assert_eq!(client.codec.take_call(), Some(1));
        assert_eq!(client.codec.take_call(), None);
    }
    let mut client = Client::<Http2<Plain>>::new(b"");
    let early = frame(kind::PING, 0, 0, &[0; 8]);
    assert_eq!(
        client.receive(&early),
        [Came::Broken(Failure::ProtocolError)]
    );
}

#[test]
fn announced_lengths_must_be_kept() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, b"\x88\x0f\x0d\x015"),
        frame(kind::DATA, flag::END_STREAM, 1, b"hi"),
    ];
    assert_eq!(
        client.receive(&answer.concat()),
        [Came::Failed(1, Failure::ProtocolError)]
    );
}

#[test]
fn grpc_status_comes_from_the_trailers() {
    let mut client = Client::<Grpc>::opened(b"\x08\x01");
    client.start(1);
    assert_eq!(client.sent()[1].3, [0, 0, 0, 0, 2, 8, 1]);
    let content_type = b"\x88\x0f\x10\x10application/grpc";
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, content_type),
        frame(kind::DATA, 0, 1, &[0, 0, 0, 0, 1]),
        frame(kind::DATA, 0, 1, b"m"),
        frame(kind::HEADERS, LAST_HEADERS, 1, b"\x00\x0bgrpc-status\x010"),
    ];
    assert_eq!(
        client.receive(&answer.concat()),
        [Came::Reply(1, 0, b"m".to_vec())]
    );
    client.start(2);
    let trailers_only = [content_type.as_slice(), b"\x00\x0bgrpc-status\x015"].concat();
    let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 3, &trailers_only));
    assert_eq!(came, [Came::Reply(2, 5, vec![])]);
}
