//! Reads vegeta's targets as text.

use super::Entry;
use crate::capture::Capture;
use crate::cli::content::header;

/// A line with method and address, lines of headers, a line with @ and the file of the body, lines
/// with `>` and a capture; `#` begins a comment. The error is the list of all problems, which do not
/// repeat lines: a line may be a secret.
pub fn parse(text: &str) -> Result<Vec<Entry>, Vec<String>> {
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
                "{source}: not the beginning of a request; expected a method and an address, such \
                 as 'GET http://127.0.0.1:8080/games'"
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
