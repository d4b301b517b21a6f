//! What `floods` has in clear text, over TLS; and the floods of HTTP/3, over QUIC.

use crate::floods::{LIMIT, assert_a_signal_ends, assert_bounded, briefly, flooding};
use crate::support::raw_server::{Transport, frame};
use crate::support::run_within;
use crate::support::tls_front::Front;
use serde_json::{Value, json};

/// Floods over TLS; the job ends with the front.
fn flooded(transport: Transport, first: &'static [u8], piece: &[u8]) -> (Front, Value) {
    let front = Front::of(flooding(transport, first, piece));
    let mut job = briefly(transport.name(), front.address);
    job["target"]["tls"] = json!({ "ca": front.ca });
    (front, job)
}

/// What is owed over TLS is sealed at once, and must count until the server has taken it.
#[test]
fn endless_pings_and_settings_are_a_flood_over_tls() {
    let ping = frame(6, 0, 0, b"are you?");
    let settings = frame(4, 0, 0, &[]);
    for (transport, piece) in [
        (Transport::Websocket, &b"\x89\0"[..]),
        (Transport::Http2, &ping),
        (Transport::Grpc, &ping),
        (Transport::Http2, &settings),
    ] {
        eprintln!("{transport:?} {}", piece.len());
        let (_front, mut job) = flooded(transport, b"", piece);
        // The front has its own buffers, which must be full before anything is owed.
        job["stop"] = json!({ "seconds": 2 });
        job["connections"]["request_timeout_ms"] = json!(2000);
        assert_bounded(&run_within(LIMIT, job), "flood");
    }
}

#[test]
fn an_incomplete_reply_ends_at_the_deadline_over_tls() {
    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let continues = b"HTTP/1.1 100 Continue\r\n\r\n";
    // Status 103 is not in the static table: its name is, and the value is spelt out.
    let early = frame(1, 4, 1, b"\x08\x03103");
    let unknown = frame(0x42, 0, 0, &[]);
    for (transport, first, piece, class) in [
        (Transport::Http1, &b""[..], &continues[..], "slow_reply"),
        (Transport::Http1, CHUNKED, b"1\r\nx\r\n", "slow_reply"),
        (Transport::Http2, b"", &early, "slow_reply"),
        (Transport::Http2, b"", &unknown, "timeout"),
        (Transport::Websocket, b"\x01\0", b"\0\0", "slow_reply"),
    ] {
        eprintln!("{transport:?} {class}");
        let (_front, job) = flooded(transport, first, piece);
        assert_bounded(&run_within(LIMIT, job), class);
    }
}

#[test]
fn a_signal_ends_a_run_that_is_flooded_over_tls() {
    let (_front, job) = flooded(Transport::Http2, b"", &frame(0x42, 0, 0, &[]));
    assert_a_signal_ends(job);
}

mod http3 {
    use super::*;
    use crate::floods::{assert_memory, many};
    use crate::support::quic_server::{Behaviour, QuicServer};

    /// Headers with status 103 and with 200, by their places in the static table of QPACK; a frame
    /// of an unknown type; settings; a byte of a body.
    const EARLY: &[u8] = b"\x01\x03\0\0\xd8";
    const OK: &[u8] = b"\x01\x03\0\0\xd9";
    const UNKNOWN: &[u8] = b"\x21\x05xxxxx";
    const SETTINGS: &[u8] = b"\x04\0";
    const BYTE: &[u8] = b"\0\x01x";

    fn flooded(flood: Behaviour, answers: bool) -> (QuicServer, Value) {
        let server = QuicServer::start(flood, answers);
        let mut job = briefly("http3", server.address);
        job["target"]["tls"] = json!({ "ca": server.ca });
        (server, job)
    }

    #[test]
    fn an_incomplete_reply_ends_at_the_deadline() {
        let reply = |first: &[u8], piece| Behaviour::Reply(first.into(), many(piece));
        for (what, flood, class) in [
            ("interim responses", reply(b"", EARLY), "slow_reply"),
            ("frames before a reply", reply(b"", UNKNOWN), "slow_reply"),
            ("frames within it", reply(OK, UNKNOWN), "slow_reply"),
            ("a body in bytes", reply(OK, BYTE), "slow_reply"),
            ("control", Behaviour::Control(many(UNKNOWN)), "timeout"),
            ("streams", Behaviour::Streams, "timeout"),
            ("pings", Behaviour::Pings, "timeout"),
        ] {
            eprintln!("{what}");
            let (_server, job) = flooded(flood, false);
            assert_bounded(&run_within(LIMIT, job), class);
        }
    }

    #[test]
    fn settings_may_be_sent_only_once() {
        let (_server, job) = flooded(Behaviour::Control(many(SETTINGS)), false);
        assert_bounded(&run_within(LIMIT, job), "protocol_error");
    }

    #[test]
    fn trailers_may_be_sent_only_once() {
        let (_server, job) = flooded(Behaviour::Reply(OK.into(), many(OK)), false);
        assert_bounded(&run_within(LIMIT, job), "protocol_error");
    }

    /// A frame on the control stream is kept until it is whole.
    #[test]
    fn a_long_frame_on_the_control_stream_is_oversized() {
        let announced = [&b"\x21\xbf\xff\xff\xff"[..], &many(b"x")].concat();
        let (_server, job) = flooded(Behaviour::Control(announced), false);
        assert_bounded(&run_within(LIMIT, job), "oversized");
    }

    #[test]
    fn endless_headers_are_oversized() {
        let announced = b"\x01\xbf\xff\xff\xff".to_vec();
        let (_server, job) = flooded(Behaviour::Reply(announced, many(b"x")), false);
        assert_bounded(&run_within(LIMIT, job), "oversized");
    }

    /// A flood beside them neither fails requests nor takes memory.
    #[test]
    fn answers_beside_a_flood_are_answers() {
        for flood in [
            Behaviour::Control(many(UNKNOWN)),
            Behaviour::Streams,
            Behaviour::Pings,
        ] {
            let (_server, mut job) = flooded(flood, true);
            job["requests"][0]["expect"] = json!({ "body_xxh3": crate::support::xxh3(b"hello") });
            job["connections"]["request_timeout_ms"] = json!(30_000);
            job["stop"] = json!({ "transactions": 50 });
            let finished = run_within(LIMIT, job);
            finished.assert_counts(50, json!({}));
            assert_memory(&finished);
        }
    }

    #[test]
    fn a_signal_ends_a_flooded_run() {
        let (_server, job) = flooded(Behaviour::Reply(b"".into(), many(EARLY)), false);
        assert_a_signal_ends(job);
    }
}
