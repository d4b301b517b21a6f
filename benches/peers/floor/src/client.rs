//! The limit client: the system calls of a request and two readings of the clock, nothing else.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::Failure;
use crate::arguments::Arguments;
use crate::epoll::Epoll;
use crate::histogram::Histogram;
use crate::process::monotonic_ns;
use crate::wire::{self, Exchange};

const BUFFER: usize = 64 * 1024;

pub struct Client {
    exchange: Exchange,
    connections: Vec<Connection>,
    epoll: Epoll,
    buffer: Vec<u8>,
    latencies: Histogram,
}

struct Connection {
    stream: TcpStream,
    /// When the request under way was sent, or was meant to be.
    began_ns: u64,
    missing: usize,
}

pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let known = ["path", "message", "connections", "seconds", "rate"];
    let arguments = Arguments::read(arguments, &known)?;
    let address = arguments.word(1, "the address of the server")?.parse()?;
    let count = arguments.number("connections", 64)?;
    let mut client = match arguments.word(0, "http1 or websocket")? {
        "http1" => {
            let path = arguments.text("path").unwrap_or("/");
            Client::connect(wire::http1(address, path)?, count, || {
                Ok(wire::connect(address)?)
            })?
        }
        "websocket" => {
            let file = arguments.text("message").ok_or("--message is missing")?;
            let exchange = wire::websocket(&std::fs::read(file)?);
            Client::connect(exchange, count, || open_websocket(address))?
        }
        other => return Err(format!("{other:?} is neither http1 nor websocket").into()),
    };
    let seconds = arguments.number("seconds", 5.0)?;
    let began = monotonic_ns();
    match arguments.number("rate", 0.0)? {
        0.0 => client.run_closed(seconds)?,
        rate => client.run_at(rate, seconds)?,
    }
    client.print((monotonic_ns() - began) as f64 / 1e9);
    Ok(())
}

fn open_websocket(address: SocketAddr) -> Result<TcpStream, Failure> {
    let mut stream = wire::connect(address)?;
    wire::upgrade(&mut stream, address)?;
    Ok(stream)
}

impl Client {
    pub fn connect(
        exchange: Exchange,
        count: usize,
        open: impl Fn() -> Result<TcpStream, Failure>,
    ) -> Result<Self, Failure> {
        let epoll = Epoll::new()?;
        let mut connections = Vec::with_capacity(count);
        for token in 0..count {
            let stream = open()?;
            stream.set_nonblocking(true)?;
            epoll.add(&stream, token)?;
            connections.push(Connection {
                stream,
                began_ns: 0,
                missing: 0,
            });
        }
        Ok(Self {
            exchange,
            connections,
            epoll,
            buffer: vec![0; BUFFER],
            latencies: Histogram::new(),
        })
    }

    pub fn requests(&self) -> u64 {
        self.latencies.count()
    }

    /// Every connection sends its next request when the last one was answered.
    pub fn run_closed(&mut self, seconds: f64) -> Result<(), Failure> {
        let end_ns = monotonic_ns() + (seconds * 1e9) as u64;
        for token in 0..self.connections.len() {
            self.send(token, monotonic_ns())?;
        }
        loop {
            for index in 0..self.epoll.wait(-1)? {
                let token = self.epoll.token(index);
                if self.receive(token)? {
                    let now_ns = monotonic_ns();
                    if now_ns >= end_ns {
                        return Ok(());
                    }
                    self.send(token, now_ns)?;
                }
            }
        }
    }

    /// Requests at equal distances, never asleep; latency counts from when each was due.
    pub fn run_at(&mut self, rate_per_s: f64, seconds: f64) -> Result<(), Failure> {
        let mut free: Vec<usize> = (0..self.connections.len()).collect();
        let began_ns = monotonic_ns();
        let due_ns = |sent: u64| began_ns + (sent as f64 / rate_per_s * 1e9) as u64;
        let total = (rate_per_s * seconds) as u64;
        let mut sent = 0;
        while self.requests() < total {
            while sent < total && due_ns(sent) <= monotonic_ns() {
                let Some(token) = free.pop() else { break };
                self.send(token, due_ns(sent))?;
                sent += 1;
            }
            for index in 0..self.epoll.wait(0)? {
                let token = self.epoll.token(index);
                if self.receive(token)? {
                    free.push(token);
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, token: usize, began_ns: u64) -> Result<(), Failure> {
        let connection = &mut self.connections[token];
        connection.missing = self.exchange.answer_length;
        connection.began_ns = began_ns;
        let request = &self.exchange.request;
        if connection.stream.write(request)? != request.len() {
            return Err("a request did not fit into the socket's buffer".into());
        }
        Ok(())
    }

    /// Reads once; true when the answer is complete, and then it is counted.
    fn receive(&mut self, token: usize) -> Result<bool, Failure> {
        let connection = &mut self.connections[token];
        let count = connection.stream.read(&mut self.buffer)?;
        if count == 0 || count > connection.missing {
            return Err(format!("{count} bytes came, not {}", connection.missing).into());
        }
        connection.missing -= count;
        if connection.missing > 0 {
            return Ok(false);
        }
        self.latencies
            .record(monotonic_ns().saturating_sub(connection.began_ns));
        Ok(true)
    }

    fn print(&self, seconds: f64) {
        let latencies = &self.latencies;
        println!(
            "{{\"requests\": {}, \"seconds\": {seconds:.6}, \"mean_us\": {:.3}, \"p50_us\": {}, \
             \"p99_us\": {}}}",
            latencies.count(),
            latencies.mean_us(),
            latencies.quantile_us(0.50),
            latencies.quantile_us(0.99),
        );
    }
}
