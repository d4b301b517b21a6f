//! What both sides may send, and when.

use super::*;

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
fn a_raised_limit_of_streams_is_reported() {
    let mut client = Client::<Http2<Plain>>::new(b"");
    client.receive(&frame(kind::SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1]));
    client.start(1);
    assert_eq!(client.codec.capacity(), 0);
    let raised = frame(kind::SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 2]);
    assert_eq!(client.receive(&raised), [Came::Widened]);
    assert_eq!(client.codec.capacity(), 1);
    assert_eq!(client.receive(&raised), []);
    let lowered = frame(kind::SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1]);
    assert_eq!(client.receive(&lowered), []);
}

#[test]
fn a_table_that_was_smaller_in_between_is_announced() {
    let mut client = Client::<Http2<Plain>>::opened(b"");
    client.start(1);
    client.sent();
    client.receive(&frame(
        kind::SETTINGS,
        0,
        0,
        &[0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 16, 0],
    ));
    client.sent();
    client.start(2);
    let block = client.sent().remove(0).3;
    assert!(block.starts_with(&[0x20, 0x3f, 0xe1, 0x1f]), "{block:x?}");
    client.start(3);
    let next = client.sent().remove(0).3;
    assert_ne!(next[0] & 0xe0, 0x20, "announced once");
    client.receive(&frame(kind::SETTINGS, 0, 0, &[0, 1, 0, 0, 16, 0]));
    client.sent();
    client.start(4);
    let same = client.sent().remove(0).3;
    assert_ne!(same[0] & 0xe0, 0x20, "nothing has changed");
}

#[test]
fn window_updates_are_sent_in_time() {
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
fn more_than_4_gib_in_a_stream_is_counted_as_4_gib() {
    let mut client = Client::<Http2<Plain>>::opened(&[7; 5_000]);
    client.script.requests[0].send = 1_000_000;
    client.start(1);
    let sent = client.script.requests[0].length();
    for stream in client.codec.streams.all() {
        (stream.body_sent, stream.body_complete) = (sent, true);
        stream.bytes_received = u32::MAX;
    }
    let answer = frame(kind::HEADERS, LAST_HEADERS, 1, STATUS_200);
    let step = client.step(&answer);
    let Step::Replied { reply, .. } = step else {
        panic!("{step:?}");
    };
    assert_eq!(
        (reply.payload_sent, reply.bytes_received),
        (u32::MAX, u32::MAX)
    );
}

#[test]
fn an_early_answer_stops_the_request() {
    let mut client = Client::<Http2<Plain>>::opened(&[0; 100_000]);
    client.start(1);
    client.sent();
    let came = client.receive(&frame(kind::HEADERS, LAST_HEADERS, 1, STATUS_404));
    assert_eq!(came, [Came::Reply(1, 404, vec![])]);
    assert_eq!(client.sent()[0].0, kind::RST_STREAM);
    client.receive(&frame(kind::WINDOW_UPDATE, 0, 0, &100_000u32.to_be_bytes()));
    assert!(data_lengths(&client.sent()).is_empty());
}
