//! Reads records from CSV.

use std::path::Path;

use csv::{ErrorKind, Position, Reader};
use serde_json::Value;

use super::{Record, Records, unreadable};
use crate::error::Error;
use crate::problem::Problem;

/// The records of a file with a header; an invalid line does not hide the next ones.
pub fn records(path: &Path, name: String, columns: &[&str]) -> Result<Records, Error> {
    let mut reader = Reader::from_path(path).map_err(|it| unreadable(&name, &it))?;
    let header = reader.headers().map_err(|it| unreadable(&name, &it))?;
    let header: Vec<String> = header.iter().map(|it| it.trim().to_lowercase()).collect();
    let missing = columns
        .iter()
        .filter(|column| !header.iter().any(|it| it == *column));
    let problems: Vec<Problem> = missing
        .map(|column| Problem {
            place: format!("{name} line 1"),
            found: format!("the column {column} is missing"),
            expected: format!("a header with the columns {}", columns.join(", ")),
        })
        .collect();
    if !problems.is_empty() {
        return Err(Error::Input(problems));
    }
    Ok(Box::new(reader.into_records().map(move |record| {
        let record = record.map_err(|error| wrong_line(&name, &error))?;
        let line = record.position().map_or(0, Position::line);
        let cells = record.iter().map(|it| Value::String(it.to_owned()));
        let values = header.iter().cloned().zip(cells).collect();
        Ok(Record {
            place: format!("{name} line {line}"),
            values,
        })
    })))
}

fn wrong_line(name: &str, error: &csv::Error) -> Problem {
    let line = error.position().map_or(0, Position::line);
    let (found, expected) = match error.kind() {
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => (
            format!("has {len} fields"),
            format!("{expected_len}, as in the header"),
        ),
        ErrorKind::Utf8 { .. } => ("is not UTF-8".to_owned(), "text in UTF-8".to_owned()),
        _ => (error.to_string(), "a line of CSV".to_owned()),
    };
    Problem {
        place: format!("{name} line {line}"),
        found,
        expected,
    }
}
