//! A small HTTP/1.1 server whose answers a test writes byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A request as it came in, numbered over all connections from 0.
pub struct Received {
    pub number: u64,
    pub path: String,
    pub head: String,
    pub body: Vec<u8>,
}

/// What happens to the connection after an answer.
#[derive(PartialEq, Eq)]
pub enum Then {
    Keep,
    /// The server closes as usual.
    Close,
    /// The server resets the connection.
    Reset,
}

/// Serves every connection in a separate thread, for as long as the test process lives.
pub fn serve(
    answer: impl Fn(&Received, &mut TcpStream) -> Then + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    let count = Arc::new(AtomicU64::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (answer, count) = (Arc::clone(&answer), Arc::clone(&count));
            std::thread::spawn(move || converse(stream.unwrap(), &*answer, &count));
        }
    });
    address
}

fn converse(
    mut stream: TcpStream,
    answer: &(dyn Fn(&Received, &mut TcpStream) -> Then + Send + Sync),
    count: &AtomicU64,
) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read_request(&mut reader, count) {
        match answer(&request, &mut stream) {
            Then::Keep => {}
            Then::Close => return,
            Then::Reset => {
                let socket = socket2::Socket::from(stream);
                socket.set_linger(Some(std::time::Duration::ZERO)).unwrap();
                return;
            }
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>, count: &AtomicU64) -> Option<Received> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if &head[before..] == "\r\n" {
            break;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1).unwrap().to_string();
    Some(Received {
        number: count.fetch_add(1, Ordering::SeqCst),
        path,
        head,
        body,
    })
}

/// An ordinary answer.
pub fn ok(body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    answer.push_str(std::str::from_utf8(body).unwrap());
    answer.into_bytes()
}

/// A server that always gives the same answer.
pub fn constant(answer: Vec<u8>) -> SocketAddr {
    serve(move |_, stream| {
        let _ = stream.write_all(&answer);
        Then::Keep
    })
}
