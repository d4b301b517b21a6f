//! Reads records from JSON: an array of objects, or one object per line.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::mem::take;
use std::path::Path;

use serde_json::{Deserializer, Map};

use super::{Record, Records, unreadable};
use crate::error::Error;
use crate::problem::Problem;

/// Reads a JSON array if the file starts with `[`, whatever its name is; otherwise one object per
/// line.
pub fn records(path: &Path, name: String) -> Result<Records, Error> {
    let file = File::open(path).map_err(|it| unreadable(&name, &it))?;
    let mut file = BufReader::new(file);
    let start = file.fill_buf().map_err(|it| unreadable(&name, &it))?;
    if start.trim_ascii_start().first() == Some(&b'[') {
        let text = fs::read_to_string(path).map_err(|it| unreadable(&name, &it))?;
        let position = text.find('[').unwrap_or(0) + 1;
        return Ok(Box::new(Array::new(name, text, position)));
    }
    let lines = file.lines().zip(1..).filter_map(move |(line, number)| {
        let place = format!("{name} line {number}");
        match line {
            Ok(line) if line.trim().is_empty() => None,
            Ok(line) => Some(
                serde_json::from_str(&line)
                    .map_err(|error| wrong_json(place.clone(), &error))
                    .map(|values| Record { place, values }),
            ),
            Err(error) => Some(Err(Problem {
                place,
                found: error.to_string(),
                expected: "text in UTF-8".to_owned(),
            })),
        }
    });
    Ok(Box::new(lines))
}

/// The elements of an array, parsed one by one, so that a large file is in memory as text only, and
/// each record has its line.
struct Array {
    name: String,
    text: String,
    /// The position up to which it has been read.
    position: usize,
    /// A position in the text and its line, from which lines are counted on.
    counted: (usize, usize),
    first: bool,
    ended: bool,
}

impl Array {
    /// `start` is the position after the opening bracket.
    fn new(name: String, text: String, start: usize) -> Self {
        Self {
            name,
            text,
            position: start,
            counted: (0, 1),
            first: true,
            ended: false,
        }
    }

    /// The next element; none at the end of the array.
    fn read(&mut self) -> Result<Option<Record>, Problem> {
        if !take(&mut self.first) {
            match self.peek() {
                Some(',') => self.position += 1,
                Some(']') => return Ok(None),
                other => return Err(self.wrong(other, "a comma or the array's end")),
            }
        }
        match self.peek() {
            Some('{') => {}
            Some(']') => return Ok(None),
            other => return Err(self.wrong(other, "an object or the array's end")),
        }
        let line = self.line();
        let mut objects = Deserializer::from_str(&self.text[self.position..]).into_iter();
        let values = objects
            .next()
            .unwrap_or_else(|| Ok(Map::new()))
            .map_err(|error| {
                wrong_json(
                    format!("{} line {}", self.name, line + error.line() - 1),
                    &error,
                )
            })?;
        self.position += objects.byte_offset();
        Ok(Some(Record {
            place: format!("{} line {line}", self.name),
            values,
        }))
    }

    /// The next character that is not a space, without consuming it.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.position..];
        self.position = self.text.len() - rest.trim_ascii_start().len();
        self.text[self.position..].chars().next()
    }

    fn line(&mut self) -> usize {
        let (place, line) = self.counted;
        let passed = &self.text.as_bytes()[place..self.position];
        let line = line + passed.iter().filter(|&&byte| byte == b'\n').count();
        self.counted = (self.position, line);
        line
    }

    fn wrong(&mut self, found: Option<char>, expected: &str) -> Problem {
        let line = self.line();
        Problem {
            place: format!("{} line {line}", self.name),
            found: found.map_or("the file ends".to_owned(), |it| format!("{it:?}")),
            expected: expected.to_owned(),
        }
    }
}

impl Iterator for Array {
    type Item = Result<Record, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let record = self.read().transpose();
        // After a syntax error, elements cannot be separated.
        self.ended = !matches!(record, Some(Ok(_)));
        record
    }
}

/// The message of serde_json without its line number, which may count from the middle of the file.
fn wrong_json(place: String, error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    Problem {
        place,
        found: format!("column {}: {text}", error.column()),
        expected: "a JSON object".to_owned(),
    }
}
