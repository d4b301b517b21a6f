//! What is asked of a server: the options for method, headers and body.

use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;

use super::table::{MOST_ROWS, Table};

#[derive(Args, Debug, PartialEq)]
pub struct Content {
    /// HTTP method [default: GET, or POST with --data or --body]
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub method: Option<String>,

    /// A header 'name: value' of every request, or of the WebSocket handshake, or @FILE with such
    /// lines; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,

    /// Whom to authenticate as (Basic), or @FILE with such a line, which no list of processes shows
    #[arg(short, long, value_name = "NAME:PASSWORD")]
    pub user: Option<String>,

    /// The body or message, or @FILE, or @- for standard input. JSON is announced as such, unless a
    /// header says what it is; with grpc:// or --rpc it is the message in JSON
    #[arg(long, value_name = "TEXT", conflicts_with = "body")]
    pub data: Option<String>,

    /// File with the body or message, or @- for standard input; raw bytes: with grpc:// the
    /// encoded message without its prefix [default: empty; ws://: the text "hello"]
    #[arg(long, value_name = "FILE")]
    pub body: Option<PathBuf>,

    /// File that describes the service of a grpc:// address, or with --rpc, so that --data may be
    /// JSON; may be repeated [default: the server is asked (server reflection)]
    #[arg(long, value_name = "FILE", requires = "data")]
    pub proto: Vec<PathBuf>,

    /// Folder in which imports of --proto are found; may be repeated [default: where its files lie]
    #[arg(long, value_name = "FOLDER", requires = "proto")]
    pub import_path: Vec<PathBuf>,

    /// Table of values: {column} in the address, a header, --data or a text of --body is its value
    /// in the next row, and so are {seq} a running number, {uuid} and {random:1..100}. All requests
    /// are made before the run; {{column}} stands for {column} itself
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// How many different requests to make of placeholders, before they come again [default: one
    /// for each row of --csv, or 10000 with {seq}, {uuid} or {random:...}; never more than -n]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS as i64))]
    pub prepare: Option<u32>,

    /// Requests from a file, one after the other: vegeta's targets (text or JSON) or a HAR file, for
    /// the server that they name or for the given ones; the result tells their operations apart
    #[arg(long = "targets", value_name = "FILE", conflicts_with_all = ["method", "data", "body"])]
    pub requests: Option<PathBuf>,

    /// What each client asks once, before the load: 'METHOD PATH' such as 'POST /login', or @FILE
    /// with requests as in --targets, one after the other
    #[arg(long, value_name = "REQUEST", conflicts_with = "literal")]
    pub first: Option<String>,

    /// The body of --first, or @FILE, or @- for standard input
    #[arg(long, value_name = "TEXT", requires = "first")]
    pub first_data: Option<String>,

    /// A value that is taken from the answer to --first: token=/data/token (a JSON pointer) or
    /// token=header:x-token; {token} in an address, a header or a body is that of the same client
    /// from then on; may be repeated
    #[arg(long, value_name = "NAME=WHERE", requires = "first")]
    pub first_capture: Vec<String>,

    /// The same, taken from every answer of the load: cursor?=/next for a value that an answer need
    /// not have, and that is empty until then; may be repeated
    #[arg(long, value_name = "NAME=WHERE", conflicts_with = "literal")]
    pub capture: Vec<String>,

    /// Braces mean themselves: there are no placeholders
    #[arg(long, conflicts_with_all = ["csv", "prepare"])]
    pub literal: bool,
}

/// A body before placeholders are looked for in it.
pub struct RawBody {
    pub bytes: Vec<u8>,
    /// The option it came with, for messages.
    pub place: String,
    pub is_data: bool,
}

impl Content {
    /// Whether requests contain values from answers.
    pub fn takes_values(&self) -> bool {
        self.first.is_some() || !self.capture.is_empty()
    }

    pub fn table(&self) -> Result<Option<Table>, String> {
        self.csv.as_deref().map(Table::read).transpose()
    }

    /// All headers that the options give, with the option for messages.
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
                    problems.push(format!("--user beside a header authorization; {expected}"));
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

    pub fn body(&self) -> Result<Option<RawBody>, String> {
        if let Some(text) = &self.data {
            let (place, bytes) = data("--data", text)?;
            let is_data = true;
            return Ok(Some(RawBody {
                bytes,
                place,
                is_data,
            }));
        }
        let Some(path) = &self.body else {
            return Ok(None);
        };
        let place = format!("--body {}", path.display());
        let bytes =
            read(path, "@-").map_err(|error| format!("{place}: cannot be read: {error}"))?;
        Ok(Some(RawBody {
            bytes,
            place,
            is_data: false,
        }))
    }
}

/// What an option says, or the file that it names, and where that came from, for messages.
pub fn data(option: &str, text: &str) -> Result<(String, Vec<u8>), String> {
    let Some(source) = text.strip_prefix('@') else {
        return Ok((option.into(), text.into()));
    };
    let place = format!("{option} @{source}");
    match read(Path::new(source), "-") {
        Ok(bytes) => Ok((place, bytes)),
        Err(error) => Err(format!("{place}: cannot be read: {error}")),
    }
}

/// Reads a file, or standard input if it has the name that stands for that.
fn read(path: &Path, standard_input: &str) -> std::io::Result<Vec<u8>> {
    if path.as_os_str() != standard_input {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
}

/// One header, or those of a file.
fn header_lines(given: &str) -> Result<Vec<(String, String)>, String> {
    let Some(path) = given.strip_prefix('@') else {
        return Ok(vec![header(given).ok_or_else(|| {
            "--header: no colon in a text that is not shown, as it may be a secret; expected \
             'name: value'"
                .to_string()
        })?]);
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("--header @{path}: cannot be read: {error}"))?;
    let lines = text.lines().enumerate();
    let headers = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    headers
        .map(|(number, line)| {
            // The line itself may be a secret.
            header(line).ok_or_else(|| {
                let number = number + 1;
                format!("--header @{path}, line {number}: no colon; expected 'name: value'")
            })
        })
        .collect()
}

pub fn header(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().into(), value.trim().into()))
}

/// The value of the header that authenticates.
fn credentials(given: &str) -> Result<String, String> {
    let (place, pair) = match given.strip_prefix('@') {
        None => ("--user".into(), given.into()),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("--user @{path}: cannot be read: {error}"))?;
            let line = text.lines().next().unwrap_or_default().to_string();
            (format!("--user @{path}"), line)
        }
    };
    match pair.contains(':') {
        true => Ok(format!("Basic {}", STANDARD.encode(pair))),
        false => Err(format!("{place}: no colon; expected NAME:PASSWORD")),
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
