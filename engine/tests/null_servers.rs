//! The null servers, by themselves and under load.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::null_server::{Null, load, result};

/// After this a null server is given up.
const TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn null_servers_stream_the_requested_number_of_items() {
    for (protocol, scheme, option, value) in [
        ("sse", "http", "--items", "events"),
        ("sse", "h2c", "--items", "events"),
        ("sse", "http", "--items", "chunks"),
        ("ws", "ws", "--until-items", "7"),
    ] {
        let null = Null::start_with(protocol, "20", &["--messages", "7"]);
        let url = format!("{scheme}://{}/", null.authority);
        let result = result(&load(&[
            &url, "-n", "30", "-c", "3", option, value, "--json",
        ]));
        assert_eq!(result["counts"]["succeeded"], 30, "{result:#}");
        assert_eq!(result["items"]["received"], 210, "{protocol} {scheme}");
    }
    let refused = load(&["null", "ws", "--bytes", "1000000", "--messages", "1000"]);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && text.contains("268435456"),
        "{text}"
    );
}

#[test]
fn null_servers_send_items_at_known_times() {
    for (protocol, scheme, option, value) in [
        ("sse", "http", "--items", "events"),
        ("ws", "ws", "--until-items", "10"),
    ] {
        let null = Null::start_with(protocol, "20", &["--messages", "10", "--every", "20ms"]);
        let url = format!("{scheme}://{}/", null.authority);
        let result = result(&load(&[
            &url, "-n", "4", "-c", "2", option, value, "--json",
        ]));
        assert_eq!(result["counts"]["succeeded"], 4, "{result:#}");
        let items = &result["items"];
        assert_eq!(
            (&items["received"], &items["gap_us"]["count"]),
            (&40.into(), &36.into())
        );
        // Each item has its own time, so that a late one does not delay the others.
        let mean = items["gap_us"]["mean"].as_f64().unwrap();
        assert!((15e3..30e3).contains(&mean), "{mean}");
        assert!(items["first_us"]["min"].as_f64().unwrap() >= 20e3);
    }
    let refused = load(&["null", "grpc", "--every", "20ms"]);
    assert!(!refused.status.success());
}

#[test]
fn a_null_server_accepts_bodies_in_chunks() {
    let null = Null::start("http", "5");
    let mut stream = TcpStream::connect(&null.authority).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let request = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\
                 3;a=b\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
    // In pieces, and the next request in the same breath as the end of the last.
    for piece in request.repeat(3).as_bytes().chunks(17) {
        stream.write_all(piece).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("200 OK").count(), 4, "{answers}");
    assert_eq!(answers.matches("xxxxx").count(), 4, "{answers}");
}

/// The server waits for a client that sends without reading, without using a CPU.
#[test]
fn a_null_server_uses_no_cpu_while_no_client_reads() {
    let null = Null::start("http", "3000");
    let mut stream = TcpStream::connect(&null.authority).unwrap();
    stream.set_nonblocking(true).unwrap();
    let request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000);
    // More than is read before the answers fill all there is to be filled.
    while stream.write(&request).is_ok() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let busy = || {
        let path = format!("/proc/{}/schedstat", null.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        let nanoseconds: u64 = text.split(' ').next().unwrap().parse().unwrap();
        Duration::from_nanos(nanoseconds)
    };
    std::thread::sleep(Duration::from_millis(100));
    let before = busy();
    std::thread::sleep(Duration::from_millis(500));
    let spent = busy() - before;
    assert!(spent < Duration::from_millis(50), "{spent:?}");

    // And it continues when the client reads.
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut answers = vec![0; 8 << 20];
    stream.read_exact(&mut answers).unwrap();
}

#[test]
fn a_null_server_ends_at_a_signal() {
    let mut null = Null::start("http", "10");
    // SAFETY: this process started the child and has not waited for it: the id is valid.
    unsafe { libc::kill(null.child.id() as i32, libc::SIGTERM) };
    assert!(null.child.wait().unwrap().success());
}

/// Whether an answer has come with its head and its body of five bytes.
fn is_whole(answer: &[u8]) -> bool {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n");
    head.is_some_and(|at| answer.len() >= at + 4 + 5)
}

/// It may open a few files only: who comes when there are none left waits until another one leaves.
#[test]
fn a_null_server_without_descriptors_continues_to_serve() {
    let null = Null::start("http", "5");
    let limit = libc::rlimit {
        rlim_cur: 24,
        rlim_max: 24,
    };
    // SAFETY: the process is our child and alive, and the limit outlives the call.
    let failed = unsafe {
        libc::prlimit(
            null.child.id() as i32,
            libc::RLIMIT_NOFILE,
            &raw const limit,
            std::ptr::null_mut(),
        )
    };
    assert_eq!(failed, 0);
    let ask = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        let mut part = [0; 512];
        while !is_whole(&answer) {
            let count = stream.read(&mut part).unwrap();
            assert_ne!(count, 0, "the server left");
            answer.extend_from_slice(&part[..count]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"));
    };
    let connect = || TcpStream::connect(&null.authority).unwrap();
    let mut early: Vec<TcpStream> = (0..8).map(|_| connect()).collect();
    early.iter_mut().for_each(ask);
    // More than there are descriptors for.
    let late: Vec<TcpStream> = (0..30).map(|_| connect()).collect();
    early.iter_mut().for_each(ask);
    // Those who have been served leave, and make room for those behind them.
    drop(early);
    late.into_iter().for_each(|mut next| ask(&mut next));
}
