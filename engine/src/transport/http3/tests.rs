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
    let step = codec.step(script, &mut row.as_slice(), 0, &mut out);
    assert_eq!(step, Step::Opened);
    assert_eq!(codec.capacity(), 2);
    codec
}

/// The bytes of an answer with this body.
fn answer(body: &[u8]) -> Vec<u8> {
    let mut section = Vec::new();
    let length = body.len().to_string();
    let fields = [(":status", "200"), ("content-length", length.as_str())];
    qpack::encode(&fields, &mut section);
    let mut bytes = Vec::new();
    frame::write(&mut bytes, frame::HEADERS, &section);
    // Frames of unknown types are to be passed over.
    frame::write(&mut bytes, 0x21, b"grease");
    frame::write(&mut bytes, frame::DATA, body);
    bytes
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
    match codec.step(script, &mut input, 1, &mut Vec::new()) {
        Step::Replied { reply, .. } => Ok(reply.body.to_vec()),
        Step::Failed { fault, .. } | Step::Broken(fault) => Err(Some(fault.failure)),
        _ => Err(None),
    }
}

#[test]
fn answers_may_be_cut_anywhere() {
    let script = script();
    let whole = answer(b"hello");
    for cut in 0..=whole.len() {
        let mut codec = opened(&script);
        codec.start(&script, 7, 0, &mut Vec::new());
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
fn a_truncated_or_malformed_answer_fails_only_its_call() {
    let script = script();
    let whole = answer(b"hello");
    let mut cases = vec![(row(0, Kind::Reset, b""), Failure::StreamReset)];
    for cut in 1..whole.len() {
        cases.push((row(0, Kind::Last, &whole[..cut]), Failure::ProtocolError));
    }
    cases.push((
        row(0, Kind::Last, b"\x01\x02\x01\x00"),
        Failure::ProtocolError,
    ));
    cases.push((row(0, Kind::Part, b"\0\x01x"), Failure::ProtocolError));
    cases.push((
        row(0, Kind::Part, b"\x01\xbf\xff\xff\xff"),
        Failure::Oversized,
    ));
    for (row, expected) in cases {
        let mut codec = opened(&script);
        codec.start(&script, 7, 0, &mut Vec::new());
        codec.start(&script, 8, 0, &mut Vec::new());
        assert_eq!(
            outcome(&mut codec, &script, &row),
            Err(Some(expected)),
            "{row:?}"
        );
        let left = codec.take_call().map(|lost| (lost.call, lost.has_begun));
        assert_eq!((left, codec.take_call()), (Some((8, false)), None));
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
        codec.start(&script, 7, 0, &mut Vec::new());
        let found = outcome(&mut codec, &script, &row(0, Kind::Last, &bytes));
        assert_eq!(found, expected, "{kind} {payload:?}");
    }
}

#[test]
fn frames_of_other_streams_are_not_part_of_a_response() {
    let script = script();
    for kind in frame::NEVER_IN_RESPONSE {
        for mut bytes in [answer(b"hello"), Vec::new()] {
            frame::write(&mut bytes, kind, b"");
            let mut codec = opened(&script);
            codec.start(&script, 7, 0, &mut Vec::new());
            let found = outcome(&mut codec, &script, &row(0, Kind::Part, &bytes));
            assert_eq!(found, Err(Some(Failure::ProtocolError)), "{kind}");
        }
    }
}

#[test]
fn a_goaway_ends_later_calls_and_the_connection() {
    let script = script();
    let mut codec = opened(&script);
    codec.start(&script, 7, 0, &mut Vec::new());
    codec.start(&script, 8, 0, &mut Vec::new());
    let mut control = vec![frame::CONTROL as u8];
    frame::write(&mut control, frame::SETTINGS, &[]);
    frame::write(&mut control, frame::GOAWAY, &[4]);
    let refused = outcome(&mut codec, &script, &row(3, Kind::Part, &control));
    assert_eq!(refused, Err(Some(Failure::Goaway)));
    assert!(codec.is_closing() && codec.capacity() == 0);
    let served = outcome(&mut codec, &script, &row(0, Kind::Last, &answer(b"x")));
    assert_eq!(served, Ok(b"x".to_vec()));
}

#[test]
fn only_a_frame_of_the_control_stream_is_limited_not_a_piece() {
    let script = script();
    let mut codec = opened(&script);
    let mut control = vec![frame::CONTROL as u8];
    frame::write(&mut control, frame::SETTINGS, &[]);
    for _ in 0..20_000 {
        frame::write(&mut control, 0x21, b"xxx");
    }
    assert!(control.len() > 64 << 10);
    let many = row(3, Kind::Part, &control);
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
fn settings_may_be_sent_only_once() {
    let script = script();
    let mut codec = opened(&script);
    let mut control = vec![frame::CONTROL as u8];
    frame::write(&mut control, frame::SETTINGS, &[]);
    let first = row(3, Kind::Part, &control);
    assert_eq!(outcome(&mut codec, &script, &first), Err(None));
    let second = row(3, Kind::Part, &control[1..]);
    let broken = Err(Some(Failure::ProtocolError));
    assert_eq!(outcome(&mut codec, &script, &second), broken);
}

#[test]
fn calls_wait_until_the_server_allows_them() {
    let script = script();
    let mut codec = Http3::new(5, 0);
    codec.open(&script, &mut Vec::new());
    let mut out = Vec::new();
    codec.step(&script, &mut allowed(2).as_slice(), 0, &mut out);
    codec.start(&script, 7, 0, &mut out);
    codec.start(&script, 8, 0, &mut out);
    assert_eq!(codec.capacity(), 0);
    let reply = outcome(&mut codec, &script, &row(0, Kind::Last, &answer(b"x")));
    assert_eq!((reply, codec.capacity()), (Ok(b"x".to_vec()), 0));
    let row = allowed(3);
    let step = codec.step(&script, &mut row.as_slice(), 0, &mut out);
    assert_eq!(step, Step::Widened);
    assert_eq!((codec.capacity(), codec.is_closing()), (1, false));
    // In vain: there is still no more than before.
    codec.start(&script, 9, 0, &mut out);
    codec.step(&script, &mut allowed(3).as_slice(), 0, &mut out);
    assert!(codec.is_closing());
}

#[test]
fn headers_of_interim_responses_are_not_captured() {
    let mut script = script();
    script[0].look.headers = vec!["link".into()];
    let mut codec = opened(&script);
    codec.start(&script, 7, 0, &mut Vec::new());
    let mut bytes = Vec::new();
    for (status, link) in [("103", "early"), ("103", "late"), ("200", "final")] {
        let mut section = Vec::new();
        qpack::encode(&[(":status", status), ("link", link)], &mut section);
        frame::write(&mut bytes, frame::HEADERS, &section);
    }
    let row = row(0, Kind::Last, &bytes);
    let step = codec.step(&script, &mut row.as_slice(), 1, &mut Vec::new());
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
    codec.start(&script, 7, 0, &mut Vec::new());
    let mut bytes = b"\x01\x03\0\0\xd9".to_vec();
    for chunk in [b"one", b"two", b"six"] {
        frame::write(&mut bytes, frame::DATA, chunk);
    }
    let (early, late) = bytes.split_at(8);
    let (early, late) = (row(0, Kind::Part, early), row(0, Kind::Part, late));
    let mut out = Vec::new();
    let step = codec.step(&script, &mut early.as_slice(), 10, &mut out);
    assert_eq!((step, out.len()), (Step::NeedInput, 0));
    match codec.step(&script, &mut late.as_slice(), 20, &mut out) {
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
        cancelled.map(|it| (it.stream, it.kind)),
        Some((0, Kind::Reset))
    );
}
