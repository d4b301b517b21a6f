//! A client's side of connections, with the server played by hand.

mod exchange;
mod faults;
mod windows;

use super::frame::{Frame, flag, kind};
use super::*;
use crate::encoding::Encoding;
use crate::job::{TransportKind, example};
use crate::transport::grpc::Grpc;

fn endpoint() -> Endpoint {
    example::endpoint(TransportKind::Http2)
}

fn request(body: &[u8]) -> Request {
    Request {
        method: "POST".into(),
        path: "/a".into(),
        headers: vec![("X-Name".into(), "value".into())],
        body: body.to_vec(),
        binary: false,
        ..Request::default()
    }
}

const CONNECTIONS: Connections = example::connections(4);

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
    Widened,
    Closing,
    Reply(u32, u16, Vec<u8>),
    Failed(u32, Failure),
    Broken(Failure),
}

impl<C: Codec> Client<C> {
    fn new(body: &[u8]) -> Self {
        let script = C::script(&endpoint(), &CONNECTIONS, &[request(body)]);
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
        self.codec
            .start(&self.script, Start::new(call, 0), &mut self.out);
    }

    /// Takes the first thing that comes of some bytes.
    fn step<'a>(&'a mut self, mut bytes: &'a [u8]) -> Step<'a> {
        self.codec
            .step(&self.script, &mut bytes, &mut Arrival::at(7), &mut self.out)
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<Came> {
        let mut input = bytes;
        let mut came = Vec::new();
        loop {
            came.push(
                match self
                    .codec
                    .step(&self.script, &mut input, &mut Arrival::at(7), &mut self.out)
                {
                    Step::NeedInput => return came,
                    Step::Opened => Came::Opened,
                    Step::Widened => Came::Widened,
                    Step::Closing => Came::Closing,
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
