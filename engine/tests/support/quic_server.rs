//! An HTTP/3 server that sends selected frames, without end or as a script demands: QUIC by quinn's
//! state machine, over a socket and in a separate thread.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use quinn_proto::crypto::rustls::QuicServerConfig;
use quinn_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, ReadError,
    ServerConfig, Side, StreamId, TransportConfig, VarInt, WriteError,
};

use super::Folder;
use super::tls_front::{CA, Options, server_config};

/// What begins the control stream: its type, and settings that allow nothing special.
const CONTROL: [u8; 3] = [0, 4, 0];
/// An unknown type of streams (RFC 9114, section 6.2.3), and a byte of content.
const UNKNOWN_STREAM: [u8; 2] = [0x21, b'x'];
/// Status 200, and "hello".
const ANSWER: &[u8] = b"\x01\x03\0\0\xd9\0\x05hello";
/// How much of a flood waits here to be sent, on all streams of a connection.
const WAITING: u64 = 1 << 20;
/// How long a datagram is waited for before it is the turn of timers and floods.
const PAUSE: Duration = Duration::from_millis(1);
/// How long a test waits for the ends of connections, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of requests with which a script begins.
const HELD: usize = 2;

#[derive(Clone)]
pub enum Behaviour {
    /// In place of an answer: these bytes once, the others again and again.
    Reply(Vec<u8>, Vec<u8>),
    /// These bytes on the control stream, from the first request on.
    Control(Vec<u8>),
    /// Streams of an unknown type, each with a byte.
    Streams,
    /// Pings of QUIC.
    Pings,
    /// On the first connection, these acts instead of a control stream and of the answers to the
    /// first two requests, once both have arrived.
    Script(Vec<Act>),
}

#[derive(Clone)]
pub enum Act {
    /// Bytes on the stream of the first request (0) or of the second one (1).
    Reply(usize, Vec<u8>, Then),
    /// Bytes on a new stream.
    Open(Dir, Vec<u8>, Then),
    /// A request that the client stop its control stream.
    StopControl,
    /// The other acts follow after this time.
    Wait(Duration),
    /// Anything else.
    Do(Arc<dyn Fn() + Send + Sync>),
}

/// What becomes of a stream when its bytes are sent.
#[derive(Clone)]
pub enum Then {
    Stay,
    Finish,
    /// These bytes, again and again.
    Flood(Vec<u8>),
}

pub struct QuicServer {
    pub address: SocketAddr,
    /// Its certificate.
    pub ca: PathBuf,
    codes: Codes,
    _folder: Folder,
}

/// The error codes with which clients have closed connections, in this order.
type Codes = Arc<Mutex<Vec<u64>>>;

impl QuicServer {
    /// Behaves in this way for as long as the test process lives; also answers the requests if
    /// `answers` is set.
    pub fn start(behaviour: Behaviour, answers: bool) -> Self {
        let folder = Folder::new();
        let options = Options {
            protocols: &["h3"],
            ..Options::default()
        };
        let crypto = QuicServerConfig::try_from(server_config(&options, &folder)).unwrap();
        let mut transport = TransportConfig::default();
        transport.send_window(WAITING);
        let mut config = ServerConfig::with_crypto(Arc::new(crypto));
        config.transport_config(Arc::new(transport));
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        socket.set_read_timeout(Some(PAUSE)).unwrap();
        let codes = Codes::default();
        let seen = Arc::clone(&codes);
        std::thread::spawn(move || serve(&socket, config, &behaviour, answers, &seen));
        Self {
            address,
            ca: folder.0.join(CA),
            codes,
            _folder: folder,
        }
    }

    /// The error codes with which clients have closed connections, as soon as there are so many.
    pub fn codes(&self, count: usize) -> Vec<u64> {
        let start = Instant::now();
        loop {
            let codes = self.codes.lock().unwrap().clone();
            if codes.len() >= count || start.elapsed() > PATIENCE {
                return codes;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn serve(
    socket: &UdpSocket,
    config: ServerConfig,
    behaviour: &Behaviour,
    answers: bool,
    codes: &Codes,
) {
    let mut script = match behaviour {
        Behaviour::Script(acts) => Some(acts.clone()),
        _ => None,
    };
    let mut endpoint = Endpoint::new(Arc::default(), Some(Arc::new(config)), true, None);
    let mut clients: HashMap<ConnectionHandle, Client> = HashMap::new();
    let (mut datagram, mut packet) = ([0; 2048], Vec::new());
    loop {
        // It fails also if a client is gone, of which its connection learns in time.
        let received = socket.recv_from(&mut datagram);
        let now = Instant::now();
        if let Ok((length, from)) = received {
            let bytes = BytesMut::from(&datagram[..length]);
            match endpoint.handle(now, from, None, None, bytes, &mut packet) {
                Some(DatagramEvent::NewConnection(incoming)) => {
                    let accepted = endpoint.accept(incoming, now, &mut packet, None);
                    let (handle, connection) = accepted.unwrap();
                    clients.insert(handle, Client::new(connection, script.take()));
                }
                Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                    if let Some(client) = clients.get_mut(&handle) {
                        client.connection.handle_event(event);
                    }
                }
                _ => {}
            }
        }
        for (&handle, client) in &mut clients {
            let connection = &mut client.connection;
            if connection.poll_timeout().is_some_and(|at| at <= now) {
                connection.handle_timeout(now);
            }
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = endpoint.handle_event(handle, event) {
                    connection.handle_event(event);
                }
            }
            client.go_on(behaviour, answers, codes);
            packet.clear();
            while let Some(transmit) = client.connection.poll_transmit(now, 1, &mut packet) {
                let _ = socket.send_to(&packet[..transmit.size], transmit.destination);
                packet.clear();
            }
        }
        clients.retain(|_, client| !client.connection.is_drained());
    }
}

struct Client {
    connection: Connection,
    stands: bool,
    /// The control stream, until it is flooded.
    control: Option<StreamId>,
    /// Streams whose requests have not been read to their end.
    asking: Vec<StreamId>,
    /// What remains to be done once the requests for it are held.
    script: Option<Vec<Act>>,
    held: Vec<StreamId>,
    /// What remains to be done later.
    later: Option<(Instant, Vec<Act>)>,
    /// What is being sent. Answers come first, so that they find room beside a flood.
    sending: Vec<Sending>,
}

/// What goes out on a stream.
struct Sending {
    stream: StreamId,
    bytes: Vec<u8>,
    sent: usize,
    then: Then,
}

impl Client {
    fn new(connection: Connection, script: Option<Vec<Act>>) -> Self {
        Self {
            connection,
            stands: false,
            control: None,
            asking: Vec::new(),
            script,
            held: Vec::new(),
            later: None,
            sending: Vec::new(),
        }
    }

    fn go_on(&mut self, behaviour: &Behaviour, answers: bool, codes: &Codes) {
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => {
                    self.stands = true;
                    if self.script.is_none() {
                        self.control = Some(self.open(Dir::Uni, &CONTROL, Then::Stay));
                    }
                }
                Event::ConnectionLost { reason } => {
                    self.stands = false;
                    if let ConnectionError::ApplicationClosed(close) = reason {
                        codes.lock().unwrap().push(close.error_code.into_inner());
                    }
                }
                _ => {}
            }
        }
        if !self.stands {
            return;
        }
        while let Some(asking) = self.connection.streams().accept(Dir::Bi) {
            self.asking.push(asking);
        }
        for stream in std::mem::take(&mut self.asking) {
            if !is_read(&mut self.connection, stream) {
                self.asking.push(stream);
                continue;
            }
            if self.script.is_some() {
                self.hold(stream);
                continue;
            }
            match behaviour {
                Behaviour::Reply(first, piece) => {
                    self.begin(stream, first, Then::Flood(piece.clone()));
                }
                Behaviour::Control(piece) => {
                    if let Some(control) = self.control.take() {
                        self.begin(control, &[], Then::Flood(piece.clone()));
                    }
                }
                Behaviour::Streams | Behaviour::Pings | Behaviour::Script(_) => {}
            }
            if answers {
                self.begin(stream, ANSWER, Then::Finish);
            }
        }
        if let Some((_, acts)) = self.later.take_if(|(at, _)| *at <= Instant::now()) {
            self.act(acts);
        }
        let connection = &mut self.connection;
        self.sending.retain_mut(|it| it.go_on(connection));
        match behaviour {
            Behaviour::Streams => {
                while let Some(stream) = connection.streams().open(Dir::Uni) {
                    let mut stream = connection.send_stream(stream);
                    if stream.write(&UNKNOWN_STREAM).is_err() || stream.finish().is_err() {
                        break;
                    }
                }
            }
            Behaviour::Pings => connection.ping(),
            Behaviour::Reply(..) | Behaviour::Control(_) | Behaviour::Script(_) => {}
        }
    }

    /// Holds the stream of a request, and acts if there are enough.
    fn hold(&mut self, stream: StreamId) {
        self.held.push(stream);
        if self.held.len() < HELD {
            return;
        }
        let acts = self.script.take().unwrap_or_default();
        self.act(acts);
    }

    fn act(&mut self, acts: Vec<Act>) {
        let mut acts = acts.into_iter();
        while let Some(act) = acts.next() {
            match act {
                Act::Wait(time) => {
                    self.later = Some((Instant::now() + time, acts.collect()));
                    return;
                }
                Act::Do(anything) => anything(),
                Act::Reply(index, bytes, then) => self.begin(self.held[index], &bytes, then),
                Act::Open(dir, bytes, then) => _ = self.open(dir, &bytes, then),
                Act::StopControl => {
                    let control = StreamId::new(Side::Client, Dir::Uni, 0);
                    let mut control = self.connection.recv_stream(control);
                    control.stop(VarInt::from_u32(0)).unwrap();
                }
            }
        }
    }

    fn open(&mut self, dir: Dir, bytes: &[u8], then: Then) -> StreamId {
        let stream = self.connection.streams().open(dir).unwrap();
        self.begin(stream, bytes, then);
        stream
    }

    fn begin(&mut self, stream: StreamId, bytes: &[u8], then: Then) {
        let bytes = bytes.to_vec();
        self.sending.insert(
            0,
            Sending {
                stream,
                bytes,
                sent: 0,
                then,
            },
        );
    }
}

impl Sending {
    /// Sends as much as there is room for. False if nothing is left, or the client accepts no more.
    fn go_on(&mut self, connection: &mut Connection) -> bool {
        let mut stream = connection.send_stream(self.stream);
        loop {
            if self.sent == self.bytes.len() {
                match &self.then {
                    Then::Stay => return false,
                    Then::Finish => {
                        // It fails only if the client no longer accepts it.
                        let _ = stream.finish();
                        return false;
                    }
                    Then::Flood(piece) => self.bytes.clone_from(piece),
                }
                self.sent = 0;
            }
            match stream.write(&self.bytes[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) => return error == WriteError::Blocked,
            }
        }
    }
}

/// Reads what there is of a request. True if that was all.
fn is_read(connection: &mut Connection, stream: StreamId) -> bool {
    let mut received = connection.recv_stream(stream);
    let Ok(mut chunks) = received.read(true) else {
        return true;
    };
    let is_read = loop {
        match chunks.next(usize::MAX) {
            Ok(Some(_)) => {}
            Err(ReadError::Blocked) => break false,
            Ok(None) | Err(ReadError::Reset(_)) => break true,
        }
    };
    let _ = chunks.finalize();
    is_read
}
