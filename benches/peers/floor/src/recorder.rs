//! A server that never sleeps and notes when every request came and when its answer went.
//!
//! It is the independent witness: how evenly a generator really sends, and how long its requests
//! really took. A request comes when the kernel puts it into the socket (it stamps the packet), and
//! its answer goes when the kernel has taken it, which on the loopback interface is when the
//! client's socket has it. So the difference is what the client's machine saw, to some microseconds.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::mem::zeroed;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use crate::Failure;
use crate::arguments::Arguments;
use crate::epoll::Epoll;
use crate::process::{end_when_asked, is_asked_to_end, realtime_ns};
use crate::server::accept;
use crate::wire::{self, RequestEnds};

const LISTENER: usize = usize::MAX;
/// Room for the packet's stamp in the kernel's answer.
const CONTROL: usize = 128;

#[derive(Clone, Copy)]
struct Noted {
    arrived_ns: u64,
    answered_ns: u64,
}

struct Connection {
    stream: TcpStream,
    ends: RequestEnds,
}

struct Waiting {
    token: usize,
    arrived_ns: u64,
}

struct Recorder {
    connections: Vec<Option<Connection>>,
    waiting: VecDeque<Waiting>,
    noted: Vec<Noted>,
    answer: Vec<u8>,
    hold_ns: u64,
}

pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments = Arguments::read(arguments, &["output", "hold-us"])?;
    let listener = TcpListener::bind(arguments.word(0, "the address to listen on")?)?;
    let body = std::fs::read(arguments.word(1, "the file with the body")?)?;
    let output = arguments.text("output").ok_or("--output is missing")?;
    end_when_asked();
    let mut recorder = Recorder {
        connections: Vec::new(),
        waiting: VecDeque::with_capacity(1 << 16),
        noted: Vec::with_capacity(1 << 20),
        answer: wire::answer(&body),
        hold_ns: arguments.number("hold-us", 0)? * 1000,
    };
    recorder.serve(&listener)?;
    Ok(recorder.write(File::create(output)?)?)
}

impl Recorder {
    fn serve(&mut self, listener: &TcpListener) -> Result<(), Failure> {
        let mut epoll = Epoll::new()?;
        epoll.add(listener, LISTENER)?;
        let mut buffer = vec![0; 64 * 1024];
        while !is_asked_to_end() {
            for index in 0..epoll.wait(0)? {
                match epoll.token(index) {
                    LISTENER => {
                        let stream = accept(listener)?;
                        stamp_packets(&stream)?;
                        epoll.add(&stream, self.connections.len())?;
                        let ends = RequestEnds::default();
                        self.connections.push(Some(Connection { stream, ends }));
                    }
                    token => self.receive(token, &mut buffer),
                }
                self.answer_due();
            }
            self.answer_due();
        }
        Ok(())
    }

    fn receive(&mut self, token: usize, buffer: &mut [u8]) {
        let Some(connection) = &mut self.connections[token] else {
            return;
        };
        match receive_stamped(&connection.stream, buffer) {
            Ok((count, arrived_ns)) if count > 0 => {
                for _ in 0..connection.ends.count(&buffer[..count]) {
                    self.waiting.push_back(Waiting { token, arrived_ns });
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            _ => self.connections[token] = None,
        }
    }

    /// Answers what has waited long enough. All wait equally long, so the first came first.
    fn answer_due(&mut self) {
        while let Some(first) = self.waiting.front() {
            if realtime_ns() < first.arrived_ns + self.hold_ns {
                return;
            }
            let (token, arrived_ns) = (first.token, first.arrived_ns);
            self.waiting.pop_front();
            let Some(connection) = &mut self.connections[token] else {
                continue;
            };
            if connection.stream.write_all(&self.answer).is_err() {
                self.connections[token] = None;
                continue;
            }
            self.noted.push(Noted {
                arrived_ns,
                answered_ns: realtime_ns(),
            });
        }
    }

    /// Writes pairs of little-endian nanoseconds, arrival and answer.
    fn write(&self, file: File) -> io::Result<()> {
        let mut file = BufWriter::new(file);
        for noted in &self.noted {
            file.write_all(&noted.arrived_ns.to_le_bytes())?;
            file.write_all(&noted.answered_ns.to_le_bytes())?;
        }
        file.flush()
    }
}

/// Lets the kernel note when every packet comes in.
fn stamp_packets(stream: &TcpStream) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the kernel copies the number.
    let done = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Reads once; returns how many bytes, and when the kernel got the last of them.
fn receive_stamped(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<(usize, u64)> {
    let mut control = [0_u64; CONTROL / size_of::<u64>()];
    let mut slice = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: an all-zero msghdr is an empty one; its pointers are set to what outlives the call,
    // and the control part is looked at only when the kernel has filled it in.
    unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut slice;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = CONTROL;
        let count = libc::recvmsg(stream.as_raw_fd(), &raw mut message, 0);
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        let stamp_ns = stamp_of(&message).unwrap_or_else(realtime_ns);
        Ok((count as usize, stamp_ns))
    }
}

/// Finds the packet's stamp among what came with a message.
///
/// # Safety
/// The control part of `message` must be memory that the kernel has filled in.
unsafe fn stamp_of(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: by the caller's promise these walk headers that the kernel has written.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            let kind = ((*header).cmsg_level, (*header).cmsg_type);
            if kind == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
                let time = libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                return Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    None
}
