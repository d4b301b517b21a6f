//! Transfers pieces of streams to and from a QUIC connection.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;
use quinn_proto::{Connection, Dir, ReadError, StreamEvent, StreamId, VarInt, WriteError};

use crate::transport::http3::piece::{HEADER, Kind, Piece};

/// The difference between the numbers of consecutive client streams.
const APART: u64 = 4;
/// How long a server may take to allow more streams.
const PATIENCE: Duration = Duration::from_secs(1);

/// The streams of a connection. Streams for calls are opened before their use, because only that
/// shows whether the server allows them; the server does not see them until they are used.
#[derive(Default)]
pub struct Streams {
    /// The number of concurrent calls; 0 on the server's side.
    most: u64,
    /// The number of call streams opened, used, and reported to the protocol so far.
    opened: u64,
    used: u64,
    told: u64,
    /// Since when no stream has been available.
    exhausted: Option<Instant>,
    /// The bytes that wait for flow control.
    blocked: Vec<Blocked>,
    /// Streams with bytes to read.
    readable: VecDeque<StreamId>,
    /// The control stream, if the peer has stopped it and the protocol does not know yet.
    stopped: Option<StreamId>,
}

struct Blocked {
    stream: StreamId,
    kind: Kind,
    bytes: Vec<u8>,
    written: usize,
}

impl Streams {
    /// No stream; for `most` concurrent calls.
    pub fn new(most: u32) -> Self {
        Self {
            most: most.into(),
            ..Self::default()
        }
    }

    /// The connection is established: opens the control stream and the first call streams.
    pub fn begin(&mut self, connection: &mut Connection) {
        // Without it, the peer closes the connection with an error.
        let _ = connection.streams().open(Dir::Uni);
        self.open_ahead(connection);
    }

    fn open_ahead(&mut self, connection: &mut Connection) {
        if self.opened - self.used >= self.most {
            return;
        }
        while self.opened - self.used < 2 * self.most {
            if connection.streams().open(Dir::Bi).is_none() {
                return;
            }
            self.opened += 1;
        }
    }

    /// When the wait for more streams ends.
    pub fn patience_ends(&self) -> Option<Instant> {
        self.exhausted.map(|since| since + PATIENCE)
    }

    /// Reports the number of open streams to the protocol again.
    pub fn tell_again(&mut self, now: Instant) {
        self.told = 0;
        self.exhausted = Some(now);
    }

    /// Handles an event of a stream.
    pub fn note(&mut self, connection: &mut Connection, event: StreamEvent) {
        match event {
            StreamEvent::Readable { id } => self.readable.push_back(id),
            StreamEvent::Opened { dir } => {
                while let Some(id) = connection.streams().accept(dir) {
                    self.readable.push_back(id);
                }
            }
            StreamEvent::Stopped { id, .. } if id.dir() == Dir::Uni => self.stopped = Some(id),
            StreamEvent::Writable { .. } | StreamEvent::Stopped { .. } => {
                self.blocked.retain_mut(|it| !it.retry(connection));
            }
            // More streams may be open: `take` checks that.
            StreamEvent::Available { .. } | StreamEvent::Finished { .. } => {}
        }
    }

    /// Sends the pieces of a row, up to one that ends the connection; those that flow control
    /// blocks are kept.
    pub fn send(&mut self, connection: &mut Connection, mut row: &[u8]) {
        while let Some(piece) = Piece::take(&mut row) {
            if piece.kind == Kind::Close {
                let code = number(piece.code());
                return connection.close(Instant::now(), code, Bytes::new());
            }
            let stream = id(piece.stream);
            if piece.kind == Kind::Reset {
                let code = number(piece.code());
                // This fails only for a stream that has ended.
                let _ = connection.send_stream(stream).reset(code);
                let _ = connection.recv_stream(stream).stop(code);
                self.blocked.retain(|other| other.stream != stream);
                continue;
            }
            if stream.initiator() == connection.side() && stream.dir() == Dir::Bi {
                self.used = self.used.max(stream.index() + 1);
            }
            if let Some(written) = send(connection, stream, piece.kind, piece.bytes) {
                self.blocked.push(Blocked {
                    stream,
                    kind: piece.kind,
                    bytes: piece.bytes.to_vec(),
                    written,
                });
            }
        }
    }

    /// Writes received bytes to the front of `row`, as whole pieces; returns their length.
    pub fn take(&mut self, connection: &mut Connection, row: &mut [u8]) -> usize {
        let mut filled = 0;
        self.open_ahead(connection);
        match self.used < self.opened || self.most == 0 {
            true => self.exhausted = None,
            false => _ = self.exhausted.get_or_insert_with(Instant::now),
        }
        if self.told != self.opened {
            self.told = self.opened;
            let header = Piece::header(APART * self.opened, Kind::Allowed, 0);
            row[..HEADER].copy_from_slice(&header);
            filled = HEADER;
        }
        if let Some(stream) = self.stopped.take() {
            let header = Piece::header(stream.into(), Kind::Reset, 0);
            row[filled..filled + HEADER].copy_from_slice(&header);
            filled += HEADER;
        }
        while let Some(&stream) = self.readable.front() {
            if !read(connection, stream, row, &mut filled) {
                break;
            }
            self.readable.pop_front();
        }
        filled
    }
}

impl Blocked {
    /// Retries. True if nothing is left.
    fn retry(&mut self, connection: &mut Connection) -> bool {
        let rest = &self.bytes[self.written..];
        let written = send(connection, self.stream, self.kind, rest);
        self.written += written.unwrap_or(0);
        written.is_none()
    }
}

fn id(stream: u64) -> StreamId {
    StreamId::from(number(stream))
}

fn number(number: u64) -> VarInt {
    // Numbers from QUIC, those counted up from 0, and error codes are within its range.
    VarInt::from_u64(number).unwrap_or(VarInt::MAX)
}

/// Sends on a stream. Returns the number of bytes sent, if not all.
fn send(connection: &mut Connection, stream: StreamId, kind: Kind, bytes: &[u8]) -> Option<usize> {
    let mut stream = connection.send_stream(stream);
    let mut written = 0;
    while written < bytes.len() {
        match stream.write(&bytes[written..]) {
            Ok(count) => written += count,
            Err(WriteError::Blocked) => return Some(written),
            // The peer has stopped the stream.
            Err(WriteError::Stopped(_) | WriteError::ClosedStream) => return None,
        }
    }
    if kind == Kind::Last {
        let _ = stream.finish();
    }
    None
}

/// Reads a stream into the row. False if the row had no room for all of it.
fn read(connection: &mut Connection, stream: StreamId, row: &mut [u8], filled: &mut usize) -> bool {
    let mut received = connection.recv_stream(stream);
    let Ok(mut chunks) = received.read(true) else {
        return true;
    };
    let mut last = None;
    let is_done = loop {
        let room = row.len().saturating_sub(*filled + HEADER);
        if room < size_of::<u64>() {
            break false;
        }
        let (kind, bytes) = match chunks.next(room) {
            Ok(Some(chunk)) => (Kind::Part, chunk.bytes),
            Ok(None) => match last {
                Some((position, length)) => {
                    let header = Piece::header(stream.into(), Kind::Last, length);
                    row[position..position + HEADER].copy_from_slice(&header);
                    break true;
                }
                None => (Kind::Last, Bytes::new()),
            },
            Err(ReadError::Blocked) => break true,
            Err(ReadError::Reset(code)) => {
                let code = code.into_inner().to_le_bytes();
                (Kind::Reset, Bytes::copy_from_slice(&code))
            }
        };
        let (position, content) = (*filled, *filled + HEADER);
        *filled = content + bytes.len();
        row[position..content].copy_from_slice(&Piece::header(stream.into(), kind, bytes.len()));
        row[content..*filled].copy_from_slice(&bytes);
        if kind != Kind::Part {
            break true;
        }
        last = Some((position, bytes.len()));
    };
    // The next transmission extends the windows, as its result asks.
    let _ = chunks.finalize();
    is_done
}
