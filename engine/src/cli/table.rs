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
        if let Some(line) = unclosed_quote(bytes) {
            return Err(format!(
                "line {line}: a quote is never closed; expected a second one at the end of the \
                 value, and two for a quote within it"
            ));
        }
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

/// The line of a quote that begins a value and is never closed, so that the value would contain
/// all following rows (RFC 4180, section 2, rules 5 to 7).
fn unclosed_quote(bytes: &[u8]) -> Option<usize> {
    let (mut line, mut opened, mut may_open) = (1, None, true);
    for &byte in bytes {
        line += usize::from(byte == b'\n');
        (opened, may_open) = match (byte, opened) {
            (b'"', None) if may_open => (Some(line), false),
            // The second one of two quotes opens the value again.
            (b'"', Some(_)) => (None, true),
            (_, opened) => (opened, b",\r\n".contains(&byte)),
        };
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read() {
        let text = "\u{feff}id, name\r\n1,\"a, \"\"b\"\"\"\r\n2,\r\n3,5\"\" disk\n4,\"\"\n";
        let table = Table::parse(text.as_bytes()).unwrap();
        assert_eq!(table.columns, ["id", "name"]);
        let expected = [["1", "a, \"b\""], ["2", ""], ["3", "5\"\" disk"], ["4", ""]];
        assert_eq!(table.rows, expected);
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, expected) in [
            ("", "no values"),
            ("id\n", "no values"),
            ("id,id\n1,2\n", "two columns are named \"id\""),
            ("seq\n1\n", "the name of a placeholder"),
            ("id,name\n1\n", "line: 2"),
            ("id,name\n0,\"a\nb\"\n1,\"c\"\"d\n2,e\n", "line 4: a quote"),
        ] {
            let problem = Table::parse(text.as_bytes()).unwrap_err();
            assert!(problem.contains(expected), "{text:?}: {problem}");
        }
        let error = Table::read(Path::new("/no/such.csv")).unwrap_err();
        assert!(error.starts_with("--csv /no/such.csv: cannot be read"));
    }
}
