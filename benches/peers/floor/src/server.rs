//! The raw server: one thread that reads and answers.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::Failure;
use crate::arguments::Arguments;
use crate::epoll::Epoll;
use crate::wire::{self, RequestEnds};

const LISTENER: usize = usize::MAX;

struct Connection {
    stream: TcpStream,
    ends: RequestEnds,
}

pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments = Arguments::read(arguments, &[])?;
    let listener = TcpListener::bind(arguments.word(0, "the address to listen on")?)?;
    let body = std::fs::read(arguments.word(1, "the file with the body")?)?;
    serve(&listener, &wire::answer(&body))
}

/// Answers until the process ends.
pub fn serve(listener: &TcpListener, answer: &[u8]) -> Result<(), Failure> {
    let mut epoll = Epoll::new()?;
    epoll.add(listener, LISTENER)?;
    let mut connections: Vec<Option<Connection>> = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        for index in 0..epoll.wait(-1)? {
            match epoll.token(index) {
                LISTENER => {
                    let stream = accept(listener)?;
                    epoll.add(&stream, connections.len())?;
                    let ends = RequestEnds::default();
                    connections.push(Some(Connection { stream, ends }));
                }
                token => {
                    let connection = connections[token].as_mut();
                    if !connection.is_some_and(|it| it.serve(&mut buffer, answer)) {
                        connections[token] = None;
                    }
                }
            }
        }
    }
}

pub fn accept(listener: &TcpListener) -> Result<TcpStream, Failure> {
    let (stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

impl Connection {
    /// Reads once and answers; false when the connection is over.
    fn serve(&mut self, buffer: &mut [u8], answer: &[u8]) -> bool {
        match self.stream.read(buffer) {
            Ok(0) => false,
            Ok(count) => {
                let requests = self.ends.count(&buffer[..count]);
                (0..requests).all(|_| self.stream.write_all(answer).is_ok())
            }
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }
}
