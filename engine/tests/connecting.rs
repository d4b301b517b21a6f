//! Options for where connections come from and lead to, and for waiting until a server answers.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::Folder;
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::{Null, load, result};

/// An address at which nothing listens yet.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// Answers one request after another on a connection.
fn answer_all(mut stream: impl Read + Write, answer: &[u8]) {
    let mut request = [0; 4096];
    while stream.read(&mut request).is_ok_and(|length| length > 0) {
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

#[test]
fn another_address_keeps_the_name() {
    let names = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&names);
    let address = serve(move |request, stream| {
        let host = request
            .head
            .lines()
            .find(|it| it.to_lowercase().starts_with("host:"));
        seen.lock().unwrap().insert(host.unwrap().to_lowercase());
        stream.write_all(&ok(b"x")).unwrap();
        Then::Keep
    });
    let options = [
        "-n",
        "4",
        "-c",
        "1",
        "--json",
        "--connect-to",
        &address.to_string(),
    ];
    let output = load(&[&["http://games.invalid/"][..], &options].concat());
    assert_eq!(result(&output)["counts"]["succeeded"], 4);
    let names: Vec<String> = names.lock().unwrap().iter().cloned().collect();
    assert_eq!(names, ["host: games.invalid"]);
}

#[test]
fn each_of_several_servers_may_have_another_address() {
    let addresses = [(); 2].map(|()| {
        serve(|_, stream| {
            let _ = stream.write_all(&ok(b"x"));
            Then::Keep
        })
        .to_string()
    });
    let servers = [
        "http://a.invalid/",
        "http://b.invalid/",
        "-d",
        "1s",
        "--warm-up",
        "0s",
    ];
    let both = ["--connect-to", &addresses[0], "--connect-to", &addresses[1]];
    let output = load(&[&servers[..], &both].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = load(&[&["http://c.invalid/"][..], &both].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_unix_socket_is_an_address() {
    let folder = Folder::new();
    let path = folder.0.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer_all(stream.unwrap(), &ok(b"four")));
        }
    });
    let to = format!("unix:{}", path.display());
    let load = |more: &[&str]| {
        let common = [
            "http://localhost/",
            "-n",
            "50",
            "-c",
            "2",
            "--connect-to",
            &to,
            "--json",
        ];
        load(&[&common, more].concat())
    };
    for more in [&[][..], &["-r", "500"], &["--no-reuse"]] {
        let result = result(&load(more));
        assert_eq!(result["counts"]["succeeded"], 50, "{more:?}");
        assert_eq!(
            result["bytes"]["window"]["payload_received"], 200,
            "{more:?}"
        );
    }
    std::fs::remove_file(&path).unwrap();
    let output = load(&[]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(&to));
}

#[test]
fn connections_take_their_sources_in_turn() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let peers = Arc::new(Mutex::new(Vec::<IpAddr>::new()));
    let seen = Arc::clone(&peers);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            seen.lock().unwrap().push(stream.peer_addr().unwrap().ip());
            thread::spawn(move || answer_all(stream, &ok(b"x")));
        }
    });
    let output = load(&[
        &url,
        "-n",
        "20",
        "-c",
        "4",
        "--source",
        "127.0.0.2,127.0.0.3",
        "--json",
    ]);
    assert_eq!(result(&output)["counts"]["succeeded"], 20);
    let mut peers = peers.lock().unwrap().clone();
    peers.sort();
    let expected = [
        [127, 0, 0, 2],
        [127, 0, 0, 2],
        [127, 0, 0, 3],
        [127, 0, 0, 3],
    ];
    assert_eq!(peers, expected.map(IpAddr::from));
    let output = load(&[&url, "-n", "1", "--source", "192.0.2.1"]);
    assert_eq!(
        output.status.code(),
        Some(3),
        "not an address of this machine"
    );
}

#[test]
fn the_name_for_tls_may_differ_from_the_host() {
    let null = Null::start_with("http", "10", &["--tls"]);
    let load = |more: &[&str]| {
        let common = ["https://games.invalid/", "-n", "5", "-c", "1", "--json"];
        let there = ["--connect-to", &null.authority, "--ca", &null.certificate];
        load(&[&common[..], &there, more].concat())
    };
    assert_eq!(load(&[]).status.code(), Some(3));
    let output = load(&["--server-name", "localhost"]);
    assert_eq!(result(&output)["counts"]["succeeded"], 5);
}

#[test]
fn connecting_has_its_own_time_out() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", silent.local_addr().unwrap());
    let began = Instant::now();
    let output = load(&[&url, "-n", "1", "--insecure", "--connect-timeout", "200ms"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[test]
fn the_load_waits_until_the_server_answers() {
    let address = free_address();
    let url = format!("http://{address}/orders");
    let wanted = ["-n", "5", "-c", "1", "--data", "{}", "--json"];
    assert_eq!(
        load(&[&[url.as_str()], &wanted[..]].concat()).status.code(),
        Some(3)
    );
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        let listener = TcpListener::bind(address).unwrap();
        for stream in listener.incoming() {
            let (mut stream, seen) = (stream.unwrap(), Arc::clone(&seen));
            thread::spawn(move || {
                let mut request = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut request) {
                    let mut seen = seen.lock().unwrap();
                    let method = request[..length].split(|&it| it == b' ').next().unwrap();
                    seen.push(String::from_utf8_lossy(method).into_owned());
                    let _ = match seen.len() {
                        1 | 2 => stream.write_all(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"),
                        3 => stream.write_all(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
                        _ => stream.write_all(&ok(b"x")),
                    };
                }
            });
        }
    });
    let output = load(&[&[url.as_str()], &wanted[..], &["--wait", "20s"]].concat());
    assert_eq!(result(&output)["counts"]["succeeded"], 5);
    let expected = ["GET", "GET", "GET", "POST", "POST", "POST", "POST", "POST"];
    assert_eq!(
        *heads.lock().unwrap(),
        expected,
        "it was asked until it was ready"
    );
}

#[test]
fn waiting_has_an_end() {
    let url = format!("http://{}/", free_address());
    let began = Instant::now();
    let output = load(&[&url, "-n", "1", "--wait", "400ms"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let elapsed = began.elapsed();
    assert!(elapsed > Duration::from_millis(400) && elapsed < Duration::from_secs(5));
}

#[test]
fn servers_of_other_protocols_are_awaited_by_their_handshake_or_health() {
    for (protocol, scheme) in [("grpc", "grpc"), ("ws", "ws")] {
        let null = Null::start(protocol, "5");
        let url = format!("{scheme}://{}/test.Test/Echo", null.authority);
        let output = load(&[&url, "-n", "5", "-c", "1", "--wait", "5s", "--json"]);
        assert_eq!(result(&output)["counts"]["succeeded"], 5, "{url}");
    }
}
