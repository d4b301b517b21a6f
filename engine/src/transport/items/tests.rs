use super::*;

/// What is counted in `bytes`, given in pieces, the time being the number of the piece.
fn read(kind: ItemKind, limit: Option<u32>, bytes: &[u8], piece: usize) -> (Items, Vec<u8>) {
    let stream = Stream {
        items: kind,
        until_items: limit,
        ..Stream::default()
    };
    let mut reader = ItemReader::new(Some(&stream));
    let (mut body, look) = (Bulk::default(), Look::for_texts(&[], 1 << 20));
    for (number, piece) in bytes.chunks(piece).enumerate() {
        let mut at = Arrival::at(number as u64);
        if reader.read(piece, &mut at, &mut body, &look).unwrap() {
            return (reader.items, body.to_vec());
        }
    }
    reader
        .end(&mut Arrival::at(99), body.has_nothing())
        .unwrap();
    (reader.items, body.to_vec())
}

#[test]
fn only_items_with_a_value_count_if_a_pointer_is_given() {
    let chunk = |content: &str| format!("{{\"choices\": [{{\"delta\": {content}}}]}}");
    let (role, token) = (
        chunk("{\"role\": \"x\", \"content\": \"\"}"),
        chunk("{\"content\": \"a\"}"),
    );
    let split = token.replace(": [", ":\ndata: [");
    let events = format!(
        "data: {role}\n\n: hello\n\nevent: a\ndata: {token}\n\ndata:{split}\n\ndata: {}\n\n\
         data: {}\n\ndata: [DONE]\n\n",
        chunk("{\"content\": null}"),
        chunk("{}"),
    );
    let lines = format!("{role}\n{token}\r\n\n[]\n{token}");
    for (items, text, expected) in [(ItemKind::Events, events, 2), (ItemKind::Lines, lines, 2)] {
        let pointer = Pointer::parse("/choices/0/delta/content").map(Arc::new);
        let stream = Stream {
            items,
            pointer,
            ..Stream::default()
        };
        for piece in (1..20).chain([1_000]) {
            let mut reader = ItemReader::new(Some(&stream));
            let (mut body, look) = (Bulk::default(), Look::for_texts(&[], 1 << 20));
            for piece in text.as_bytes().chunks(piece) {
                reader
                    .read(piece, &mut Arrival::at(0), &mut body, &look)
                    .unwrap();
            }
            reader.end(&mut Arrival::at(0), false).unwrap();
            assert_eq!(
                reader.items.count, expected,
                "{items:?} in pieces of {piece}"
            );
            assert_eq!(&*body, text.as_bytes());
        }
    }
}

#[test]
fn gaps_between_items_are_counted_and_long_ones_are_stalls() {
    let stream = Stream {
        items: ItemKind::Lines,
        stall_ns: 100,
        ..Stream::default()
    };
    let mut gaps = Gaps::default();
    for counts in [false, true] {
        let mut reader = ItemReader::default();
        reader.begin(&ItemReader::new(Some(&stream)), counts);
        let (mut body, look) = (Bulk::default(), Look::for_texts(&[], 1 << 20));
        for (now, bytes) in [(1_000, "a\nb"), (1_100, "\nc\n"), (1_201, "d\n")] {
            let mut at = Arrival {
                now,
                gaps: Some(&mut gaps),
            };
            reader
                .read(bytes.as_bytes(), &mut at, &mut body, &look)
                .unwrap();
        }
        assert_eq!(reader.items.count, 4);
    }
    let moments = &gaps.times.moments;
    assert_eq!((moments.count(), gaps.stalls), (3, 1));
    assert_eq!((moments.min_ns(), moments.max_ns()), (0, 101));
    assert_eq!(moments.total_ns(), 201.0);
}

#[test]
fn events_end_with_an_empty_line_and_carry_data() {
    let text = ": hello\n\nevent: a\ndata: 1\n\ndata\n\ndataset: 1\n\nid: 5\n\ndata: x\ndata: y\n\ndata: cut";
    for ends in ["\n", "\r\n", "\r"] {
        let text = text.replace('\n', ends);
        for piece in 1..9 {
            let (items, body) = read(ItemKind::Events, None, text.as_bytes(), piece);
            assert_eq!(items.count, 3, "{text:?} in pieces of {piece}");
            assert_eq!(body, text.as_bytes());
        }
    }
    let (items, _) = read(ItemKind::Events, None, b"data: 1\n\ndata: 2\n\n", 9);
    assert_eq!((items.first, items.last), (0, 1));
}

#[test]
fn a_byte_order_mark_before_the_first_event_is_skipped() {
    for (text, expected) in [
        ("\u{feff}data: 1\n\ndata: 2\n\n", 2),
        ("\u{feff}data: 1\r\n\r\ndata: 2\r\n\r\n", 2),
        ("\u{feff}data\n\n", 1),
        ("\u{feff}\n\ndata: 1\n\n", 1),
        ("data: 1\n\n\u{feff}data: 2\n\n", 1),
        ("\u{feff}\u{feff}data: 1\n\n", 0),
        ("\u{feff}data: 1\n", 0),
    ] {
        for piece in 1..9 {
            let (items, body) = read(ItemKind::Events, None, text.as_bytes(), piece);
            assert_eq!(items.count, expected, "{text:?} in pieces of {piece}");
            assert_eq!(body, text.as_bytes());
        }
    }
    // The first bytes of a mark alone are a part of the line.
    for piece in 1..4 {
        let (items, _) = read(ItemKind::Events, None, b"\xef\xbbdata: 1\n\n", piece);
        assert_eq!(items.count, 0);
    }
}

#[test]
fn the_number_of_items_saturates_without_ending_the_stream() {
    let messages = Stream {
        items: ItemKind::Messages,
        ..Stream::default()
    };
    let mut reader = ItemReader::new(Some(&messages));
    reader.items.count = u32::MAX - 1;
    let (mut body, look) = (Bulk::default(), Look::for_texts(&[], 1 << 20));
    let read = reader.read(&[0; 15], &mut Arrival::at(7), &mut body, &look);
    assert_eq!(read, Ok(false));
    assert_eq!((reader.items.count, reader.items.last), (u32::MAX, 7));
}

#[test]
fn lines_need_content_but_no_end() {
    for piece in 1..6 {
        let (items, _) = read(ItemKind::Lines, None, b"{}\n\n\r\n{\"a\":1}\r\n3\n4", piece);
        assert_eq!((items.count, items.last), (4, 99));
    }
}

#[test]
fn messages_lose_their_prefix() {
    let bytes = b"\0\0\0\0\x03abc\0\0\0\0\0\0\0\0\0\x02de";
    for piece in 1..bytes.len() {
        let (items, body) = read(ItemKind::Messages, None, bytes, piece);
        assert_eq!((items.count, body.as_slice()), (3, &b"abcde"[..]));
    }
}

#[test]
fn reading_stops_at_the_limit_of_items() {
    let (items, body) = read(ItemKind::Lines, Some(2), b"a\nb\nc\nd\n", 100);
    assert_eq!((items.count, body.as_slice()), (2, &b"a\nb\n"[..]));
}

#[test]
fn truncated_and_compressed_messages_are_refused() {
    let messages = Stream {
        items: ItemKind::Messages,
        ..Stream::default()
    };
    let mut reader = ItemReader::new(Some(&messages));
    let (mut body, look) = (Bulk::default(), Look::for_texts(&[], 1 << 20));
    let mut at = Arrival::at(0);
    let cut = reader.read(b"\0\0\0\0\x05abc", &mut at, &mut body, &look);
    assert_eq!(cut, Ok(false));
    assert!(reader.end(&mut at, false).is_err());
    let mut reader = ItemReader::new(Some(&messages));
    let compressed = reader.read(b"\x01\0\0\0\0", &mut at, &mut body, &look);
    assert!(compressed.is_err());
}
