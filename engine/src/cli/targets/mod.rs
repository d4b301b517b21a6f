//! Reads requests from a file: vegeta targets, as text or JSON, or a HAR file.

mod entry;
mod json;
mod lines;

use std::collections::BTreeSet;
use std::path::Path;

use super::file;
use super::table::MOST_ROWS;

pub use entry::Entry;
pub use lines::beginning;

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
        let text = file::text(path).map_err(|problem| vec![problem]);
        let targets = text.and_then(|text| Self::parse(&text));
        let named = |problem| format!("{option} {}: {problem}", path.display());
        targets.map_err(|problems| problems.into_iter().map(named).collect())
    }

    /// Parses a text. The error is the list of all problems.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        let (entries, is_recorded) = match is_json(text) {
            true => json::parse(text)?,
            false => (lines::parse(text)?, false),
        };
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
            has_placeholders: !is_recorded,
        })
    }

    /// The address of the server of all requests. The error is that there is none, or several.
    pub fn server(&self) -> Result<String, String> {
        let servers: BTreeSet<&str> = self.entries.iter().map(|it| split(&it.url).0).collect();
        let (first, others) = (servers.first().copied(), servers.len().saturating_sub(1));
        match (first, others) {
            (Some(server), 0) if !server.is_empty() => Ok(server.into()),
            (_, 0) => Err(
                "paths without an address; expected the server's address too, such as \
                 http://127.0.0.1:8080"
                    .into(),
            ),
            _ => {
                let all: Vec<&str> = servers.into_iter().filter(|it| !it.is_empty()).collect();
                Err(format!(
                    "requests for several servers; expected one of them as address, too: {}",
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
                "{url}: a path given with a file of requests, which have paths; expected {server}"
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
            true => Err(format!("{url}: no request of the file is for this server")),
            false => Ok(ours),
        }
    }
}

/// Whether a text is JSON, valid or not.
pub fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Splits an address into scheme and host, which may be empty, and the path.
pub fn split(url: &str) -> (&str, &str) {
    let url = url.split('#').next().unwrap_or(url);
    let Some(host) = url.find("://").map(|position| position + 3) else {
        return ("", url);
    };
    let path = url[host..].find(['/', '?']);
    let (server, path) = url.split_at(path.map_or(url.len(), |path| host + path));
    (server, if path.is_empty() { "/" } else { path })
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
    fn all_wrong_lines_are_reported() {
        let text = "x-early: s3cret\n\nGET /a\ns3cret\n@/no/such\n";
        let problems = Targets::parse(text).unwrap_err();
        for (problem, expected) in
            problems
                .iter()
                .zip(["line 1: ", "line 4: ", "line 5: @/no/such"])
        {
            assert!(problem.starts_with(expected), "{problem}");
            assert!(!problem.contains("s3cret"), "{problem}");
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
        let paths = Targets::parse("GET /x#top\n").unwrap();
        assert!(
            paths
                .server()
                .unwrap_err()
                .contains("expected the server's address")
        );
        assert_eq!(paths.for_server("http://a:1").unwrap()[0].1, "/x");
    }
}
