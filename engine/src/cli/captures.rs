//! The options for logins and captured values.

use std::collections::BTreeSet;
use std::path::Path;

use super::content::{Content, data};
use super::prepare::Blueprint;
use super::table::Table;
use super::targets::{Entry, Targets, beginning, split};
use super::template::Template;
use crate::capture::{Capture, Location};

/// The captured values and the logins of a load.
#[derive(Debug, Default)]
pub struct Captures {
    /// The names of all values, by their indices.
    pub names: Vec<String>,
    /// The indices of optional values.
    optional: BTreeSet<usize>,
    /// The logins of each client.
    pub first: Vec<Entry>,
    /// Whether the body of the login was given as text, which may be JSON.
    pub first_is_data: bool,
    /// The values that are captured from every answer of the load.
    pub each: Vec<Capture>,
}

/// The indices of the values that a client has at some point in any case.
pub struct Available(BTreeSet<usize>);

impl Captures {
    /// Reads the options, and sets the indices of captures in a file of targets. The error is the
    /// list of all problems.
    pub fn read(
        content: &Content,
        table: Option<&Table>,
        targets: Option<&mut Targets>,
    ) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut captures = Self::default();
        match first(content) {
            Ok(entries) => captures.first = entries,
            Err(found) => problems.extend(found),
        }
        captures.first_is_data = content.first_data.is_some();
        for text in &content.capture {
            match Capture::parse(text) {
                Ok(capture) => captures.each.push(capture),
                Err(problem) => problems.push(format!("--capture {problem}")),
            }
        }
        if content.follow {
            let location = Capture {
                name: String::new(),
                value: 0,
                location: Location::Header("location".into()),
                is_optional: true,
            };
            for entry in &mut captures.first {
                entry.captures.push(location.clone());
            }
            captures.each.push(location);
        }
        captures.number(targets);
        let columns = table.map_or(&[][..], |table| &table.columns);
        for name in &captures.names {
            if columns.contains(name) || ["seq", "uuid"].contains(&name.as_str()) {
                problems.push(format!(
                    "the captured value {name} has the name of another placeholder; expected a \
                     unique name"
                ));
            }
        }
        match problems.is_empty() {
            true => Ok(captures),
            false => Err(problems),
        }
    }

    fn number(&mut self, targets: Option<&mut Targets>) {
        let entries = targets.map_or(&mut [][..], |it| &mut it.entries);
        let entries = self.first.iter_mut().chain(entries);
        let captures = entries.flat_map(|entry| &mut entry.captures);
        for capture in captures.chain(&mut self.each) {
            let known = self.names.iter().position(|name| *name == capture.name);
            capture.value = known.unwrap_or(self.names.len());
            if known.is_none() {
                self.names.push(capture.name.clone());
            }
            if capture.is_optional {
                self.optional.insert(capture.value);
            }
        }
    }

    /// Whether there are neither captures nor logins.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.first.is_empty()
    }

    /// The values before the first answer: optional ones, which are empty.
    pub fn available(&self) -> Available {
        Available(self.optional.clone())
    }

    /// The problem of a request at a point where these values are available, if there is one.
    pub fn flaw(&self, blueprint: &Blueprint, available: &Available) -> Option<String> {
        let mut values = blueprint.templates().flat_map(Template::captured);
        let missing = values.find(|value| !available.0.contains(value))?;
        let name = &self.names[missing];
        Some(format!(
            "{}: {{{name}}} is used before it is captured; expected it from --first-capture, \
             from an earlier request, or {name}?=... for a value that is empty until then",
            blueprint.operation
        ))
    }
}

impl Available {
    /// Whether all captured values of a template are available.
    pub fn has(&self, template: &Template) -> bool {
        template.captured().all(|value| self.0.contains(&value))
    }

    /// Adds the values that a request captures.
    pub fn add(&mut self, blueprint: &Blueprint) {
        self.0.extend(blueprint.captures.iter().map(|it| it.value));
    }
}

/// The requests of `--first`.
fn first(content: &Content) -> Result<Vec<Entry>, Vec<String>> {
    let Some(written) = &content.first else {
        return Ok(Vec::new());
    };
    if let Some(path) = written.strip_prefix('@') {
        if content.first_data.is_some() || !content.first_capture.is_empty() {
            let expected = "expected body and captures in the file";
            return Err(vec![format!(
                "--first-data and --first-capture given with --first {written}; {expected}"
            )]);
        }
        let targets = Targets::read("--first", Path::new(path))?;
        return Ok(targets.entries);
    }
    let mut problems = Vec::new();
    let begun = beginning(written.trim());
    if begun.is_none() {
        problems.push(format!(
            "--first {written:?}; expected a method and a path, such as 'POST /login', or @FILE"
        ));
    }
    let (method, url) = begun.unwrap_or_default();
    let mut entry = Entry {
        method: method.into(),
        url: url.into(),
        source: written.clone(),
        ..Entry::default()
    };
    match content
        .first_data
        .as_deref()
        .map(|it| data("--first-data", it))
    {
        Some(Ok((_, body))) => entry.body = body,
        Some(Err(problem)) => problems.push(problem),
        None => {}
    }
    for text in &content.first_capture {
        match Capture::parse(text) {
            Ok(capture) => entry.captures.push(capture),
            Err(problem) => problems.push(format!("--first-capture {problem}")),
        }
    }
    match problems.is_empty() {
        true => Ok(vec![entry]),
        false => Err(problems),
    }
}

/// The path of a login at a server. The error is that its address is another server's.
pub fn path<'a>(entry: &'a Entry, server: &str) -> Result<&'a str, String> {
    let (named, path) = split(&entry.url);
    match named.is_empty() || named.eq_ignore_ascii_case(split(server).0) {
        true => Ok(path),
        false => Err(format!(
            "--first is for {named}; expected the server of the load, or only a path"
        )),
    }
}
