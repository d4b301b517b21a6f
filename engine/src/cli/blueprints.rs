//! Builds requests with placeholders from the options.

use super::captures::{Available, Captures, path as path_of};
use super::content::{Content, RawBody};
use super::prepare::{Blueprint, Body};
use super::replay::{self, Recording};
use super::table::Table;
use super::targets::{Entry, Targets};
use super::template::{Known, Template};

/// The content of requests, as read from options and files.
pub struct Source<'a> {
    content: &'a Content,
    headers: Vec<(String, String)>,
    body: Option<RawBody>,
    pub table: Option<Table>,
    targets: Option<Targets>,
    pub captures: Captures,
    /// The times of the rows of the table, if they were recorded.
    times_s: Vec<f64>,
}

/// The requests to one server.
pub struct Asked {
    /// Headers that are the same in all requests.
    pub headers: Vec<(String, String)>,
    /// At least one.
    pub blueprints: Vec<Blueprint>,
    /// The logins of each client; may be empty.
    pub first: Vec<Blueprint>,
    /// Whether the body was given as text, which may be JSON.
    pub is_data: bool,
    /// When they were recorded, in seconds; empty if they were not.
    pub times_s: Vec<f64>,
}

/// How the protocol of a server sends requests.
#[derive(Clone, Copy, Debug)]
pub struct Manner<'a> {
    /// The name in a job.
    pub transport: &'a str,
    /// Whether bodies are encoded messages.
    pub is_encoded: bool,
}

/// The server that a file of requests names; none without such a file. The error is the list of all
/// problems.
pub fn server(content: &Content) -> Option<Result<String, Vec<String>>> {
    let (option, path, targets) = match (&content.requests, &content.replay) {
        (Some(path), _) => (TARGETS, path, Targets::read(TARGETS, path)),
        (_, Some(path)) => (
            REPLAY,
            path,
            replay::read(path).and_then(Recording::requests),
        ),
        (None, None) => return None,
    };
    let named = |problem| vec![format!("{option} {}: {problem}", path.display())];
    Some(targets.and_then(|targets| targets.server().map_err(named)))
}

impl<'a> Source<'a> {
    /// Reads the options and their files. The error is the list of all problems.
    pub fn read(content: &'a Content) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut told = |problem: String| problems.push(problem);
        let body = content.body().map_err(&mut told).ok().flatten();
        let table = content.csv.as_deref().map(Table::read).transpose();
        let mut table = table.map_err(&mut told).ok().flatten();
        let headers = content.headers().map_err(|all| problems.extend(all));
        let read = |path| Targets::read(TARGETS, path);
        let targets = content.requests.as_deref().map(read).transpose();
        let mut targets = targets.map_err(|all| problems.extend(all));
        let recording = content.replay.as_deref().map(replay::read).transpose();
        let mut times_s = Vec::new();
        match recording {
            Ok(None) => {}
            Ok(Some(Recording::Requests(requests))) => targets = Ok(Some(requests)),
            Ok(Some(Recording::Rows(rows, times))) => (table, times_s) = (Some(rows), times),
            Err(all) => problems.extend(all),
        }
        let of_file = targets.as_mut().ok().and_then(Option::as_mut);
        let captures = Captures::read(content, table.as_ref(), of_file);
        let captures = captures.map_err(|all| problems.extend(all));
        match (headers, targets, captures) {
            (Ok(headers), Ok(targets), Ok(captures)) if problems.is_empty() => Ok(Self {
                content,
                headers,
                body,
                table,
                targets,
                captures,
                times_s,
            }),
            _ => Err(problems),
        }
    }

    /// The requests to the server at an address. The error is the list of all problems.
    pub fn asked(&self, url: &str, path: &str, manner: Manner) -> Result<Asked, Vec<String>> {
        let mut problems = Vec::new();
        let (mut common, mut varying) = (Vec::new(), Vec::new());
        for (name, text) in &self.headers {
            let source = format!("--header {name:?}");
            match self.template(text, &source, true) {
                Ok(value) if value.is_constant() && value.captured().next().is_none() => {
                    common.push((name.clone(), value.text()));
                }
                Ok(value) => varying.push((name.clone(), value)),
                Err(found) => problems.extend(found),
            }
        }
        let blueprints = match &self.targets {
            None => self.single(path, manner).map(|it| vec![it]),
            Some(targets) => self.listed(targets, url, manner),
        };
        let mut blueprints = blueprints.unwrap_or_else(|found| {
            problems.extend(found);
            Vec::new()
        });
        for blueprint in &mut blueprints {
            let is_given = |name: &str| {
                self.headers
                    .iter()
                    .any(|it| it.0.eq_ignore_ascii_case(name))
            };
            blueprint.headers.retain(|(name, _)| !is_given(name));
            blueprint.headers.extend(varying.iter().cloned());
            let varies = !blueprint.path.is_constant() || !blueprint.headers.is_empty();
            if manner.transport == "websocket" && varies {
                problems.push(ONE_HANDSHAKE.into());
            }
        }
        let first = self.first(url, &varying, manner);
        let (first, mut available) = first.unwrap_or_else(|found| {
            problems.extend(found);
            (Vec::new(), self.captures.available())
        });
        for blueprint in &blueprints {
            problems.extend(self.captures.flaw(blueprint, &available));
            available.add(blueprint);
        }
        problems.dedup();
        match problems.is_empty() {
            true => Ok(Asked {
                first,
                times_s: match &self.targets {
                    Some(targets) if self.content.replay.is_some() => {
                        let ours = targets.for_server(url).unwrap_or_default();
                        ours.iter().filter_map(|(entry, _)| entry.time_s).collect()
                    }
                    _ => self.times_s.clone(),
                },
                headers: common,
                blueprints,
                is_data: self.body.as_ref().is_some_and(|body| body.is_data),
            }),
            false => Err(problems),
        }
    }

    /// The logins of each client, and the values that it has captured after them. They include the
    /// headers of the options whose values are available.
    fn first(
        &self,
        url: &str,
        varying: &[(String, Template)],
        manner: Manner,
    ) -> Result<(Vec<Blueprint>, Available), Vec<String>> {
        let is_http = !manner.is_encoded && manner.transport.starts_with("http");
        if !self.captures.is_empty() && !is_http {
            return Err(vec![ONLY_HTTP.into()]);
        }
        let (mut blueprints, mut available) = (Vec::new(), self.captures.available());
        for entry in &self.captures.first {
            let path = path_of(entry, url).map_err(|problem| vec![problem])?;
            let mut blueprint = self.of_entry(entry, "--first", path, true, manner)?;
            let known = varying.iter().filter(|(_, value)| available.has(value));
            blueprint.headers.extend(known.cloned());
            if let Some(problem) = self.captures.flaw(&blueprint, &available) {
                return Err(vec![problem]);
            }
            available.add(&blueprint);
            blueprints.push(blueprint);
        }
        Ok((blueprints, available))
    }

    /// The request that the options describe.
    fn single(&self, path: &str, manner: Manner) -> Result<Blueprint, Vec<String>> {
        let usual = if self.body.is_some() { "POST" } else { "GET" };
        let method = self.content.method.as_deref().unwrap_or(usual);
        let body = match &self.body {
            None if manner.transport == "websocket" => Ok(Body::Bytes(b"hello".to_vec())),
            None => Ok(Body::Bytes(Vec::new())),
            Some(body) => {
                let is_text = body.is_data || !manner.is_encoded;
                self.body(&body.bytes, &body.source, is_text)
            }
        };
        match (self.template(path, "the address", true), body) {
            (Ok(template), Ok(body)) => Ok(Blueprint {
                operation: operation(manner, method, path),
                method: method.into(),
                path: template,
                headers: Vec::new(),
                body,
                captures: self.captures.each.clone(),
            }),
            (template, body) => {
                let problems = [template.err(), body.err()];
                Err(problems.into_iter().flatten().flatten().collect())
            }
        }
    }

    /// The requests of a file.
    fn listed(
        &self,
        targets: &Targets,
        url: &str,
        manner: Manner,
    ) -> Result<Vec<Blueprint>, Vec<String>> {
        let ours = targets.for_server(url).map_err(|problem| vec![problem])?;
        let (mut blueprints, mut problems) = (Vec::new(), Vec::new());
        let option = match self.content.replay {
            None => TARGETS,
            Some(_) => REPLAY,
        };
        for (entry, path) in ours {
            match self.of_entry(entry, option, path, targets.has_placeholders, manner) {
                Ok(mut blueprint) => {
                    blueprint
                        .captures
                        .extend(self.captures.each.iter().cloned());
                    blueprints.push(blueprint);
                }
                Err(found) => problems.extend(found),
            }
        }
        let count = problems.len();
        if count > MOST_PROBLEMS {
            problems.truncate(MOST_PROBLEMS);
            problems.push(format!(
                "{option}: {} more problems of this kind",
                count - MOST_PROBLEMS
            ));
        }
        match problems.is_empty() {
            true => Ok(blueprints),
            false => Err(problems),
        }
    }

    fn of_entry(
        &self,
        entry: &Entry,
        option: &str,
        path: &str,
        has_placeholders: bool,
        manner: Manner,
    ) -> Result<Blueprint, Vec<String>> {
        let source = format!("{option}, {}", entry.source);
        let template = self.template(path, &source, has_placeholders)?;
        let headers = entry.headers.iter().map(|(name, value)| {
            let value = self.template(value, &source, has_placeholders)?;
            Ok((name.clone(), value))
        });
        Ok(Blueprint {
            operation: operation(manner, &entry.method, path),
            method: entry.method.clone(),
            path: template,
            headers: headers.collect::<Result<_, Vec<String>>>()?,
            body: self.body(&entry.body, &source, has_placeholders && !manner.is_encoded)?,
            captures: entry.captures.clone(),
        })
    }

    fn body(
        &self,
        bytes: &[u8],
        source: &str,
        has_placeholders: bool,
    ) -> Result<Body, Vec<String>> {
        match std::str::from_utf8(bytes) {
            Ok(text) if has_placeholders => self.template(text, source, true).map(Body::Text),
            _ => Ok(Body::Bytes(bytes.into())),
        }
    }

    fn template(
        &self,
        text: &str,
        source: &str,
        has_placeholders: bool,
    ) -> Result<Template, Vec<String>> {
        if self.content.literal || !has_placeholders {
            return Ok(Template::literal(text));
        }
        let named = |problem| format!("{source}: {problem}; or --literal for all braces");
        let known = Known {
            table: self.table.as_ref(),
            captured: &self.captures.names,
        };
        let template = Template::parse(text, known);
        template.map_err(|problems| problems.into_iter().map(named).collect())
    }
}

const TARGETS: &str = "--targets";
const REPLAY: &str = "--replay";
const ONLY_HTTP: &str = "--first, --capture and --follow require plain HTTP; expected an http(s)://, h2c://, h2:// or \
                         h3:// address without --rpc";
const ONE_HANDSHAKE: &str = "placeholders, or headers of --targets, cannot be in the handshake of a \
                             WebSocket, which precedes all messages; expected them in --data";
/// The most problems of a file that are reported; the others probably have the same cause.
const MOST_PROBLEMS: usize = 10;

/// The name of a request in results: as it was written, without the query.
fn operation(manner: Manner, method: &str, path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    match manner.transport {
        "websocket" => "message".into(),
        _ if manner.is_encoded => path.trim_start_matches('/').into(),
        _ => format!("{method} {path}"),
    }
}
