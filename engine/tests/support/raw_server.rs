//! Servers that answer with any bytes, over every transport without TLS.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The transports, as a job names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Http1,
    Http2,
    Grpc,
    Websocket,
}

impl Transport {
    pub const ALL: [Self; 4] = [Self::Http1, Self::Http2, Self::Grpc, Self::Websocket];

    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Http2 => "http2",
            Self::Grpc => "grpc",
            Self::Websocket => "websocket",
        }
    }

    /// An answer with the body "hello" to the request on `stream`.
    pub fn answer(self, stream: u32) -> Vec<u8> {
        match self {
            Self::Http1 => b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_vec(),
            Self::Http2 => [frame(1, 4, stream, &[0x88]), frame(0, 1, stream, b"hello")].concat(),
            Self::Grpc => [
                frame(1, 4, stream, b"\x88\x5f\x10application/grpc"),
                frame(0, 0, stream, b"\0\0\0\0\x05hello"),
                frame(1, 5, stream, b"\x00\x0bgrpc-status\x010"),
            ]
            .concat(),
            Self::Websocket => b"\x81\x05hello".to_vec(),
        }
    }

    /// Bytes that are no answer over this transport.
    pub fn garbage(self) -> Vec<u8> {
        match self {
            Self::Http1 => b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(),
            // It reads as a frame longer than allowed.
            Self::Http2 | Self::Grpc => b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            // An extension that was not requested.
            Self::Websocket => vec![0xf1, 0x05, b'h', b'e', b'l', b'l', b'o'],
        }
    }

    fn open(self, stream: &mut TcpStream) -> Option<()> {
        match self {
            Self::Http1 => {}
            Self::Http2 | Self::Grpc => {
                stream.read_exact(&mut [0; 24]).ok()?;
                stream.write_all(&frame(4, 0, 0, &[])).ok()?;
            }
            Self::Websocket => {
                let head = read_head(stream)?;
                let key = head.split("Sec-WebSocket-Key: ").nth(1)?.trim();
                let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
                let answer = format!(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\
                     Connection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
                );
                stream.write_all(answer.as_bytes()).ok()?;
            }
        }
        Some(())
    }

    /// Reads the next request, which has no body; the number of its stream, if it has one.
    fn read(self, stream: &mut TcpStream) -> Option<u32> {
        match self {
            Self::Http1 => read_head(stream).map(|_| 0),
            Self::Websocket => {
                let mut message = [0; 6];
                stream.read_exact(&mut message).ok()?;
                (message[0] == 0x81).then_some(0)
            }
            Self::Http2 | Self::Grpc => loop {
                let mut header = [0; 9];
                stream.read_exact(&mut header).ok()?;
                let [_, a, b, kind, flags, c, d, e, f] = header;
                let mut payload = vec![0; usize::from(u16::from_be_bytes([a, b]))];
                stream.read_exact(&mut payload).ok()?;
                if kind <= 1 && flags & 1 != 0 {
                    return Some(u32::from_be_bytes([c, d, e, f]));
                }
            },
        }
    }
}

fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// A frame of HTTP/2.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// What a server does with a request.
#[derive(Clone, Debug)]
pub enum Behaviour {
    Answer,
    Silence,
    Close,
    /// Ends its own side only, and continues to listen.
    HalfClose,
    Reset,
    /// Half of the answer, then the end.
    Truncate,
    /// Half of the answer, then a reset.
    ResetMidway,
    /// Half of the answer, then silence.
    Stall,
    /// The answer, a byte at a time, and never the last one.
    Drip,
    /// These bytes, made for the stream of the request.
    Send(fn(u32) -> Vec<u8>),
    /// The first bytes once, the others repeatedly, and the last ones.
    Pour(Vec<u8>, Vec<u8>, usize, Vec<u8>),
    /// The first bytes once, the others again and again.
    Flood(&'static [u8], Vec<u8>),
}

/// Serves every connection in a separate thread; `behaviour` gets the number of the request,
/// counted over all connections.
pub fn serve(
    transport: Transport,
    behaviour: impl Fn(u64) -> Behaviour + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let behaviour = Arc::new(behaviour);
    let count = Arc::new(AtomicU64::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, behaviour, count) =
                (stream.unwrap(), Arc::clone(&behaviour), count.clone());
            std::thread::spawn(move || {
                stream.set_nodelay(true).unwrap();
                transport.open(&mut stream)?;
                while let Some(id) = transport.read(&mut stream) {
                    let number = count.fetch_add(1, Ordering::SeqCst);
                    act(&behaviour(number), transport, id, &mut stream)?;
                }
                Some(())
            });
        }
    });
    address
}

/// Does that. `None` at the end of the connection.
fn act(behaviour: &Behaviour, transport: Transport, id: u32, stream: &mut TcpStream) -> Option<()> {
    let answer = transport.answer(id);
    // In the midst of a frame, or of the body.
    let half = &answer[..answer.len() - 3];
    match behaviour {
        Behaviour::Answer => stream.write_all(&answer).ok(),
        Behaviour::Silence => await_end(stream),
        Behaviour::Close => None,
        Behaviour::HalfClose => {
            stream.shutdown(Shutdown::Write).unwrap();
            await_end(stream)
        }
        Behaviour::Reset => reset(stream),
        Behaviour::Truncate => {
            stream.write_all(half).ok()?;
            None
        }
        Behaviour::ResetMidway => {
            stream.write_all(half).ok()?;
            // What has arrived is not swept away by the reset if it has been read by then.
            std::thread::sleep(Duration::from_millis(20));
            reset(stream)
        }
        Behaviour::Stall => {
            stream.write_all(half).ok()?;
            await_end(stream)
        }
        Behaviour::Drip => {
            for byte in answer[..answer.len() - 1].chunks(1) {
                stream.write_all(byte).ok()?;
                std::thread::sleep(Duration::from_millis(5));
            }
            await_end(stream)
        }
        Behaviour::Send(bytes) => stream.write_all(&bytes(id)).ok(),
        Behaviour::Pour(first, then, times, last) => {
            stream.write_all(first).ok()?;
            for _ in 0..*times {
                stream.write_all(then).ok()?;
            }
            stream.write_all(last).ok()
        }
        Behaviour::Flood(first, then) => {
            stream.write_all(first).ok()?;
            while stream.write_all(then).is_ok() {}
            None
        }
    }
}

fn await_end(stream: &mut TcpStream) -> Option<()> {
    let mut rest = [0; 4096];
    while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
    None
}

fn reset(stream: &TcpStream) -> Option<()> {
    let socket = socket2::SockRef::from(stream);
    socket.set_linger(Some(Duration::ZERO)).unwrap();
    None
}
