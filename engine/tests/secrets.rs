//! Credentials, which a server may repeat in a failing answer, and which no output shows.

use std::fmt::Write as _;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::Folder;
use crate::support::captures::text_of;
use crate::support::h2_server::{self, Answer};
use crate::support::http_server::{Then, ok, serve};
use crate::support::null_server::load;

/// All credentials of these tests contain it; the other is what Basic makes of `me:s3cret-pass`.
const SECRET: &str = "s3cret";
const ENCODED: &str = "bWU6czNjcmV0LXBhc3M=";

/// Answers every request but a login with 401 and with the credentials that came.
fn repeating() -> SocketAddr {
    serve(|request, stream| {
        let names = ["authorization", "cookie", "x-own"];
        let lines = request.head.lines().filter(|line| {
            let name = line.split(':').next().unwrap_or_default();
            names.contains(&name)
        });
        let echo = lines.fold(String::new(), |mut echo, line| {
            let text = serde_json::to_string(line).unwrap();
            write!(echo, "{text}, ").unwrap();
            echo
        });
        let answer = match request.path.as_str() {
            "/login" => ok(b"{\"token\": \"s3cret-captured\"}"),
            _ => format!(
                "HTTP/1.1 401 Unauthorized\r\ncontent-length: {}\r\n\r\n{echo}",
                echo.len()
            )
            .into_bytes(),
        };
        stream.write_all(&answer).unwrap();
        Then::Keep
    })
}

fn file(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.0.join(name);
    std::fs::write(&path, text).unwrap();
    format!("@{}", path.to_str().unwrap())
}

/// All that the program has printed and written.
fn everything(output: &Output, folder: &Path) -> String {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    files.fold(text_of(output), |text, entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        text + &String::from_utf8_lossy(&bytes)
    })
}

#[test]
fn no_output_shows_a_credential_that_a_failing_answer_repeats() {
    let address = repeating();
    let folder = Folder::new();
    let headers = "authorization: Bearer s3cret/token\nx-own: s3cret-key\n";
    let headers = file(&folder, "headers", headers);
    let user = file(&folder, "user", "me:s3cret-pass\n");
    let kept = folder.0.join("kept");
    let url = format!("http://{address}/items");
    let login = [
        "--first",
        "POST /login",
        "--first-capture",
        "token=/token",
        "-H",
        "authorization: Token {token}",
    ];
    for given in [
        &["-H", &headers, "-H", "cookie: id=s3cret-session"][..],
        &["--user", &user],
        &login,
    ] {
        for format in [&[][..], &["--json"]] {
            let _ = std::fs::remove_dir_all(&kept);
            let common = [&url, "-n", "4", "-o", kept.to_str().unwrap()];
            let output = load(&[&common, given, format].concat());
            assert_eq!(output.status.code(), Some(1), "{}", text_of(&output));
            let text = everything(&output, &kept);
            assert!(text.matches("(hidden)").count() >= 2, "{text}"); // printed and kept
            assert!(!text.contains(SECRET) && !text.contains(ENCODED), "{text}");
        }
    }
}

#[test]
fn no_output_shows_a_credential_over_http2() {
    let address = h2_server::serve(|request| {
        let echo = request.headers["authorization"].as_bytes().to_vec();
        Answer::Reply(401, Vec::new(), echo, Vec::new())
    });
    let url = format!("h2c://{address}/");
    let output = load(&[&url, "-n", "4", "-H", "authorization: Bearer s3cret"]);
    let text = text_of(&output);
    assert!(
        text.contains("(hidden)") && !text.contains(SECRET),
        "{text}"
    );
}

#[test]
fn a_first_request_that_is_refused_shows_no_credential() {
    let address = repeating();
    let url = format!("http://{address}/items");
    let output = load(&[
        &url,
        "-n",
        "4",
        "-H",
        "authorization: Bearer s3cret",
        "--first",
        "GET /hello",
    ]);
    let text = text_of(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("(hidden)") && !text.contains(SECRET),
        "{text}"
    );
}

#[test]
fn a_printed_job_has_credentials_only_if_requested() {
    let folder = Folder::new();
    let headers = "x-own: s3cret\naccept: text/html\nauthorization: {seq}-s3cret\n";
    let headers = file(&folder, "headers", headers);
    let arguments = [
        "http://127.0.0.1:1/",
        "-n",
        "2",
        "-H",
        &headers,
        "--print-job",
    ];
    let printed = |more: &[&str]| -> Value {
        let output = load(&[&arguments, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let hidden = printed(&[]);
    let text = hidden.to_string();
    assert!(
        text.contains("text/html") && !text.contains(SECRET),
        "{text}"
    );
    let whole = printed(&["--with-credentials"]).to_string();
    assert!(
        whole.contains("1-s3cret") && whole.contains("2-s3cret"),
        "{whole}"
    );
    let job = folder.0.join("job.json");
    std::fs::write(&job, text).unwrap();
    let output = load(&[job.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text_of(&output).contains("expected the value that --print-job replaced"),
        "{}",
        text_of(&output)
    );
}

#[test]
fn a_line_of_a_file_of_requests_is_never_repeated() {
    let folder = Folder::new();
    let request = "{\"method\": \"GET\", \"url\": \"http://127.0.0.1:1/?s3cret\"";
    for text in [
        "GET http://127.0.0.1:1/\n\nauthorization: Bearer s3cret\n".into(),
        "GET http://127.0.0.1:1/\nBearer s3cret\n".into(),
        format!("{request}, \"header\": {{\"authorization\": \"s3cret\"}}}}"),
        format!("{request}, \"s3cret\": }}"),
        format!(
            "{{\"log\": {{\"entries\": [{{\"request\": {request}, \"headers\": [\"s3cret\"]}}}}]}}}}"
        ),
    ] {
        let targets = file(&folder, "targets", &text);
        let output = load(&["--targets", targets.trim_start_matches('@')]);
        let text = text_of(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn a_header_that_is_wrong_is_not_repeated() {
    let folder = Folder::new();
    for header in [
        "authorization Bearer s3cret",
        &file(&folder, "headers", "authorization: s3cret\u{7}\n"),
    ] {
        let output = load(&["http://127.0.0.1:1/", "-H", header]);
        let text = text_of(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(!text.contains(SECRET), "{text}");
    }
}
