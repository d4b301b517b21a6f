//! What goes wrong, alone or with the whole connection.

use super::*;
use crate::transport::REFUSED;

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
fn goaway_ends_streams_that_the_server_has_not_processed() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    for call in 1..=3 {
        client.start(call);
    }
    let mut came = client.receive(&frame(kind::GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]));
    came.sort_by_key(|came| format!("{came:?}"));
    assert_eq!(
        came,
        [
            Came::Closing,
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
fn the_code_of_a_goaway_is_described_in_words() {
    for (code, expected) in [(0, REFUSED.detail), (11, "ENHANCE_YOUR_CALM")] {
        let mut client = Client::<Http2<Plain>>::opened(b"");
        client.start(1);
        let goaway = frame(kind::GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, code]);
        assert_eq!(client.step(&goaway), Step::Closing);
        let step = client.step(&[]);
        let fault = Fault::new(Failure::Goaway, expected);
        assert_eq!(step, Step::Failed { call: 1, fault });
    }
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
        assert_eq!(client.codec.take_call().map(|lost| lost.call), Some(1));
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
fn a_status_in_trailers_fails_the_call() {
    let head = frame(kind::HEADERS, HEADERS, 1, STATUS_200);
    for block in [&b"\x88"[..], b"\x00\x01t\x01v\x88", b"\x00\x05:path\x01/"] {
        let mut client = Client::<Http2<Plain>>::opened(b"");
        client.start(1);
        let trailers = frame(kind::HEADERS, LAST_HEADERS, 1, block);
        let came = client.receive(&[head.clone(), trailers].concat());
        assert_eq!(came, [Came::Failed(1, Failure::ProtocolError)]);
        assert!(client.codec.is_idle());
    }
}

#[test]
fn pseudo_headers_come_once_and_before_all_others() {
    for block in [
        &b"\x00\x01t\x01v\x88"[..],
        b"\x88\x88",
        b"\x82\x88", // :method
        b"\x88\x00\x02:x\x01y",
    ] {
        let mut client = Client::<Http2<Plain>>::opened(b"");
        client.start(1);
        let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, block));
        assert_eq!(came, [Came::Failed(1, Failure::ProtocolError)], "{block:?}");
    }
}

#[test]
fn an_interim_response_cannot_end_a_stream() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, b"\x08\x03103"));
    assert_eq!(came, [Came::Failed(1, Failure::ProtocolError)]);
}

#[test]
fn bodies_must_have_their_announced_length() {
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
fn replies_without_a_body_may_announce_its_length() {
    // :status, content-length: 9
    for (status, number) in [(&b"\x8b"[..], 304), (b"\x89", 204)] {
        let mut client = Client::<Http2<Plain>>::opened(b"");
        client.start(1);
        client.start(2);
        let block = [status, b"\x0f\x0d\x019"].concat();
        let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, &block));
        assert_eq!(came, [Came::Reply(1, number, vec![])]);
        let head = frame(kind::HEADERS, HEADERS, 3, &block);
        let body = frame(kind::DATA, flag::END_STREAM, 3, b"unwelcome");
        let came = client.receive(&[head, body].concat());
        assert_eq!(came, [Came::Failed(2, Failure::ProtocolError)]);
    }
}
