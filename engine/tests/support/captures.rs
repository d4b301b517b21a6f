//! Servers whose answers clients take values from, and the requests that they received.

use std::io::Write;
use std::net::SocketAddr;
use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::http_server::{Then, ok, serve};

/// A request as a server saw it: its path, its token, and its body.
pub type Received = (String, String, String);

/// The requests that a server received.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<Vec<Received>>>);

impl Seen {
    pub fn add(&self, path: &str, token: &str, body: &[u8]) {
        let body = String::from_utf8(body.into()).unwrap();
        self.0
            .lock()
            .unwrap()
            .push((path.into(), token.into(), body));
    }

    pub fn all(&self) -> Vec<Received> {
        self.0.lock().unwrap().clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.all().into_iter().map(|(path, _, _)| path).collect()
    }
}

/// The value of a header, or nothing.
fn header(head: &str, name: &str) -> String {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(of, _)| of.eq_ignore_ascii_case(name));
    found.map_or(String::new(), |(_, value)| value.into())
}

/// A server whose answers depend on the path, over HTTP/1.1.
pub fn answering(
    seen: &Seen,
    answer: impl Fn(&str, &str) -> String + Send + Sync + 'static,
) -> SocketAddr {
    let seen = seen.clone();
    serve(move |request, stream| {
        let token = header(&request.head, "authorization");
        seen.add(&request.path, &token, &request.body);
        let _ = stream.write_all(answer(&request.path, &token).as_bytes());
        Then::Keep
    })
}

fn text(answer: Vec<u8>) -> String {
    String::from_utf8(answer).unwrap()
}

pub fn json(body: &str) -> String {
    text(ok(body.as_bytes()))
}

pub const REFUSED: &str = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 9\r\n\r\nno access";

/// A new token with each login, without which nothing is answered.
pub fn logging_in(seen: &Seen) -> SocketAddr {
    let count = AtomicU64::new(0);
    answering(seen, move |path, token| match path {
        "/login" => {
            let number = count.fetch_add(1, Ordering::SeqCst);
            json(&format!(
                "{{\"data\": {{\"token\": \"t{number}\", \"at\": [1, 2]}}}}"
            ))
        }
        _ if token.starts_with("Bearer t") => json("{}"),
        _ => REFUSED.into(),
    })
}

pub fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

pub const LOGIN: [&str; 8] = [
    "--first",
    "POST /login",
    "--first-data",
    "{\"name\": \"me\"}",
    "--first-capture",
    "token=/data/token",
    "-H",
    "authorization: Bearer {token}",
];
