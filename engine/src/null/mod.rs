//! Null servers: they answer each request at once with the same body. The load that they sustain is
//! the ceiling of measurements on this machine.

mod connection;
mod http1;
mod http2;
mod http3;
mod tls;
mod websocket;

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use crate::duration::seconds;
use crate::slots::Slots;
use crate::system::epoll::{Epoll, Interest};
use crate::system::process;
use crate::system::signals::Signals;
use crate::wakes::Wakes;

use connection::Connection;
use tls::Identity;

const EVENTS: usize = 512;
const SCRATCH: usize = 64 << 10;
/// The longest answer, with all of its messages, in bytes.
const LONGEST: usize = 256 << 20;
const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;

#[derive(Args)]
pub struct Options {
    /// http and sse (server-sent events) answer HTTP/1.1 as well as HTTP/2
    protocol: Protocol,

    /// Port on 127.0.0.1; 0 takes a free one, which is printed
    #[arg(long, default_value_t = 8080)]
    port: u16,

    /// Length in bytes of each answer's body, message or event
    #[arg(long, default_value_t = 64, value_name = "COUNT",
          value_parser = clap::value_parser!(u32).range(0..=64 << 20))]
    bytes: u32,

    /// Use TLS, with a self-signed certificate for this run, whose path is printed on the second
    /// line
    #[arg(long)]
    tls: bool,

    /// Not with http: number of messages or events per answer
    #[arg(long, default_value_t = 1, value_name = "COUNT",
          value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    messages: u32,

    /// grpc: answer each message of a stream at once, instead of all of them at its end
    #[arg(long)]
    each: bool,

    /// sse over HTTP/1.1, and ws: send an event or message each time this has passed since the
    /// request, instead of all at once
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    every: Option<f64>,
}

/// The answer to every request.
struct Content {
    body: Vec<u8>,
    messages: u32,
    each: bool,
    every: Option<Duration>,
}

/// The protocol of a null server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    Http,
    Grpc,
    Ws,
    Sse,
    /// HTTP/3 over QUIC, always with TLS
    Http3,
}

/// A server's side of a protocol: bytes in, bytes out.
trait Answering {
    /// Answers the requests in `input`, and removes them from its front.
    fn answer(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> Then;

    /// Where the items of the next answer begin, and the length of each, in bytes; none if they
    /// cannot be sent apart.
    fn items(&self) -> Option<(usize, usize)> {
        None
    }
}

/// What happens with a connection next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Keep,
    /// It ends when the answer has been sent.
    Close,
}

/// Serves until SIGINT or SIGTERM. The error is that of a socket or of an option.
pub fn run(options: &Options) -> io::Result<()> {
    check_size(options)?;
    if options.every.is_some() && !matches!(options.protocol, Protocol::Sse | Protocol::Ws) {
        let problem = "--every: not with this protocol; expected sse or ws";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    process::make_timers_precise();
    let signals = Signals::new()?;
    process::raise_file_limit();
    let body = vec![b'x'; options.bytes as usize];
    if options.protocol == Protocol::Http3 {
        return http3::run(options.port, &body, &signals);
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
        .map_err(|error| io::Error::new(error.kind(), format!("port {}: {error}", options.port)))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let identity = options
        .tls
        .then(|| Identity::new(options.protocol, address.port()))
        .transpose()?;
    announce(options.protocol, address, identity.as_ref());
    let mut epoll = Epoll::new(EVENTS)?;
    epoll.add(&listener, LISTENER, Interest::Read)?;
    epoll.add(&signals, SIGNALS, Interest::Read)?;
    let content = Content {
        body,
        messages: options.messages,
        each: options.each,
        every: options.every.map(Duration::from_secs_f64),
    };
    let mut wakes = Wakes::default();
    let mut connections: Slots<Connection> = Slots::with_capacity(EVENTS);
    let mut scratch = vec![0; SCRATCH];
    let mut is_full = false;
    loop {
        let next = wakes
            .next()
            .map(|at| at.saturating_duration_since(Instant::now()));
        let ready = epoll.wait(next.map(|wait| wait.as_nanos() as u64))?;
        let mut due = Vec::new();
        for index in 0..ready {
            let readiness = epoll.readiness(index);
            match readiness.token {
                SIGNALS => return Ok(()),
                LISTENER => {
                    let open = |stream| {
                        Connection::new(stream, options.protocol, &content, identity.as_ref())
                    };
                    is_full = accept(&listener, &epoll, &mut connections, open)? == Queue::Full;
                    if is_full {
                        // Clients wait in the accept queue until another one leaves.
                        epoll.change(&listener, LISTENER, Interest::Write)?;
                    }
                }
                token => due.push(token as u32),
            }
        }
        due.extend(std::iter::from_fn(|| wakes.due(Instant::now())));
        for token in due {
            let Some(connection) = connections.get_mut(token) else {
                continue;
            };
            match connection.serve(&mut scratch, &epoll, token.into()) {
                Then::Keep => {
                    if let Some(at) = connection.next_item() {
                        wakes.set(token, at);
                    }
                }
                Then::Close => {
                    connections.remove(token);
                    if std::mem::take(&mut is_full) {
                        epoll.change(&listener, LISTENER, Interest::Read)?;
                    }
                }
            }
        }
    }
}

/// Checks the length of an answer, which each connection keeps in memory.
fn check_size(options: &Options) -> io::Result<()> {
    let length = u64::from(options.bytes) * u64::from(options.messages);
    if length <= LONGEST as u64 {
        return Ok(());
    }
    let (bytes, messages) = (options.bytes, options.messages);
    let problem = format!(
        "--bytes {bytes}, --messages {messages}: answers of {length} bytes; expected at most \
         {LONGEST}"
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

fn announce(protocol: Protocol, address: SocketAddr, identity: Option<&Identity>) {
    let scheme = match (protocol, identity) {
        (Protocol::Http | Protocol::Sse, None) => "http",
        (Protocol::Http | Protocol::Sse, Some(_)) => "https",
        (Protocol::Grpc, None) => "grpc",
        (Protocol::Grpc, Some(_)) => "grpcs",
        (Protocol::Ws, None) => "ws",
        (Protocol::Ws, Some(_)) => "wss",
        (Protocol::Http3, _) => "h3",
    };
    // Standard output may be closed.
    let mut output = io::stdout().lock();
    let _ = writeln!(output, "{scheme}://{address}/");
    if let Some(identity) = identity {
        let _ = writeln!(output, "certificate {}", identity.file().display());
    }
}

/// Whether clients wait to be accepted.
#[derive(PartialEq, Eq)]
enum Queue {
    Empty,
    /// No file descriptor is free.
    Full,
}

fn accept(
    listener: &TcpListener,
    epoll: &Epoll,
    connections: &mut Slots<Connection>,
    open: impl Fn(TcpStream) -> io::Result<Connection>,
) -> io::Result<Queue> {
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Queue::Empty),
            // The client has closed already.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(error) if lacks_descriptors(&error) && !connections.is_empty() => {
                return Ok(Queue::Full);
            }
            Err(error) => return Err(error),
        };
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let token = connections.insert(open(stream)?);
        if let Some(connection) = connections.get_mut(token) {
            epoll.add(connection.stream(), u64::from(token), Interest::Read)?;
        }
    }
}

fn lacks_descriptors(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    matches!(
        code,
        Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM)
    )
}
