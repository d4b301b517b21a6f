//! Servers of HTTP/2 by hand, which change their mind about a connection while calls are under way.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::raw_server::frame;
use crate::support::{job, run_within};

const LIMIT: Duration = Duration::from_secs(30);
/// How long a server waits for what should come at once.
const PATIENCE: Duration = Duration::from_secs(5);

const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
/// A status alone, which ends the stream.
const OK: [u8; 1] = [0x88];

/// The server's side of a connection.
struct Talk(TcpStream);

impl Talk {
    /// Opens the connection with these settings.
    fn open(mut stream: TcpStream, settings: &[u8]) -> Option<Self> {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.read_exact(&mut [0; 24]).ok()?;
        stream.write_all(&frame(SETTINGS, 0, 0, settings)).ok()?;
        Some(Self(stream))
    }

    /// The stream of the next request, which has no body. None at the end, or if none comes.
    fn request(&mut self) -> Option<u32> {
        loop {
            let mut header = [0; 9];
            self.0.read_exact(&mut header).ok()?;
            let [_, a, b, kind, _, c, d, e, f] = header;
            let mut payload = vec![0; usize::from(u16::from_be_bytes([a, b]))];
            self.0.read_exact(&mut payload).ok()?;
            if kind == 1 {
                return Some(u32::from_be_bytes([c, d, e, f]));
            }
        }
    }

    fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Option<()> {
        self.0.write_all(&frame(kind, flags, stream, payload)).ok()
    }

    fn answer(&mut self, stream: u32) -> Option<()> {
        self.send(1, 5, stream, &OK)
    }
}

/// Passes each connection and its number to `converse`, in a separate thread.
fn serve(converse: impl Fn(usize, TcpStream) -> Option<()> + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let converse = Arc::new(converse);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let converse = Arc::clone(&converse);
            std::thread::spawn(move || converse(number, stream.unwrap()));
        }
    });
    address
}

fn two_at_once(address: SocketAddr, transactions: u64) -> Value {
    let mut job = job("http2", address);
    job["connections"]["streams_per_connection"] = json!(2);
    job["connections"]["request_timeout_ms"] = json!(20_000);
    job["pacer"]["clients"] = json!(2);
    job["warm_up"] = json!({});
    job["stop"] = json!({ "transactions": transactions });
    job
}

#[test]
fn a_call_starts_as_soon_as_the_server_allows_its_stream() {
    const ONE: [u8; 6] = [0, 3, 0, 0, 0, 1];
    const TWO: [u8; 6] = [0, 3, 0, 0, 0, 2];
    let came = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&came);
    let address = serve(move |_, stream| {
        let mut talk = Talk::open(stream, &ONE)?;
        let first = talk.request()?;
        talk.send(SETTINGS, 0, 0, &TWO)?;
        let second = talk.request();
        seen.store(second.is_some(), Ordering::SeqCst);
        talk.answer(first)?;
        let second = second.or_else(|| talk.request())?;
        talk.answer(second)?;
        talk.request().map(|_| ())
    });
    let finished = run_within(LIMIT, two_at_once(address, 2));
    finished.assert_counts(2, json!({}));
    assert!(came.load(Ordering::SeqCst), "it waited for the first one");
}

#[test]
fn calls_use_another_connection_while_one_that_goes_away_drains() {
    let others = Arc::new(AtomicUsize::new(0));
    let address = serve(move |number, stream| {
        let mut talk = Talk::open(stream, &[])?;
        if number > 0 {
            while let Some(stream) = talk.request() {
                talk.answer(stream)?;
                others.fetch_add(1, Ordering::SeqCst);
            }
            return Some(());
        }
        let (slow, other) = (talk.request()?, talk.request()?);
        // Both will be served, and no others.
        talk.send(GOAWAY, 0, 0, &[0, 0, 0, 3, 0, 0, 0, 0])?;
        talk.answer(other)?;
        let began = Instant::now();
        while others.load(Ordering::SeqCst) < 10 && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        talk.answer(slow)?;
        talk.request().map(|_| ())
    });
    let finished = run_within(LIMIT, two_at_once(address, 20));
    finished.assert_counts(20, json!({}));
    assert_eq!(finished.number("bytes.lifetime.connections"), 2.0);
    let slowest = finished.number("latency_us.service.max");
    assert!(slowest < PATIENCE.as_micros() as f64, "{slowest}");
}

#[test]
fn a_connection_that_goes_away_with_waiting_calls_passes_them_on() {
    // A limit of one, so that the second call waits within the connection.
    const ONE: [u8; 6] = [0, 3, 0, 0, 0, 1];
    let address = serve(move |number, stream| {
        // The calls that wait for the connection are more than it will take.
        std::thread::sleep(Duration::from_millis(50));
        let mut talk = Talk::open(stream, if number == 1 { &ONE } else { &[] })?;
        if number == 1 {
            let slow = talk.request()?;
            talk.send(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0])?;
            std::thread::sleep(Duration::from_millis(500));
            return talk.answer(slow);
        }
        if number == 0 {
            return None; // closed before the load
        }
        while let Some(stream) = talk.request() {
            talk.answer(stream)?;
        }
        Some(())
    });
    let mut job = two_at_once(address, 20);
    job["connections"]["reuse"] = json!(true);
    let finished = run_within(LIMIT, job);
    finished.assert_counts(20, json!({}));
    let waited = finished.samples().into_iter();
    let slow = waited.filter(|it| it.end_ns - it.intended_ns > 400_000_000);
    assert_eq!(slow.count(), 1, "only the one that the server held");
}

#[test]
fn a_connection_that_cannot_be_opened_is_counted_and_the_others_are_used() {
    let address = serve(|number, stream| {
        if number >= 3 {
            return None;
        }
        let mut talk = Talk::open(stream, &[])?;
        while let Some(stream) = talk.request() {
            talk.answer(stream)?;
        }
        Some(())
    });
    let mut job = job("http2", address);
    job["connections"]["count"] = json!(4);
    job["pacer"]["clients"] = json!(4);
    let finished = run_within(LIMIT, job);
    finished.assert_counts(50, json!({}));
    assert_eq!(finished.number("connections.opened"), 3.0);
    let failed = finished.number("connections.failed.handshake_failed");
    assert!(failed >= 1.0, "{failed}");
    assert_eq!(finished.result["connections"]["violations"], json!({}));
}

#[test]
fn nothing_is_measured_if_no_connection_can_be_opened() {
    let address = serve(|_, _| None);
    let mut job = job("http2", address);
    job["connections"]["count"] = json!(100);
    let finished = run_within(LIMIT, job);
    assert_eq!(finished.code, 3, "{}", finished.stderr);
}
