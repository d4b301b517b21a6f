//! The table of values for requests: a CSV file with a header line.

use std::path::Path;

use csv::ReaderBuilder;

/// The most rows; each becomes at least one request.
pub const MOST_ROWS: usize = 100_000;

/// A table of values.
#[derive(Debug)]
pub struct Table {
    pub columns: Vec<String>,
    /// At least one row; each has a value for every column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file. The error is the problem.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("cannot be read: {error}"));
        let table = bytes.and_then(|bytes| Self::parse(&bytes));
        table.map_err(|problem| format!("--csv {}: {problem}", path.display()))
    }

    /// Parses CSV. The error is the problem.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        // A byte order mark, which some programs write, is not part of a name.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = ReaderBuilder::new().from_reader(bytes);
        let names = reader.headers().map_err(|error| error.to_string())?;
        let columns: Vec<String> = names.iter().map(|name| name.trim().into()).collect();
        for (index, name) in columns.iter().enumerate() {
            if ["seq", "uuid"].contains(&name.as_str()) {
                return Err(format!(
                    "the column {name} has the name of a placeholder; expected another name"
                ));
            }
            if columns[..index].contains(name) {
                return Err(format!(
                    "two columns are named {name:?}; expected unique names"
                ));
            }
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| error.to_string())?;
            if rows.len() == MOST_ROWS {
                return Err(format!("too many rows; expected at most {MOST_ROWS}"));
            }
            rows.push(record.iter().map(String::from).collect());
        }
        if rows.is_empty() {
            return Err("no values; expected a header line and lines of values".into());
        }
        Ok(Self { columns, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read() {
        let text = "\u{feff}id, name\r\n1,\"a, \"\"b\"\"\"\r\n2,\n";
        let table = Table::parse(text.as_bytes()).unwrap();
        assert_eq!(table.columns, ["id", "name"]);
        assert_eq!(table.rows, [["1", "a, \"b\""], ["2", ""]]);
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, expected) in [
            ("", "no values"),
            ("id\n", "no values"),
            ("id,id\n1,2\n", "two columns are named \"id\""),
            ("seq\n1\n", "the name of a placeholder"),
            ("id,name\n1\n", "line: 2"),
        ] {
            let problem = Table::parse(text.as_bytes()).unwrap_err();
            assert!(problem.contains(expected), "{text:?}: {problem}");
        }
        let error = Table::read(Path::new("/no/such.csv")).unwrap_err();
        assert!(error.starts_with("--csv /no/such.csv: cannot be read"));
    }
}
