//! The options for the content of requests: method, headers, body, placeholders, logins.

use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;

use super::file;
use super::streams::StreamOptions;
use super::table::MOST_ROWS;
use super::values::speed;

#[derive(Args, Debug, PartialEq)]
pub struct Content {
    /// HTTP method [default: GET, or POST with a body]
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub method: Option<String>,

    /// Header 'name: value', or @FILE with such lines
    ///
    /// Of every request, or of the WebSocket handshake; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,

    /// Credentials for Basic authentication, or @FILE
    ///
    /// The first line of the file, which keeps them out of process lists.
    #[arg(short, long, value_name = "NAME:PASSWORD")]
    pub user: Option<String>,

    /// Body or message, or @FILE, or @- for standard input
    ///
    /// JSON gets its content-type unless a header sets one. With grpc:// or --rpc it is the message
    /// in JSON.
    #[arg(long, value_name = "TEXT", conflicts_with = "body")]
    pub data: Option<String>,

    /// File with the body as bytes, or @- for standard input
    ///
    /// With grpc:// the encoded message without its prefix [default: empty; ws://: the text
    /// "hello"].
    #[arg(long, value_name = "FILE")]
    pub body: Option<PathBuf>,

    /// .proto file of a gRPC service, for --data in JSON
    ///
    /// For a grpc:// address, or with --rpc; may be repeated [default: server reflection].
    #[arg(long, value_name = "FILE", requires = "data")]
    pub proto: Vec<PathBuf>,

    /// Folder with imports of --proto
    ///
    /// May be repeated [default: the folders of its files].
    #[arg(long, value_name = "FOLDER", requires = "proto")]
    pub import_path: Vec<PathBuf>,

    /// Table of values for placeholders such as {id}
    ///
    /// {column} in the address, a header, --data or a text of --body is replaced by its value in
    /// the next row; {seq} is a running number, {uuid} and {random:1..100} are random. All requests
    /// are prepared before the run; {{column}} is the text {column}.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Number of different requests with placeholders
    ///
    /// Then they are repeated [default: one per row of --csv, or 10000 with {seq}, {uuid} or
    /// {random:...}; at most -n].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS as i64))]
    pub prepare: Option<u32>,

    /// Take braces literally, without placeholders
    #[arg(long, conflicts_with_all = ["csv", "prepare"])]
    pub literal: bool,

    /// File of requests: vegeta targets or a HAR file
    ///
    /// They are sent one after the other, to the server that they name or to the given ones; the
    /// result has figures per operation. Targets are text or JSON.
    #[arg(long = "targets", value_name = "FILE", conflicts_with_all = ["method", "data", "body"])]
    pub requests: Option<PathBuf>,

    /// Requests at recorded times: a HAR file, or a table
    ///
    /// The requests of a HAR file as in --targets, each at the time at which it was recorded; or
    /// a request per row of a CSV file, as with --csv, at the time in its column `time`: seconds,
    /// or a date such as 2026-03-01T12:00:00.5Z. The first one is sent at once, and the run ends
    /// with the last one.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["requests", "csv", "prepare", "load", "stages", "think", "precision"]
    )]
    pub replay: Option<PathBuf>,

    /// With --replay: how many times as fast [default: 1]
    #[arg(long, value_parser = speed, value_name = "FACTOR", requires = "replay")]
    pub speed: Option<f64>,

    /// Request that each client sends once before the load
    ///
    /// 'METHOD PATH' such as 'POST /login', or @FILE with requests as in --targets, one after the
    /// other.
    #[arg(long, value_name = "REQUEST", conflicts_with = "literal")]
    pub first: Option<String>,

    /// Body of --first, or @FILE, or @- for standard input
    #[arg(long, value_name = "TEXT", requires = "first")]
    pub first_data: Option<String>,

    /// Value to take from the answer to --first
    ///
    /// token=/data/token (a JSON pointer) or token=header:x-token; later, {token} in an address, a
    /// header or a body is the value of the same client; may be repeated.
    #[arg(long, value_name = "VALUE", requires = "first")]
    pub first_capture: Vec<String>,

    /// Value to take from every answer of the load
    ///
    /// cursor?=/next for a value that an answer may lack and that is empty at first; may be
    /// repeated.
    #[arg(long, value_name = "VALUE", conflicts_with = "literal")]
    pub capture: Vec<String>,

    /// Follow redirections on the same server
    ///
    /// Up to ten in a row, within the transaction and its time; they are counted apart.
    #[arg(long)]
    pub follow: bool,

    /// Accepted encodings of bodies, such as gzip,br
    ///
    /// gzip, br, deflate, zstd; of gRPC messages not br. Answers are timed before they are decoded
    /// and checked.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    pub accept_encoding: Vec<String>,

    /// Unary calls over HTTP: grpc_web or connect
    ///
    /// The body is the message.
    #[arg(long, value_name = "PROTOCOL")]
    pub rpc: Option<String>,

    #[command(flatten)]
    pub stream: StreamOptions,
}

/// A body before its placeholders are parsed.
pub struct RawBody {
    pub bytes: Vec<u8>,
    /// The option that it comes from, for messages.
    pub source: String,
    pub is_data: bool,
}

impl Content {
    /// Whether answers determine requests.
    pub fn takes_values(&self) -> bool {
        self.first.is_some() || !self.capture.is_empty() || self.follow
    }

    /// All headers of the options. The error is the list of all problems.
    pub fn headers(&self) -> Result<Vec<(String, String)>, Vec<String>> {
        let (mut headers, mut problems) = (Vec::new(), Vec::new());
        for given in &self.headers {
            match header_lines(given) {
                Ok(lines) => headers.extend(lines),
                Err(problem) => problems.push(problem),
            }
        }
        match self.user.as_deref().map(credentials).transpose() {
            Ok(Some(value)) => {
                let is_given =
                    |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
                if headers.iter().any(is_given) {
                    let expected = "expected one of the two";
                    problems.push(format!(
                        "--user given with a header authorization; {expected}"
                    ));
                }
                headers.push(("authorization".into(), value));
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
        match problems.is_empty() {
            true => Ok(headers),
            false => Err(problems),
        }
    }

    /// Reads the body. The error is the problem.
    pub fn body(&self) -> Result<Option<RawBody>, String> {
        if let Some(text) = &self.data {
            let (source, bytes) = data("--data", text)?;
            let is_data = true;
            return Ok(Some(RawBody {
                bytes,
                source,
                is_data,
            }));
        }
        let Some(path) = &self.body else {
            return Ok(None);
        };
        let source = format!("--body {}", path.display());
        let bytes =
            read(path, "@-").map_err(|error| format!("{source}: cannot be read: {error}"))?;
        Ok(Some(RawBody {
            bytes,
            source,
            is_data: false,
        }))
    }
}

/// The text of an option, or of the file that it names, and its source for messages.
pub fn data(option: &str, text: &str) -> Result<(String, Vec<u8>), String> {
    let Some(path) = text.strip_prefix('@') else {
        return Ok((option.into(), text.into()));
    };
    let source = format!("{option} @{path}");
    match read(Path::new(path), "-") {
        Ok(bytes) => Ok((source, bytes)),
        Err(error) => Err(format!("{source}: cannot be read: {error}")),
    }
}

/// Reads a file, or standard input if `path` is `standard_input`.
fn read(path: &Path, standard_input: &str) -> std::io::Result<Vec<u8>> {
    if path.as_os_str() != standard_input {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
}

/// One header, or all headers of a file.
fn header_lines(given: &str) -> Result<Vec<(String, String)>, String> {
    let Some(path) = given.strip_prefix('@') else {
        return Ok(vec![header(given).ok_or_else(|| {
            "--header: no colon (the text is not shown, as it may be a secret); expected \
             'name: value'"
                .to_string()
        })?]);
    };
    let text = file::text(Path::new(path));
    let text = text.map_err(|problem| format!("--header @{path}: {problem}"))?;
    let lines = text.lines().enumerate();
    let headers = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    headers
        .map(|(number, line)| {
            // The line may be a secret.
            header(line).ok_or_else(|| {
                let number = number + 1;
                format!("--header @{path}, line {number}: no colon; expected 'name: value'")
            })
        })
        .collect()
}

/// Parses 'name: value'.
pub fn header(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().into(), value.trim().into()))
}

/// The value of the authorization header.
fn credentials(given: &str) -> Result<String, String> {
    let (source, pair) = match given.strip_prefix('@') {
        None => ("--user".into(), given.into()),
        Some(path) => {
            let text = file::text(Path::new(path));
            let text = text.map_err(|problem| format!("--user @{path}: {problem}"))?;
            let line = text.lines().next().unwrap_or_default().to_string();
            (format!("--user @{path}"), line)
        }
    };
    match pair.contains(':') {
        true => Ok(format!("Basic {}", STANDARD.encode(pair))),
        false => Err(format!("{source}: no colon; expected NAME:PASSWORD")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_encoded_and_never_repeated() {
        // RFC 7617, section 2.
        let value = credentials("Aladdin:open sesame").unwrap();
        assert_eq!(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        let problem = credentials("secret").unwrap_err();
        assert!(!problem.contains("secret"), "{problem}");
        let problem = header_lines("@/no/such/file").unwrap_err();
        assert!(problem.starts_with("--header @/no/such/file: cannot be read"));
    }
}
