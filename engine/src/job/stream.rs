//! Reads the streamed part of a request.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::section::Section;
use super::{ItemKind, Stream, TransportKind};
use crate::capture::Pointer;

const MOST_SENT: u64 = 1_000_000;

/// Reads a stream.
pub fn read(section: &Section, transport: Option<TransportKind>) -> Stream {
    let kinds = [
        ("messages", ItemKind::Messages),
        ("events", ItemKind::Events),
        ("lines", ItemKind::Lines),
        ("chunks", ItemKind::Chunks),
    ];
    let over_http = matches!(
        transport,
        Some(TransportKind::Http1 | TransportKind::Http2 | TransportKind::Http3)
    );
    let ordinary = if over_http {
        ItemKind::Events
    } else {
        ItemKind::Messages
    };
    let items = section.choice("items", &kinds).unwrap_or(ordinary);
    if transport.is_some() && over_http == (items == ItemKind::Messages) {
        let expected = "events, lines or chunks over HTTP; messages with grpc and websocket";
        section.problem("items", "of another protocol", expected);
    }
    let pointer = section.read(
        "pointer",
        "a JSON pointer such as /choices/0/delta/content",
        |value| Pointer::parse(value.as_str()?),
    );
    let is_json = items != ItemKind::Chunks && transport != Some(TransportKind::Grpc);
    if pointer.is_some() && !is_json {
        section.problem(
            "pointer",
            "given",
            "none with chunks or grpc, whose items are no JSON",
        );
    }
    let messages = section.items("messages", "base64", |value| {
        STANDARD.decode(value.as_str()?).ok()
    });
    if !messages.is_empty() && transport.is_some_and(|it| it != TransportKind::Grpc) {
        section.problem("messages", "given", "none, except with grpc");
    }
    let until_texts = section.items("until_texts", "a text that is not empty", |value| {
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(String::from)
    });
    if !until_texts.is_empty() && transport.is_some_and(|it| it != TransportKind::Websocket) {
        section.problem("until_texts", "given", "none, except with websocket");
    }
    let stall_ms = section.integer("stall_ms", 1..=3_600_000);
    let ordinary = Stream::default();
    let stream = Stream {
        items,
        messages,
        until_texts,
        pointer: pointer.map(Arc::new),
        stall_ns: stall_ms.map_or(ordinary.stall_ns, |ms| ms * 1_000_000),
        send: section.integer("send", 0..=MOST_SENT).unwrap_or(1) as u32,
        in_turn: section.flag("in_turn", false),
        until_items: section
            .integer("until_items", 1..=u64::from(u32::MAX))
            .map(|count| count as u32),
        until_ms: section.integer("until_ms", 1..=3_600_000),
    };
    let most = match transport {
        Some(TransportKind::Grpc) | None => MOST_SENT,
        Some(_) => 1,
    };
    if u64::from(stream.send) > most || (over_http && stream.send == 0) {
        let expected = "1; or 0 with websocket, to receive only; or any number with grpc";
        section.problem("send", stream.send, expected);
    }
    if stream.in_turn && transport.is_some_and(|it| it != TransportKind::Grpc) {
        section.problem("in_turn", true, "false, except with grpc");
    }
    let endless =
        stream.until_items.is_none() && stream.until_ms.is_none() && stream.until_texts.is_empty();
    if transport == Some(TransportKind::Websocket) && endless {
        let expected =
            "until_items, until_ms or until_texts: on a WebSocket, nothing else ends a reply";
        section.problem("until_items", "missing", expected);
    }
    stream
}
