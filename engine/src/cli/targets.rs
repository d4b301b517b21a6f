//! Reads requests from a file: vegeta targets, as text or JSON, or a HAR file.

use std::collections::BTreeSet;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::content::header;
use super::har;
use super::table::MOST_ROWS;
use crate::capture::Capture;

/// A request of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub method: String,
    /// An address, or only a path.
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The values that clients capture from every answer.
    pub captures: Vec<Capture>,
    /// Its position in the file, for messages.
    pub source: String,
}

/// All requests of a file.
#[derive(Debug)]
pub struct Targets {
    pub entries: Vec<Entry>,
    /// Whether braces may be placeholders; in recorded requests they are not.
    pub has_placeholders: bool,
}

impl Targets {
    /// Reads a file. The error is the list of all problems.
    pub fn read(option: &str, path: &Path) -> Result<Self, Vec<String>> {
        let name = format!("{option} {}", path.display());
        let text = std::fs::read_to_string(path)
            .map_err(|error| vec![format!("{name}: cannot be read: {error}")])?;
        let targets = Self::parse(&text);
        let named = |problem| format!("{name}: {problem}");
        targets.map_err(|problems| problems.into_iter().map(named).collect())
    }

    fn parse(text: &str) -> Result<Self, Vec<String>> {
        let has_placeholders = !har::is_har(text);
        let entries = match (has_placeholders, text.trim_start().starts_with('{')) {
            (false, _) => har::parse(text).map_err(|problem| vec![problem]),
            (true, true) => json(text),
            (true, false) => lines(text),
        }?;
        if entries.is_empty() {
            return Err(vec![
                "no requests; expected lines such as 'GET http://127.0.0.1/'".into(),
            ]);
        }
        if entries.len() > MOST_ROWS {
            let count = entries.len();
            return Err(vec![format!(
                "{count} requests; expected at most {MOST_ROWS}"
            )]);
        }
        Ok(Self {
            entries,
            has_placeholders,
        })
    }

    /// The address of the server of all requests. The error is that there is none, or several.
    pub fn server(&self) -> Result<String, String> {
        let servers: BTreeSet<&str> = self.entries.iter().map(|it| split(&it.url).0).collect();
        let (first, others) = (servers.first().copied(), servers.len().saturating_sub(1));
        match (first, others) {
            (Some(server), 0) if !server.is_empty() => Ok(server.into()),
            (_, 0) => Err(
                "paths without an address; expected the server's address with \
                           --targets, such as http://127.0.0.1:8080"
                    .into(),
            ),
            _ => {
                let all: Vec<&str> = servers.into_iter().filter(|it| !it.is_empty()).collect();
                Err(format!(
                    "requests for several servers; expected one of them as address, with \
                     --targets: {}",
                    all.join(", ")
                ))
            }
        }
    }

    /// The requests for a server, each with its path: all of them, unless they are for several
    /// servers. The error is the problem.
    pub fn for_server(&self, url: &str) -> Result<Vec<(&Entry, &str)>, String> {
        let (server, path) = split(url);
        if !["", "/"].contains(&path) {
            return Err(format!(
                "{url}: a path given with --targets, whose requests have paths; expected {server}"
            ));
        }
        let parts = self.entries.iter().map(|it| (it, split(&it.url)));
        if self.server().is_ok() || self.entries.iter().all(|it| split(&it.url).0.is_empty()) {
            return Ok(parts.map(|(entry, (_, path))| (entry, path)).collect());
        }
        let ours: Vec<_> = parts
            .filter(|(_, (of, _))| of.eq_ignore_ascii_case(server))
            .map(|(entry, (_, path))| (entry, path))
            .collect();
        match ours.is_empty() {
            true => Err(format!("{url}: no request of --targets is for this server")),
            false => Ok(ours),
        }
    }
}

/// Splits an address into scheme and host, which may be empty, and the path.
pub fn split(url: &str) -> (&str, &str) {
    let Some(host) = url.find("://").map(|position| position + 3) else {
        return ("", url);
    };
    let url = url.split('#').next().unwrap_or(url);
    let path = url[host..].find(['/', '?']);
    let (server, path) = url.split_at(path.map_or(url.len(), |path| host + path));
    (server, if path.is_empty() { "/" } else { path })
}

/// Targets as text: a line with method and address, lines of headers, a line with @ and the file of
/// the body, lines with `>` and a capture; `#` begins a comment.
fn lines(text: &str) -> Result<Vec<Entry>, Vec<String>> {
    let (mut entries, mut problems) = (Vec::<Entry>::new(), Vec::new());
    let mut is_open = false;
    for (number, line) in text.lines().enumerate() {
        let (source, line) = (format!("line {}", number + 1), line.trim());
        if line.is_empty() {
            is_open = false;
        } else if line.starts_with('#') {
        } else if let Some((method, url)) = beginning(line) {
            entries.push(Entry {
                method: method.into(),
                url: url.into(),
                source,
                ..Entry::default()
            });
            is_open = true;
        } else if let (true, Some(entry)) = (is_open, entries.last_mut()) {
            if let Some(path) = line.strip_prefix('@') {
                match std::fs::read(path) {
                    Ok(body) => entry.body = body,
                    Err(error) => problems.push(format!("{source}: @{path}: {error}")),
                }
            } else if let Some(capture) = line.strip_prefix('>') {
                match Capture::parse(capture.trim()) {
                    Ok(capture) => entry.captures.push(capture),
                    Err(problem) => problems.push(format!("{source}: {problem}")),
                }
            } else if let Some(header) = header(line) {
                entry.headers.push(header);
            } else {
                problems.push(format!(
                    "{source}: expected 'name: value', @FILE or '> NAME=WHERE'"
                ));
            }
        } else {
            problems.push(format!(
                "{source}: {line:?}; expected a method and an address, such as 'GET \
                 http://127.0.0.1:8080/games'"
            ));
        }
    }
    match problems.is_empty() {
        true => Ok(entries),
        false => Err(problems),
    }
}

/// The method and address, if a line begins a request.
pub fn beginning(line: &str) -> Option<(&str, &str)> {
    let (method, url) = line.split_once(char::is_whitespace)?;
    let is_method = method.bytes().all(|byte| byte.is_ascii_uppercase());
    is_method.then_some((method, url.trim()))
}

/// Targets as JSON: an object per line, with the body in base64.
fn json(text: &str) -> Result<Vec<Entry>, Vec<String>> {
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let source = format!("line {}", number + 1);
        if line.trim().is_empty() {
            continue;
        }
        match json_target(line, &source) {
            Ok(entry) => entries.push(entry),
            Err(problem) => problems.push(format!("{source}: {problem}")),
        }
    }
    match problems.is_empty() {
        true => Ok(entries),
        false => Err(problems),
    }
}

fn json_target(line: &str, source: &str) -> Result<Entry, String> {
    let target: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |key: &str| target.get(key).and_then(Value::as_str);
    let (Some(method), Some(url)) = (text("method"), text("url")) else {
        return Err("expected method and url, as texts".into());
    };
    let body = STANDARD.decode(text("body").unwrap_or_default());
    let body = body.map_err(|_| "the body is not base64; expected its bytes in base64")?;
    let mut headers = Vec::new();
    for (name, values) in target
        .get("header")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let Some(values) = values.as_array() else {
            return Err(format!("the header {name:?}; expected a list of texts"));
        };
        let values = values.iter().filter_map(Value::as_str);
        headers.extend(values.map(|value| (name.clone(), value.to_string())));
    }
    let captures = target.get("capture").and_then(Value::as_array);
    let captures = captures.into_iter().flatten().map(|capture| {
        let text = capture
            .as_str()
            .ok_or("capture: expected a list of texts")?;
        Capture::parse(text)
    });
    Ok(Entry {
        method: method.into(),
        url: url.into(),
        headers,
        body,
        captures: captures.collect::<Result<_, String>>()?,
        source: source.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: &str, url: &str, line: usize) -> Entry {
        Entry {
            method: method.into(),
            url: url.into(),
            source: format!("line {line}"),
            ..Entry::default()
        }
    }

    #[test]
    fn targets_of_vegeta_are_read() {
        let text = "# all\nGET http://a:1/x?y=1\nX-Id: 8: 9\n\nPOST http://a:1\n@/dev/null\nDELETE http://a:1/z\n";
        let targets = Targets::parse(text).unwrap();
        let mut first = of("GET", "http://a:1/x?y=1", 2);
        first.headers = vec![("X-Id".into(), "8: 9".into())];
        let expected = [
            first,
            of("POST", "http://a:1", 5),
            of("DELETE", "http://a:1/z", 7),
        ];
        assert_eq!(targets.entries, expected);
        assert_eq!(targets.server().unwrap(), "http://a:1");
        let paths = |url: &str| {
            let found = targets.for_server(url).unwrap();
            found
                .iter()
                .map(|(_, path)| path.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(paths("http://other:2/"), ["/x?y=1", "/", "/z"]);
    }

    #[test]
    fn targets_in_json_are_read() {
        let text = "{\"method\":\"POST\",\"url\":\"http://a/x\",\"body\":\"aGk=\",\"header\":{\"X\":[\"1\",\"2\"]}}\n";
        let targets = Targets::parse(text).unwrap();
        assert_eq!(targets.entries[0].body, b"hi");
        let headers = [("X".into(), "1".into()), ("X".into(), "2".into())];
        assert_eq!(targets.entries[0].headers, headers);
        let problems = Targets::parse("{\"method\":\"GET\"}\n{\n").unwrap_err();
        assert!(problems[0].starts_with("line 1: expected method and url"));
        assert_eq!(problems.len(), 2, "{problems:?}");
    }

    #[test]
    fn all_wrong_lines_are_reported() {
        let problems = Targets::parse("x-early: 1\n\nGET /a\nnonsense\n@/no/such\n").unwrap_err();
        for (problem, expected) in
            problems
                .iter()
                .zip(["line 1: ", "line 4: ", "line 5: @/no/such"])
        {
            assert!(problem.starts_with(expected), "{problem}");
        }
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(Targets::parse("# nothing\n").unwrap_err()[0].starts_with("no requests"));
    }

    #[test]
    fn one_of_several_servers_has_to_be_named() {
        let text = "GET http://a:1/x\nGET http://b:2/y\nGET http://a:1/z\n";
        let targets = Targets::parse(text).unwrap();
        let problem = targets.server().unwrap_err();
        assert!(problem.contains("http://a:1, http://b:2"), "{problem}");
        let found = targets.for_server("http://A:1").unwrap();
        assert_eq!(
            found.iter().map(|it| it.1).collect::<Vec<_>>(),
            ["/x", "/z"]
        );
        let problem = targets.for_server("http://c:3").unwrap_err();
        assert!(problem.contains("no request"), "{problem}");
        assert!(targets.for_server("http://a:1/x").is_err());
        let paths = Targets::parse("GET /x\n").unwrap();
        assert!(
            paths
                .server()
                .unwrap_err()
                .contains("expected the server's address")
        );
        assert_eq!(paths.for_server("http://a:1").unwrap()[0].1, "/x");
    }
}
