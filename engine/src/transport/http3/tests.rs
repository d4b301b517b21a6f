use super::*;
use crate::fuzzing::allowed;
use crate::job::{ItemKind, Stream, TransportKind, example};

fn endpoint() -> Endpoint {
    example::endpoint(TransportKind::Http3)
}

const CONNECTIONS: Connections = example::connections(2);

fn script() -> Script {
    script_of(None)
}

fn script_of(stream: Option<Stream>) -> Script {
    let request = Request {
        method: "GET".into(),
        path: "/x".into(),
        headers: vec![],
        stream,
        ..Request::default()
    };
    Http3::script(&endpoint(), &CONNECTIONS, &[request])
}

fn opened(script: &Script) -> Http3 {
    let mut codec = Http3::new(2, 0);
    assert!(!codec.open(script, &mut Vec::new()));
    assert_eq!(codec.capacity(), 0);
    let (row, mut out) = (allowed(100), Vec::new());
    let step = codec.step(script, &mut row.as_slice(), &mut Arrival::at(0), &mut out);
    assert_eq!(step, Step::Opened);
    assert_eq!(codec.capacity(), 2);
    codec
}

/// The frames of an answer with this body. Frames of unknown types are to be passed over.
fn frames(body: &[u8]) -> [Vec<u8>; 3] {
    let mut section = Vec::new();
    let length = body.len().to_string();
    let fields = [(":status", "200"), ("content-length", length.as_str())];
    qpack::encode(&fields, &mut section);
    let frames: [(u64, &[u8]); 3] = [
        (frame::HEADERS, &section),
        (0x21, b"grease"),
        (frame::DATA, body),
    ];
    frames.map(|(kind, payload)| {
        let mut bytes = Vec::new();
        frame::write(&mut bytes, kind, payload);
        bytes
    })
}

/// The bytes of an answer with this body.
fn answer(body: &[u8]) -> Vec<u8> {
    frames(body).concat()
}

fn row(stream: u64, kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let mut row = Vec::new();
    Piece {
        stream,
        kind,
        bytes,
    }
    .write(&mut row);
    row
}

/// What becomes of the call on stream 0 that is given these pieces.
fn outcome(codec: &mut Http3, script: &Script, row: &[u8]) -> Result<Vec<u8>, Option<Failure>> {
    let mut input = row;
    match codec.step(script, &mut input, &mut Arrival::at(1), &mut Vec::new()) {
        Step::Replied { reply, .. } => Ok(reply.body.to_vec()),
        Step::Failed { fault, .. } | Step::Broken(fault) => Err(Some(fault.failure)),
        _ => Err(None),
    }
}

/// The error code with which these pieces end the connection. None if it stays open.
fn code(codec: &mut Http3, script: &Script, row: &[u8]) -> Option<u64> {
    let mut out = Vec::new();
    codec.start(script, Start::new(9, 0), &mut out);
    let mut input = row;
    let fault = loop {
        match codec.step(script, &mut input, &mut Arrival::at(1), &mut out) {
            Step::Broken(fault) => break fault,
            Step::Closing => {}
            _ => return None,
        }
    };
    assert_eq!(fault.failure, Failure::ProtocolError);
    // The request is no longer sent.
    let mut sent = out.as_slice();
    let close = Piece::take(&mut sent).unwrap();
    assert_eq!((close.kind, sent), (Kind::Close, &b""[..]));
    assert!(codec.take_call().is_some(), "a call is left to be failed");
    Some(close.code())
}

/// A piece of the server's control stream after its settings.
fn control(frames: &[u8]) -> Vec<u8> {
    let mut bytes = vec![frame::CONTROL as u8];
    frame::write(&mut bytes, frame::SETTINGS, &[]);
    bytes.extend_from_slice(frames);
    row(3, Kind::Part, &bytes)
}

#[test]
fn answers_may_be_cut_anywhere() {
    let script = script();
    let whole = answer(b"hello");
    for cut in 0..=whole.len() {
        let mut codec = opened(&script);
        codec.start(&script, Start::new(7, 0), &mut Vec::new());
        let (one, two) = whole.split_at(cut);
        assert_eq!(
            outcome(&mut codec, &script, &row(0, Kind::Part, one)),
            Err(None)
        );
        let reply = outcome(&mut codec, &script, &row(0, Kind::Last, two));
        assert_eq!(reply, Ok(b"hello".to_vec()), "cut at {cut}");
        assert!(codec.is_idle());
    }
}

#[test]
fn a_reset_malformed_or_oversized_answer_fails_only_its_call() {
    let script = script();
    let [headers, ..] = frames(b"hello");
    let oversized = b"\x01\xbf\xff\xff\xff";
    let cancelled = error::REQUEST_CANCELLED;
    for (kind, bytes, failure, code) in [
        (Kind::Reset, &b""[..], Failure::StreamReset, cancelled),
        (Kind::Part, oversized, Failure::Oversized, cancelled),
        (
            Kind::Last,
            &headers,
            Failure::ProtocolError,
            error::MESSAGE_ERROR,
        ),
        (
            Kind::Last,
            b"",
            Failure::ProtocolError,
            error::MESSAGE_ERROR,
        ),
    ] {
        let mut codec = opened(&script);
        codec.start(&script, Start::new(7, 0), &mut Vec::new());
        codec.start(&script, Start::new(8, 0), &mut Vec::new());
        let (row, mut out) = (row(0, kind, bytes), Vec::new());
        let step = codec.step(&script, &mut row.as_slice(), &mut Arrival::at(1), &mut out);
        let Step::Failed { call: 7, fault } = step else {
            panic!("{step:?}");
        };
        assert_eq!(fault.failure, failure);
        let reset = Piece::take(&mut out.as_slice()).unwrap();
        assert_eq!((reset.stream, reset.kind), (0, Kind::Reset));
        assert_eq!(reset.code(), u64::from(code), "{failure:?}");
        let left = codec.take_call().map(|lost| (lost.call, lost.has_begun));
        assert_eq!((left, codec.take_call()), (Some((8, false)), None));
    }
}

#[test]
fn an_answer_that_ends_within_a_frame_ends_the_connection() {
    let script = script();
    let [headers, unknown, body] = frames(b"hello");
    let ends = [headers.len(), headers.len() + unknown.len()];
    let whole = [headers, unknown, body].concat();
    for cut in 1..whole.len() {
        let mut codec = opened(&script);
        codec.start(&script, Start::new(7, 0), &mut Vec::new());
        let found = code(&mut codec, &script, &row(0, Kind::Last, &whole[..cut]));
        let expected = (!ends.contains(&cut)).then_some(error::FRAME_ERROR.into());
        assert_eq!(found, expected, "cut at {cut}");
    }
}

#[test]
fn nothing_but_unknown_frames_follows_trailers() {
    let script = script();
    let mut section = Vec::new();
    qpack::encode(&[("x-sum", "1")], &mut section);
    let mut whole = answer(b"hello");
    frame::write(&mut whole, frame::HEADERS, &section);
    frame::write(&mut whole, 0x21, b"grease");
    for (kind, payload, expected) in [
        (0x21, &b"grease"[..], Ok(b"hello".to_vec())),
        (frame::HEADERS, &section, Err(Some(Failure::ProtocolError))),
        (frame::DATA, b"more", Err(Some(Failure::ProtocolError))),
        (frame::DATA, b"", Err(Some(Failure::ProtocolError))),
    ] {
        let mut bytes = whole.clone();
        frame::write(&mut bytes, kind, payload);
        let mut codec = opened(&script);
        codec.start(&script, Start::new(7, 0), &mut Vec::new());
        let found = outcome(&mut codec, &script, &row(0, Kind::Last, &bytes));
        assert_eq!(found, expected, "{kind} {payload:?}");
    }
}

#[test]
fn frames_of_other_streams_are_not_part_of_a_response() {
    let script = script();
    for kind in [2, 3, 4, 5, 6, 7, 8, 9, 13] {
        for mut bytes in [answer(b"hello"), Vec::new()] {
            frame::write(&mut bytes, kind, b"");
            let mut codec = opened(&script);
            codec.start(&script, Start::new(7, 0), &mut Vec::new());
            let found = code(&mut codec, &script, &row(0, Kind::Part, &bytes));
            let expected = match kind {
                frame::PUSH_PROMISE => error::ID_ERROR,
                _ => error::FRAME_UNEXPECTED,
            };
            assert_eq!(found, Some(expected.into()), "{kind}");
        }
    }
}

/// Each byte in a separate piece, as after all of them at once.
#[test]
fn streams_of_the_server_may_be_cut_anywhere() {
    let script = script();
    for (bytes, expected) in [
        (&b"\0\x04\x02\x21\0\x21\x03abc\x07\x01\x08"[..], None),
        (b"\x40\0\x04\0\x07\x01\x08\x07\x01\x04", None),
        (b"\x02\x20\x20", None),
        (b"\x03\x44\x7f\x81\0\x7f\0\x40", None),
        (b"\x40\x54\x04\0\x04\0", None),
        (b"\x40\x01", Some(error::ID_ERROR)),
        (b"\0\x04\0\x07\x01\x04\x07\x01\x08", Some(error::ID_ERROR)),
        (b"\0\x04\x02\x06\x40", Some(error::FRAME_ERROR)),
        (b"\0\x40\x07", Some(error::MISSING_SETTINGS)),
        (
            b"\x03\x7f\x81\x81\0\0",
            Some(error::QPACK_DECODER_STREAM_ERROR),
        ),
    ] {
        let expected = expected.map(u64::from);
        let mut codec = opened(&script);
        assert_eq!(
            code(&mut codec, &script, &row(3, Kind::Part, bytes)),
            expected
        );
        let mut codec = opened(&script);
        let pieces = bytes.iter().flat_map(|&byte| row(3, Kind::Part, &[byte]));
        let pieces: Vec<u8> = pieces.collect();
        assert_eq!(code(&mut codec, &script, &pieces), expected, "{bytes:?}");
    }
}

#[test]
fn only_critical_streams_may_not_end() {
    let script = script();
    let closed = Some(error::CLOSED_CRITICAL_STREAM.into());
    for (bytes, expected) in [
        (&b"\0"[..], closed),
        (b"\x02", closed),
        (b"\x03", closed),
        (b"\x21", None),
        (b"\x40", None),
        (b"", None),
    ] {
        let last = row(3, Kind::Last, bytes);
        assert_eq!(code(&mut opened(&script), &script, &last), expected);
        let reset = [row(3, Kind::Part, bytes), row(3, Kind::Reset, b"")].concat();
        assert_eq!(code(&mut opened(&script), &script, &reset), expected);
    }
    // The number of the client's own control stream: the server has stopped it.
    let stopped = row(CONTROL, Kind::Reset, b"");
    assert_eq!(code(&mut opened(&script), &script, &stopped), closed);
}

#[test]
fn a_goaway_ends_later_calls_and_the_connection() {
    let script = script();
    let mut codec = opened(&script);
    codec.start(&script, Start::new(7, 0), &mut Vec::new());
    codec.start(&script, Start::new(8, 0), &mut Vec::new());
    let goaway = control(b"\x07\x01\x04");
    let step = codec.step(
        &script,
        &mut goaway.as_slice(),
        &mut Arrival::at(0),
        &mut Vec::new(),
    );
    assert_eq!(step, Step::Closing);
    let refused = outcome(&mut codec, &script, &[]);
    assert_eq!(refused, Err(Some(Failure::Goaway)));
    assert!(codec.is_closing() && codec.capacity() == 0);
    let served = outcome(&mut codec, &script, &row(0, Kind::Last, &answer(b"x")));
    assert_eq!(served, Ok(b"x".to_vec()));
}

#[test]
fn only_a_frame_of_the_control_stream_is_limited_not_a_piece() {
    let script = script();
    let mut codec = opened(&script);
    let many = control(&b"\x21\x03xxx".repeat(20_000));
    assert!(many.len() > 64 << 10);
    assert_eq!(outcome(&mut codec, &script, &many), Err(None));
    let one = row(
        3,
        Kind::Part,
        &[b"\x21\x80\x01\0\0", &[0; 65_532][..]].concat(),
    );
    let oversized = Err(Some(Failure::Oversized));
    assert_eq!(outcome(&mut codec, &script, &one), oversized);
}

#[test]
fn calls_wait_until_the_server_allows_them() {
    let script = script();
    let mut codec = Http3::new(5, 0);
    codec.open(&script, &mut Vec::new());
    let mut out = Vec::new();
    codec.step(
        &script,
        &mut allowed(2).as_slice(),
        &mut Arrival::at(0),
        &mut out,
    );
    codec.start(&script, Start::new(7, 0), &mut out);
    codec.start(&script, Start::new(8, 0), &mut out);
    assert_eq!(codec.capacity(), 0);
    let reply = outcome(&mut codec, &script, &row(0, Kind::Last, &answer(b"x")));
    assert_eq!((reply, codec.capacity()), (Ok(b"x".to_vec()), 0));
    let row = allowed(3);
    let step = codec.step(&script, &mut row.as_slice(), &mut Arrival::at(0), &mut out);
    assert_eq!(step, Step::Widened);
    assert_eq!((codec.capacity(), codec.is_closing()), (1, false));
    // In vain: there is still no more than before.
    codec.start(&script, Start::new(9, 0), &mut out);
    codec.step(
        &script,
        &mut allowed(3).as_slice(),
        &mut Arrival::at(0),
        &mut out,
    );
    assert!(codec.is_closing());
}

/// The frames of blocks of fields.
fn headers(blocks: &[&[(&str, &str)]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for fields in blocks {
        let mut section = Vec::new();
        qpack::encode(fields, &mut section);
        frame::write(&mut bytes, frame::HEADERS, &section);
    }
    bytes
}

#[test]
fn a_header_of_the_static_table_is_captured() {
    for (name, value) in [
        ("etag", "\"1\""),
        ("location", "/next"),
        ("set-cookie", "a=b"),
        ("age", "0"),
        ("vary", "origin"),
    ] {
        let mut script = script();
        script[0].look.headers = vec![name.into()];
        let mut codec = opened(&script);
        codec.start(&script, Start::new(7, 0), &mut Vec::new());
        let bytes = headers(&[&[(":status", "200"), (name, value)]]);
        let row = row(0, Kind::Last, &bytes);
        let step = codec.step(
            &script,
            &mut row.as_slice(),
            &mut Arrival::at(1),
            &mut Vec::new(),
        );
        let Step::Replied { reply, .. } = step else {
            panic!("{step:?}");
        };
        assert_eq!(
            reply.headers,
            [(name.to_string(), value.as_bytes().to_vec())]
        );
    }
}

#[test]
fn malformed_messages_fail_their_call() {
    let script = script();
    let status: &[_] = &[(":status", "200")];
    for (blocks, is_valid) in [
        (&[status][..], true),
        (&[&[(":status", "304"), ("content-length", "9")]], true),
        (&[&[(":status", "200"), ("content-length", "9")]], false),
        (&[status, &[("t", "v")]], true),
        (&[status, status], false),
        (&[status, &[("t", "v"), (":status", "200")]], false),
        (&[&[(":status", "103")]], false),
        (
            &[&[(":status", "103"), ("content-length", "9")], status],
            true,
        ),
    ] {
        let mut codec = opened(&script);
        codec.start(&script, Start::new(7, 0), &mut Vec::new());
        let bytes = headers(blocks);
        let expected = match is_valid {
            true => Ok(Vec::new()),
            false => Err(Some(Failure::ProtocolError)),
        };
        let found = outcome(&mut codec, &script, &row(0, Kind::Last, &bytes));
        assert_eq!(found, expected, "{blocks:?}");
    }
}

#[test]
fn headers_of_interim_responses_are_not_captured() {
    let mut script = script();
    script[0].look.headers = vec!["link".into()];
    let mut codec = opened(&script);
    codec.start(&script, Start::new(7, 0), &mut Vec::new());
    let mut bytes = Vec::new();
    for (status, link) in [("103", "early"), ("103", "late"), ("200", "final")] {
        let mut section = Vec::new();
        qpack::encode(&[(":status", status), ("link", link)], &mut section);
        frame::write(&mut bytes, frame::HEADERS, &section);
    }
    let row = row(0, Kind::Last, &bytes);
    let step = codec.step(
        &script,
        &mut row.as_slice(),
        &mut Arrival::at(1),
        &mut Vec::new(),
    );
    let Step::Replied { reply, .. } = step else {
        panic!("{step:?}");
    };
    assert_eq!(reply.headers, [("link".to_string(), b"final".to_vec())]);
}

#[test]
fn items_are_timed_and_reading_stops_at_the_limit() {
    let stream = Stream {
        items: ItemKind::Chunks,
        until_items: Some(2),
        ..Stream::default()
    };
    let script = script_of(Some(stream));
    let mut codec = opened(&script);
    codec.start(&script, Start::new(7, 0), &mut Vec::new());
    let mut bytes = b"\x01\x03\0\0\xd9".to_vec();
    for chunk in [b"one", b"two", b"six"] {
        frame::write(&mut bytes, frame::DATA, chunk);
    }
    let (early, late) = bytes.split_at(8);
    let (early, late) = (row(0, Kind::Part, early), row(0, Kind::Part, late));
    let mut out = Vec::new();
    let step = codec.step(
        &script,
        &mut early.as_slice(),
        &mut Arrival::at(10),
        &mut out,
    );
    assert_eq!((step, out.len()), (Step::NeedInput, 0));
    match codec.step(
        &script,
        &mut late.as_slice(),
        &mut Arrival::at(20),
        &mut out,
    ) {
        Step::Replied { call: 7, reply } => {
            assert_eq!((reply.first_byte, reply.body), (10, &b"onetwo"[..]));
            let items = reply.items;
            assert_eq!((items.count, items.first, items.last), (2, 20, 20));
        }
        other => panic!("{other:?}"),
    }
    // The rest is no longer requested.
    let cancelled = Piece::take(&mut out.as_slice());
    assert_eq!(
        cancelled.map(|it| (it.stream, it.kind, it.code())),
        Some((0, Kind::Reset, error::REQUEST_CANCELLED.into()))
    );
}
