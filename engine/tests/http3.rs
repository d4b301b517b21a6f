//! Servers that violate HTTP/3: the engine closes the connection with the code of the error (RFC 9114,
//! section 8; RFC 9204, section 6), and connects again. A malformed message fails only its call.

use std::time::Duration;

use quinn_proto::Dir;

use crate::support::quic_server::{Act, Behaviour, QuicServer, Then};
use crate::support::{job, run_within};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

const NO_ERROR: u64 = 0x100;
const STREAM_CREATION_ERROR: u64 = 0x103;
const CLOSED_CRITICAL_STREAM: u64 = 0x104;
const FRAME_UNEXPECTED: u64 = 0x105;
const FRAME_ERROR: u64 = 0x106;
const EXCESSIVE_LOAD: u64 = 0x107;
const ID_ERROR: u64 = 0x108;
const SETTINGS_ERROR: u64 = 0x109;
const MISSING_SETTINGS: u64 = 0x10a;
const QPACK_DECOMPRESSION_FAILED: u64 = 0x200;
const QPACK_ENCODER_STREAM_ERROR: u64 = 0x201;
const QPACK_DECODER_STREAM_ERROR: u64 = 0x202;

/// The types of streams, the control stream with settings that are empty.
const CONTROL: &[u8] = b"\0\x04\0";
const PUSH: &[u8] = b"\x01";
const ENCODER: &[u8] = b"\x02";
const DECODER: &[u8] = b"\x03";
/// Status 103, status 200, and fields without a status; a body, and a frame of an unknown type.
const EARLY: &[u8] = b"\x01\x03\0\0\xd8";
const OK: &[u8] = b"\x01\x03\0\0\xd9";
const TRAILERS: &[u8] = b"\x01\x02\0\0";
const HELLO: &[u8] = b"\0\x05hello";
const UNKNOWN: &[u8] = b"\x21\x05xxxxx";
/// Frames that exist only in HTTP/2: PRIORITY, PING, WINDOW_UPDATE, CONTINUATION.
const HTTP2: [&[u8]; 4] = [b"\x02\0", b"\x06\0", b"\x08\0", b"\x09\0"];

/// What a server does, and the code with which the engine closes the connection.
type Case<'a> = (&'a str, Vec<Act>, u64);

fn reply(frames: &[&[u8]], then: Then) -> Act {
    Act::Reply(1, frames.concat(), then)
}

fn opened(pieces: &[&[u8]], then: Then) -> Act {
    Act::Open(Dir::Uni, pieces.concat(), then)
}

/// On the control stream, after its settings.
fn control(frame: &[u8]) -> Vec<Act> {
    vec![opened(&[CONTROL, frame], Then::Stay)]
}

/// Runs four calls, at most two of them at once, on one connection; checks how many of them fail, and
/// the codes with which the connections are closed.
fn assert_ends(what: &str, acts: Vec<Act>, errors: Value, codes: &[u64]) {
    eprintln!("{what}");
    let server = QuicServer::start(Behaviour::Script(acts), true);
    let mut job = job("http3", server.address);
    job["target"]["tls"] = json!({ "ca": server.ca });
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": 4 });
    job["connections"]["streams_per_connection"] = json!(2);
    job["pacer"]["clients"] = json!(2);
    job["requests"][0]["expect"] = json!({ "body_length": 5 });
    let finished = run_within(LIMIT, job);
    finished.assert_counts(4, errors);
    assert_eq!(server.codes(codes.len()), codes, "{what}");
    let connections = finished.number("bytes.lifetime.connections");
    assert_eq!(connections, codes.len() as f64);
}

/// The first two calls fail with the connection, and the others succeed on the next one.
fn assert_connection_errors<'a>(cases: impl IntoIterator<Item = Case<'a>>) {
    for (what, acts, code) in cases {
        let errors = json!({ "protocol_error": 2 });
        assert_ends(what, acts, errors, &[code, NO_ERROR]);
    }
}

#[test]
fn a_frame_out_of_place_in_a_response_ends_the_connection() {
    let misplaced: [(&str, &[&[u8]]); 8] = [
        ("a body first", &[HELLO]),
        ("a body after an interim response", &[EARLY, HELLO]),
        ("headers after trailers", &[OK, HELLO, TRAILERS, TRAILERS]),
        ("a body after trailers", &[OK, TRAILERS, HELLO]),
        ("CANCEL_PUSH", &[OK, b"\x03\x01\0"]),
        ("SETTINGS", &[OK, b"\x04\0"]),
        ("GOAWAY", &[b"\x07\x01\0"]),
        ("MAX_PUSH_ID", &[b"\x0d\x01\0"]),
    ];
    let of_http2 = HTTP2.map(|frame| ("a frame of HTTP/2", vec![OK, frame]));
    let misplaced = misplaced.map(|(what, frames)| (what, frames.to_vec()));
    let all = misplaced.into_iter().chain(of_http2);
    assert_connection_errors(all.map(|(what, frames)| {
        let acts = vec![reply(&frames, Then::Stay)];
        (what, acts, FRAME_UNEXPECTED)
    }));
    let promise = vec![reply(&[b"\x05\x03\0\0\0"], Then::Stay)];
    assert_connection_errors([("PUSH_PROMISE", promise, ID_ERROR)]);
}

#[test]
fn a_response_that_ends_within_a_frame_ends_the_connection() {
    let cut: [(&str, &[&[u8]]); 4] = [
        ("within a type", &[OK, b"\x40"]),
        ("within headers", &[&OK[..3]]),
        ("within a body", &[OK, &HELLO[..4]]),
        ("within an unknown frame", &[OK, HELLO, &UNKNOWN[..4]]),
    ];
    assert_connection_errors(cut.map(|(what, frames)| {
        let acts = vec![reply(frames, Then::Finish)];
        (what, acts, FRAME_ERROR)
    }));
}

#[test]
fn invalid_compressed_fields_end_the_connection() {
    let invalid: [(&str, &[u8]); 6] = [
        ("no fields", b"\x01\0"),
        ("a field that is cut short", b"\x01\x04\0\0\x51\x0b"),
        ("a section of the dynamic table", b"\x01\x03\x02\0\x80"),
        ("a field of the dynamic table", b"\x01\x03\0\0\x80"),
        ("a negative base", b"\x01\x03\0\x80\xd9"),
        ("a field beyond the static table", b"\x01\x04\0\0\xff\x24"),
    ];
    assert_connection_errors(invalid.map(|(what, frame)| {
        let acts = vec![reply(&[frame], Then::Stay)];
        (what, acts, QPACK_DECOMPRESSION_FAILED)
    }));
}

#[test]
fn a_frame_out_of_place_on_the_control_stream_ends_the_connection() {
    let misplaced: [(&str, &[u8]); 5] = [
        ("DATA", HELLO),
        ("HEADERS", OK),
        ("SETTINGS a second time", b"\x04\0"),
        ("PUSH_PROMISE", b"\x05\x03\0\0\0"),
        ("MAX_PUSH_ID", b"\x0d\x01\0"),
    ];
    let of_http2 = HTTP2.map(|frame| ("a frame of HTTP/2", frame));
    let misplaced = misplaced.into_iter().chain(of_http2);
    assert_connection_errors(
        misplaced.map(|(what, frame)| (what, control(frame), FRAME_UNEXPECTED)),
    );
    let unsettled: [(&str, &[u8]); 3] = [
        ("GOAWAY first", b"\0\x07\x01\0"),
        ("an unknown frame first", b"\0\x21\x05"),
        ("DATA first", b"\0\0\x05hello"),
    ];
    assert_connection_errors(unsettled.map(|(what, bytes)| {
        let acts = vec![opened(&[bytes], Then::Stay)];
        (what, acts, MISSING_SETTINGS)
    }));
}

#[test]
fn an_invalid_frame_on_the_control_stream_ends_the_connection() {
    let invalid: [(&str, &[u8], u64); 7] = [
        ("GOAWAY without a number", b"\x07\0", FRAME_ERROR),
        ("GOAWAY with two numbers", b"\x07\x02\0\0", FRAME_ERROR),
        ("GOAWAY with half a number", b"\x07\x01\x40", FRAME_ERROR),
        ("CANCEL_PUSH without a number", b"\x03\0", FRAME_ERROR),
        ("CANCEL_PUSH", b"\x03\x01\0", ID_ERROR),
        ("GOAWAY of a pushed stream", b"\x07\x01\x03", ID_ERROR),
        (
            "GOAWAY of a later stream",
            b"\x07\x01\x08\x07\x01\x0c",
            ID_ERROR,
        ),
    ];
    assert_connection_errors(invalid.map(|(what, frame, code)| (what, control(frame), code)));
    let settings: [(&str, &[u8], u64); 3] = [
        ("a setting without a value", b"\0\x04\x01\x06", FRAME_ERROR),
        ("a setting of HTTP/2", b"\0\x04\x02\x02\0", SETTINGS_ERROR),
        (
            "a reserved setting",
            b"\0\x04\x04\x06\0\0\0",
            SETTINGS_ERROR,
        ),
    ];
    assert_connection_errors(settings.map(|(what, bytes, code)| {
        let acts = vec![opened(&[bytes], Then::Stay)];
        (what, acts, code)
    }));
}

#[test]
fn the_end_of_a_critical_stream_ends_the_connection() {
    let ended = [CONTROL, b"\0", ENCODER, DECODER].map(|begin| {
        let acts = vec![opened(&[begin], Then::Finish)];
        ("the end of a stream", acts, CLOSED_CRITICAL_STREAM)
    });
    assert_connection_errors(ended);
    let mut stopped = control(b"");
    stopped.push(Act::StopControl);
    let what = "the end of the client's control stream";
    assert_connection_errors([(what, stopped, CLOSED_CRITICAL_STREAM)]);
}

#[test]
fn a_stream_that_a_server_may_not_open_ends_the_connection() {
    let twice = [CONTROL, ENCODER, DECODER].map(|begin| {
        let stream = || opened(&[begin], Then::Stay);
        (
            "a stream twice",
            vec![stream(), stream()],
            STREAM_CREATION_ERROR,
        )
    });
    assert_connection_errors(twice);
    let request = Act::Open(Dir::Bi, OK.to_vec(), Then::Stay);
    let push = opened(&[PUSH, b"\0", OK, HELLO], Then::Finish);
    assert_connection_errors([
        ("a request", vec![request], STREAM_CREATION_ERROR),
        ("a push", vec![push], ID_ERROR),
    ]);
}

#[test]
fn the_use_of_a_dynamic_table_ends_the_connection() {
    let used: [(&str, &[&[u8]], u64); 4] = [
        ("a size", &[ENCODER, b"\x21"], QPACK_ENCODER_STREAM_ERROR),
        (
            "an entry",
            &[ENCODER, b"\xc0\0"],
            QPACK_ENCODER_STREAM_ERROR,
        ),
        (
            "an acknowledgement",
            &[DECODER, b"\x80"],
            QPACK_DECODER_STREAM_ERROR,
        ),
        (
            "an increment",
            &[DECODER, b"\x01"],
            QPACK_DECODER_STREAM_ERROR,
        ),
    ];
    assert_connection_errors(used.map(|(what, pieces, code)| {
        let acts = vec![opened(pieces, Then::Stay)];
        (what, acts, code)
    }));
}

#[test]
fn a_control_frame_that_is_too_long_ends_the_connection() {
    let long = [&b"\x21\x80\x02\0\0"[..], &[0; 100_000]].concat();
    let errors = json!({ "oversized": 2 });
    assert_ends(
        "a long frame",
        control(&long),
        errors,
        &[EXCESSIVE_LOAD, NO_ERROR],
    );
}

#[test]
fn a_malformed_message_fails_only_its_call() {
    let malformed: [(&str, &[&[u8]]); 3] = [
        ("no headers", &[UNKNOWN]),
        ("no status", &[TRAILERS, HELLO]),
        ("another length", &[b"\x01\x04\0\0\xd9\xc4", HELLO]),
    ];
    for (what, frames) in malformed {
        let mut acts = control(b"");
        acts.push(reply(frames, Then::Finish));
        acts.push(Act::Reply(0, [OK, HELLO].concat(), Then::Finish));
        assert_ends(what, acts, json!({ "protocol_error": 1 }), &[NO_ERROR]);
    }
}

#[test]
fn what_a_server_may_send_beside_its_answers_is_ignored() {
    let acts = vec![
        // A setting of an unknown type, after a type of stream in two bytes.
        opened(&[b"\x40\0\x04\x02\x21\0", UNKNOWN], Then::Stay),
        // The table has no space, and two streams are cancelled.
        opened(&[ENCODER, b"\x20\x20"], Then::Stay),
        opened(&[DECODER, b"\x44\x7f\x81\0"], Then::Stay),
        opened(&[UNKNOWN], Then::Finish),
        opened(&[b"\x40"], Then::Finish),
        reply(&[UNKNOWN, EARLY, OK, UNKNOWN, HELLO], Then::Finish),
        Act::Reply(0, [OK, HELLO, TRAILERS, UNKNOWN].concat(), Then::Finish),
    ];
    assert_ends("unknown types", acts, json!({}), &[NO_ERROR]);
}
