//! Questions and answers in all their forms.

use super::*;

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
        frame(kind::DATA, 0, 3, b"answ"),
        frame(kind::DATA, flag::END_STREAM, 3, b"er"),
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
            client.codec.step(
                &client.script,
                &mut input,
                &mut Arrival::at(7),
                &mut client.out
            ),
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
fn the_headers_of_an_interim_response_say_nothing_of_the_final_one() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    // 103 with content-encoding: gzip and content-length: 9, then 200 without either.
    let interim = b"\x08\x03103\x0f\x0b\x04gzip\x0f\x0d\x019";
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, interim),
        frame(kind::HEADERS, HEADERS, 1, STATUS_200),
        frame(kind::DATA, flag::END_STREAM, 1, b"plain"),
    ]
    .concat();
    let step = client.step(&answer);
    let Step::Replied { reply, .. } = step else {
        panic!("{step:?}");
    };
    assert_eq!((reply.status, reply.encoding), (200, Encoding::Identity));
    assert_eq!(reply.body, b"plain");
}

#[test]
fn trailers_do_not_describe_the_body() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, STATUS_200),
        frame(kind::DATA, 0, 1, b"plain"),
        frame(
            kind::HEADERS,
            LAST_HEADERS,
            1,
            b"\x0f\x0b\x04gzip\x0f\x0d\x019",
        ),
    ]
    .concat();
    let step = client.step(&answer);
    let Step::Replied { reply, .. } = step else {
        panic!("{step:?}");
    };
    assert_eq!(
        (reply.encoding, reply.body),
        (Encoding::Identity, &b"plain"[..])
    );
}

#[test]
fn headers_of_interim_responses_are_not_captured() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.script.requests[0].look.headers = vec!["t".into()];
    client.start(1);
    let answer = [
        frame(kind::HEADERS, HEADERS, 1, b"\x08\x03103\x00\x01t\x01a"),
        frame(kind::HEADERS, HEADERS, 1, b"\x88\x00\x01t\x01b"),
        frame(kind::HEADERS, LAST_HEADERS, 1, b"\x00\x01t\x01c"),
    ]
    .concat();
    let step = client.step(&answer);
    let Step::Replied { reply, .. } = step else {
        panic!("{step:?}");
    };
    assert_eq!(reply.headers, [("t".to_string(), b"b".to_vec())]);
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
fn long_headers_are_continued() {
    let mut long = request(b"");
    long.headers = (0..30)
        .map(|number| (format!("x-{number}"), "\u{7f}~".repeat(1000)))
        .collect();
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.script = Http2::<Plain>::script(&endpoint(), &CONNECTIONS, &[long]);
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
