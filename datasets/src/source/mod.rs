//! Reads records from a foreign file: CSV, a JSON array, or JSON lines.

mod csv;
mod json;

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::problem::Problem;

/// A record: its values by column. In a CSV file all of them are texts.
pub struct Record {
    pub place: String,
    pub values: Map<String, Value>,
}

/// The records of a file, one by one.
pub type Records = Box<dyn Iterator<Item = Result<Record, Problem>>>;

/// Opens a file by its extension. A CSV file must have all `columns`; others are ignored. The error
/// is that the file cannot be read, or its problems.
pub fn open(path: &Path, columns: &[&str]) -> Result<Records, Error> {
    let name = path.display().to_string();
    match path
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default()
    {
        "csv" => csv::records(path, name, columns),
        "json" | "ndjson" | "jsonl" => json::records(path, name),
        _ => {
            let expected = "a file that ends with .csv, .json or .ndjson".to_owned();
            Err(Error::input(
                "--from".to_owned(),
                format!("{name:?}"),
                expected,
            ))
        }
    }
}

fn unreadable(name: &str, error: &impl ToString) -> Error {
    Error::input(
        name.to_owned(),
        error.to_string(),
        "a file that can be read".to_owned(),
    )
}
