//! A blocking gRPC call before the run, with the transport of the run.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use crate::job::{Connections, Endpoint, Request, TransportKind};
use crate::system::Address;
use crate::tls::{Client, handshake_fault};
use crate::transport::grpc::Grpc;
use crate::transport::{Arrival, Codec, Line, Start, Step, read_after};

const TIMEOUT: Duration = Duration::from_secs(5);
const CONNECTIONS: Connections = Connections {
    count: 1,
    streams_per_connection: 1,
    reuse: true,
    connect_timeout_ms: 5_000,
    request_timeout_ms: 5_000,
    kept_bytes: 64 << 20, // One answer, at once.
};

/// An answer: the status, the message, and the server's error message.
pub struct Answer {
    pub status: u16,
    pub message: Vec<u8>,
    pub words: String,
}

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// Calls a method on its own connection. The error says why there is no answer.
pub fn call(endpoint: &Endpoint, path: &str, message: &[u8]) -> Result<Answer, String> {
    let endpoint = Endpoint {
        accept_encoding: None,
        ..endpoint.clone()
    };
    let request = Request {
        method: "POST".into(),
        path: path.into(),
        body: message.into(),
        ..Request::default()
    };
    let script = Grpc::script(&endpoint, &CONNECTIONS, &[request]);
    let mut stream = connect(&endpoint)?;
    let mut line = Line::new(Grpc::new(1, 0), 1);
    line.queue.push_back((0, 0));
    line.codec.open(&script, &mut line.out);
    let mut chunk = [0; 16 << 10];
    let until = Instant::now() + TIMEOUT;
    while Instant::now() < until {
        let sent = stream.write_all(&line.out).and_then(|()| stream.flush());
        sent.map_err(|error| words(&error))?;
        line.out.clear();
        line.codec.drained();
        let length = match stream.read(&mut chunk).map_err(|error| words(&error))? {
            0 => return Err("the server closed the connection".into()),
            length => length,
        };
        let kept = std::mem::take(&mut line.pending);
        let mut answer = None;
        let kept = read_after(kept, &chunk[..length], |input| {
            answer = follow_steps(&mut line, &script, input);
            answer.is_none()
        });
        match answer {
            Some(answer) => return answer,
            None => line.pending = kept.unwrap_or_default(),
        }
    }
    Err("no answer within 5 s".into())
}

/// Steps through the input; none if the answer has yet to come.
fn follow_steps(
    line: &mut Line<Grpc>,
    script: &<Grpc as Codec>::Script,
    input: &mut &[u8],
) -> Option<Result<Answer, String>> {
    loop {
        let mut at = Arrival::at(0);
        match line.codec.step(script, input, &mut at, &mut line.out) {
            Step::NeedInput => return None,
            Step::Opened => _ = line.start_queued(script, Start::new),
            Step::Widened | Step::Closing => {}
            Step::Failed { fault, .. } | Step::Broken(fault) => {
                return Some(Err(fault.detail.into()));
            }
            Step::Replied { reply, .. } => {
                return Some(Ok(Answer {
                    status: reply.status,
                    message: reply.body.to_vec(),
                    words: String::from_utf8_lossy(&reply.message).into_owned(),
                }));
            }
        }
    }
}

fn connect(endpoint: &Endpoint) -> Result<Box<dyn Stream>, String> {
    let addresses = std::iter::once(&endpoint.address).chain(&endpoint.other_addresses);
    let mut failure = String::new();
    for address in addresses {
        match open(address) {
            Ok(stream) => return secure(endpoint, stream),
            Err(error) => failure = format!("{address}: {error}"),
        }
    }
    Err(failure)
}

fn open(address: &Address) -> io::Result<TcpStream> {
    let stream = match address {
        Address::Inet(address) => TcpStream::connect_timeout(address, TIMEOUT)?,
        Address::Unix(path) => OwnedFd::from(UnixStream::connect(path)?).into(),
    };
    let _ = stream.set_nodelay(true); // which only TCP has
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    Ok(stream)
}

fn secure(endpoint: &Endpoint, stream: TcpStream) -> Result<Box<dyn Stream>, String> {
    let Some(tls) = &endpoint.tls else {
        return Ok(Box::new(stream));
    };
    let client =
        Client::new(tls, TransportKind::Grpc.alpn(), 1).map_err(|error| error.to_string())?;
    let session = ClientConnection::new(Arc::clone(&client.config), client.server_name.clone());
    let session = session.map_err(|error| handshake_fault(&error).detail)?;
    Ok(Box::new(StreamOwned::new(session, stream)))
}

/// The cause of an error of reading or writing, which may be that of TLS.
fn words(error: &io::Error) -> String {
    let tls = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (tls, error.kind()) {
        (Some(tls), _) => handshake_fault(tls).detail.into(),
        (None, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            "no answer within 5 s".into()
        }
        (None, _) => error.to_string(),
    }
}
