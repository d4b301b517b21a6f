//! The hot loop allocates nothing: shown by counting, for every transport.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::*;
use crate::flow;
use crate::job::{self, StopRule, WarmUp};
use crate::random::Random;
use crate::recorder::{Catalogue, Seconds, Series};
use crate::system::mailbox::mailbox;

#[path = "../../tests/support/connections.rs"]
#[allow(dead_code, reason = "written for the tests of a whole run")]
mod connections;
#[path = "../../tests/support/folder.rs"]
mod folder;
#[path = "../../tests/support/h2_server.rs"]
#[allow(dead_code, reason = "written for the tests of a whole run")]
mod h2_server;
#[path = "../../tests/support/http_server.rs"]
#[allow(dead_code, reason = "written for the tests of a whole run")]
mod http_server;
#[path = "../../tests/support/tls_front.rs"]
#[allow(dead_code, reason = "written for the tests of a whole run")]
mod tls_front;

use folder::Folder;
use tls_front::Front;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is left to the system's allocator; counting touches a thread-local number
// that needs neither separate memory nor a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const TRANSACTIONS: u64 = 3_000;
/// Making the schedule of the window, and one entry for each second that the window touches.
const FEW: u64 = 40;

/// How often the worker allocates in a window of many transactions.
fn allocations<C: Codec>(transport: &str, address: SocketAddr, streams: u32) -> u64 {
    allocations_of::<C>(transport, address, streams, "null", "null")
}

/// The same, with a requested stream, or over TLS.
fn allocations_of<C: Codec>(
    transport: &str,
    address: SocketAddr,
    streams: u32,
    stream: &str,
    tls: &str,
) -> u64 {
    allocations_in::<C>(&job_of(transport, address, streams, stream, tls))
}

fn job_of(transport: &str, address: SocketAddr, streams: u32, stream: &str, tls: &str) -> String {
    format!(
        r#"{{ "format": "wirelab-job/2", "output": "unused", "control": true, "targets": [{{
            "name": "test", "transport": "{transport}", "address": "{address}", "tls": {tls},
            "connections": {{ "count": 2, "streams_per_connection": {streams} }},
            "pacer": {{ "kind": "closed", "clients": {clients} }},
            "requests": [{{ "path": "/test.Test/Echo", "body": "aGVsbG8=", "stream": {stream},
                           "expect": {{ "must_not_contain": ["error"] }} }}],
            "transactions": [{{ "operation": "test", "rounds": [[0, 0], [0]] }}] }}] }}"#,
        clients = 2 * streams,
    )
}

/// How often the worker allocates in one window; and, not counting how it is prepared, in each of
/// several slices with a guard.
fn allocations_in<C: Codec>(text: &str) -> u64 {
    let mut worker = worker::<C>(text);
    assert!(worker.connect_all().unwrap());
    let warm_up = WarmUp {
        transactions: 300,
        seconds: 0.0,
    };
    let (warm, _) = counted(&mut worker, None, 0, Until::Warm(warm_up));
    assert!(warm.record.counts.transactions >= 300);

    let (window, count) = counted(&mut worker, Some(0), 0, until(TRANSACTIONS));
    assert_eq!(window.record.counts.transactions, TRANSACTIONS);
    assert_eq!(window.record.counts.failed(), 0);

    let mut all = 0;
    let mut in_slices = 0;
    for number in 1..4 {
        let part = until(TRANSACTIONS / 3);
        let (slice, count) = counted(&mut worker, Some(number), GUARD_NS, part);
        assert_eq!(slice.record.counts.transactions, TRANSACTIONS / 3);
        assert_eq!(slice.record.counts.failed(), 0);
        all += slice.record.counts.transactions + slice.unrecorded;
        in_slices += count;
    }
    // Of TLS, which allocates for each record, as much for each transaction as in the window.
    let expected = count * all / TRANSACTIONS;
    assert!(
        in_slices <= expected + 3 * FEW,
        "{in_slices} in slices, {expected} in a window of as many"
    );
    count
}

const GUARD_NS: u64 = 20_000_000;

fn until(transactions: u64) -> Until {
    Until::Stop(StopRule {
        transactions: Some(transactions),
        ..StopRule::default()
    })
}

/// Carries out a slice and counts how often that allocates.
fn counted<C: Codec>(
    worker: &mut Worker<C>,
    number: Option<u32>,
    guard_ns: u64,
    until: Until,
) -> (Measured, u64) {
    let begin = worker.clock.now();
    let order = Order {
        number,
        begin,
        start: begin + guard_ns,
        until,
        first: 0,
        counting: (guard_ns > 0).then(|| flow::Counting::new(1)),
        gives_up: false,
        seed: None,
        pacer: None,
        is_whole: false,
        spare: Box::default(),
    };
    let before = ALLOCATIONS.get();
    let measured = worker.carry_out(order).unwrap();
    (measured, ALLOCATIONS.get() - before)
}

fn worker<C: Codec>(text: &str) -> Worker<C> {
    let job = job::parse(text).unwrap();
    let target = Arc::clone(&job.targets[0]);
    let (_commands, receiver) = channel();
    let (reports, _reports) = mailbox();
    let name = {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        format!("wirelab-spill-{number}-{}", std::process::id())
    };
    let spill = std::env::temp_dir().join(name);
    let catalogue = Arc::new(Catalogue::new(&target));
    let assignment = Assignment {
        plan: Arc::new(Plan::new(&target)),
        target,
        number: 0,
        member: 0,
        share: Share {
            worker: 0,
            workers: 1,
        },
        clock: Clock::new(),
        cpu: None,
        real_time: false,
        seed: 1,
        recorder: Recorder::new(Some(spill), Arc::default(), catalogue, None).unwrap(),
        answers: Answers::new(None, 0).unwrap(),
        commands: receiver,
        wakeup: Arc::new(Wakeup::new().unwrap()),
        reports,
        reported: Arc::new(Wakeup::new().unwrap()),
    };
    Worker::new(assignment).unwrap()
}

#[test]
fn an_hour_takes_a_row_for_each_second_and_nothing_else() {
    const SECOND_NS: i64 = 1_000_000_000;
    let ((finished, inbox), (spare, spares)) = (mailbox(), mailbox());
    spare.send(Box::default());
    let mut series = Series::new(0, 0, finished, spares);
    let mut seconds = Seconds::new(1);
    let mut random = Random::new(1);
    let mut run = |numbers: std::ops::Range<i64>| {
        let before = ALLOCATIONS.get();
        for second in numbers {
            for transaction in 0..50 {
                // Spread over five decades.
                let response_ns = (10_f64.powf(4.0 + 5.0 * random.unit())) as i64;
                let end_ns = second * SECOND_NS + transaction;
                series.record(end_ns, response_ns / 2, response_ns, false);
            }
            while let Some((_, worker, mut second)) = inbox.take() {
                seconds.take(worker, &mut second);
                spare.send(second);
            }
        }
        ALLOCATIONS.get() - before
    };
    run(0..100);
    let count = run(100..3_600);
    assert!(count < FEW, "{count} allocations");
    seconds.end();
    assert_eq!(seconds.rows.len(), 3_599);
    assert!(size_of_val(&seconds.rows[0]) <= 40);
}

#[test]
fn http1_allocates_nothing() {
    let address = http_server::constant(http_server::ok(b"hello"));
    assert!(allocations::<Http1>("http1", address, 1) < FEW);
}

#[test]
fn many_requests_of_several_operations_allocate_nothing() {
    let (http1, http2) = (
        http_server::constant(http_server::ok(b"hello")),
        h2_server::serve(|request| {
            h2_server::Answer::Reply(200, vec![], request.body.clone(), vec![])
        }),
    );
    for (transport, address) in [("http1", http1), ("http2", http2)] {
        let job = job_of(transport, address, 1, "null", "null");
        let mut job: serde_json::Value = serde_json::from_str(&job).unwrap();
        let target = &mut job["targets"][0];
        target["requests"] = (0..500)
            .map(|number| serde_json::json!({ "path": format!("/{number}") }))
            .collect();
        target["transactions"] = (0..500)
            .map(|number| {
                let operation = format!("operation {}", number % 7);
                serde_json::json!({ "operation": operation, "rounds": [[number]] })
            })
            .collect();
        let count = match transport {
            "http1" => allocations_in::<Http1>(&job.to_string()),
            _ => allocations_in::<Http2<Plain>>(&job.to_string()),
        };
        assert!(count < FEW, "{transport}: {count} allocations");
    }
}

#[test]
fn stamps_of_the_kernel_allocate_nothing() {
    let address = http_server::constant(http_server::ok(b"hello"));
    let closed = r#"{ "kind": "closed", "clients": 2 }"#;
    let open = r#"{ "kind": "constant", "rate_per_s": 5000 }"#;
    let text = job_of("http1", address, 1, "null", "null").replace(closed, open);
    assert_eq!(
        job::parse(&text).unwrap().targets[0].arrival,
        Arrival::Kernel
    );
    assert!(allocations_in::<Http1>(&text) < FEW);
}

#[test]
fn chunked_bodies_allocate_nothing() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let address = http_server::constant(chunked.to_vec());
    assert!(allocations::<Http1>("http1", address, 1) < FEW);
}

#[test]
fn http2_and_grpc_allocate_nothing() {
    let address = h2_server::serve(|request| match request.headers.get("te") {
        // A date that changes, as it does in life, keeps the compression table busy.
        None => h2_server::Answer::Reply(
            200,
            vec![("date", format!("{:08}", request.number))],
            request.body.clone(),
            vec![],
        ),
        Some(_) => h2_server::Answer::grpc(&request.body[5..], "0"),
    });
    assert!(allocations::<Http2<Plain>>("http2", address, 8) < FEW);
    assert!(allocations::<Grpc>("grpc", address, 8) < FEW);
}

/// Sends each message back several times.
fn websocket_server(times: u32) -> SocketAddr {
    connections::serve(move |stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        while let Ok(message) = socket.read() {
            for _ in 0..times {
                if message.is_text() && socket.send(message.clone()).is_err() {
                    return;
                }
            }
        }
    })
}

#[test]
fn websocket_allocates_nothing() {
    let address = websocket_server(1);
    assert!(allocations::<Websocket>("websocket", address, 2) < FEW);
}

/// rustls allocates for each record that it seals or opens, and we nothing besides.
#[test]
fn tls_allocates_once_for_each_record() {
    let insecure = r#"{ "insecure": true }"#;
    let front = Front::of(http_server::constant(http_server::ok(b"hello")));
    let requests = 3 * TRANSACTIONS;
    let count = allocations_of::<Http1>("http1", front.address, 1, "null", insecure);
    let records = 2 * requests;
    assert!(
        (records..records + FEW).contains(&count),
        "{count} for {records} records"
    );
}

#[test]
fn streams_allocate_nothing() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let events = b"9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n";
    let address = http_server::constant([&head[..], events].concat());
    assert!(allocations_of::<Http1>("http1", address, 1, "{}", "null") < FEW);

    let address = h2_server::serve(|request| {
        let headers = vec![("content-type", "application/grpc".to_string())];
        let body = request.body.repeat(3);
        h2_server::Answer::Reply(200, headers, body, vec![("grpc-status", "0")])
    });
    let sent = r#"{ "send": 4 }"#;
    assert!(allocations_of::<Grpc>("grpc", address, 8, sent, "null") < FEW);

    let address = h2_server::serve(|_| h2_server::Answer::plain(200, b"a\nb\nc\n"));
    let lines = r#"{ "items": "lines" }"#;
    assert!(allocations_of::<Http2<Plain>>("http2", address, 8, lines, "null") < FEW);

    let address = websocket_server(3);
    let pushed = r#"{ "until_items": 3 }"#;
    assert!(allocations_of::<Websocket>("websocket", address, 2, pushed, "null") < FEW);
}

#[test]
fn an_abort_after_a_finish_aborts_the_slice() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let text = job_of("http1", silent.local_addr().unwrap(), 1, "null", "null");
    let mut worker = worker::<Http1>(&text);
    assert!(worker.connect_all().unwrap());
    let (commands, receiver) = channel();
    worker.commands = receiver;
    for command in [Command::Finish, Command::Abort] {
        commands.send(command).unwrap();
    }
    worker.wakeup.wake();
    let begun = Instant::now();
    let (slice, _) = counted(&mut worker, Some(0), 0, until(TRANSACTIONS));
    assert!(begun.elapsed() < Duration::from_secs(5), "it drains");
    assert!(slice.dropped > 0);
    assert_eq!(slice.record.counts.transactions, 0);
}

#[test]
fn allocations_are_counted() {
    let before = ALLOCATIONS.get();
    let mut text = vec![1u8];
    text.reserve(100);
    assert_eq!(ALLOCATIONS.get() - before, 2);
    std::io::sink().write_all(&text).unwrap();
}
