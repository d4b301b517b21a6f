//! Writes rows as lines of text, in several formats.
//!
//! Nothing is quoted or escaped: texts consist of lower-case letters, digits, blanks and `@ . -`.

use std::io::Write as _;
use std::marker::PhantomData;

use super::rows::TakeRows;
use super::tables::{Table, Value};

/// A format of rows.
pub trait Spelling: Send {
    /// Appends a row, after `before` others of its table.
    fn row(bytes: &mut Vec<u8>, table: Table, before: u32, values: &[Value]);

    /// Appends the end of a table.
    fn end(_bytes: &mut Vec<u8>) {}
}

/// Comma-separated values; NULL is an empty field.
pub struct Csv;

/// The default format of COPY: fields separated by tabs, `\N` for NULL.
pub struct CopyText;

/// JSON objects.
pub struct Ndjson;

/// INSERT statements of many rows each.
pub struct Inserts;

/// The rows per INSERT statement: enough to be fast, and far below the size limit of servers.
const ROWS_OF_AN_INSERT: u32 = 1000;

/// The rows of a university as bytes, by table.
pub struct Lines<S> {
    tables: [Vec<u8>; Table::COUNT],
    rows: [u32; Table::COUNT],
    spelling: PhantomData<S>,
}

impl<S: Spelling> Lines<S> {
    /// The bytes of each table that has rows.
    pub fn tables(mut self) -> impl Iterator<Item = (Table, Vec<u8>)> {
        for table in &mut self.tables {
            if !table.is_empty() {
                S::end(table);
            }
        }
        let tables = Table::ALL.into_iter().zip(self.tables);
        tables.filter(|(_, bytes)| !bytes.is_empty())
    }
}

impl<S> Default for Lines<S> {
    fn default() -> Self {
        Self {
            tables: Default::default(),
            rows: Default::default(),
            spelling: PhantomData,
        }
    }
}

impl<S: Spelling> TakeRows for Lines<S> {
    fn row(&mut self, table: Table, values: &[Value]) {
        let before = &mut self.rows[table as usize];
        S::row(&mut self.tables[table as usize], table, *before, values);
        *before += 1;
    }
}

impl Spelling for Csv {
    fn row(bytes: &mut Vec<u8>, _table: Table, _before: u32, values: &[Value]) {
        fields(bytes, values, b",", b"", b"");
        bytes.push(b'\n');
    }
}

impl Spelling for CopyText {
    fn row(bytes: &mut Vec<u8>, _table: Table, _before: u32, values: &[Value]) {
        fields(bytes, values, b"\t", b"\\N", b"");
        bytes.push(b'\n');
    }
}

impl Spelling for Ndjson {
    fn row(bytes: &mut Vec<u8>, table: Table, _before: u32, values: &[Value]) {
        for (index, (column, value)) in table.columns().iter().zip(values).enumerate() {
            bytes.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
            bytes.extend_from_slice(column.name.as_bytes());
            bytes.extend_from_slice(b"\":");
            field(bytes, *value, b"null", b"\"");
        }
        bytes.extend_from_slice(b"}\n");
    }
}

impl Spelling for Inserts {
    fn row(bytes: &mut Vec<u8>, table: Table, before: u32, values: &[Value]) {
        if before.is_multiple_of(ROWS_OF_AN_INSERT) {
            if before > 0 {
                Self::end(bytes);
            }
            bytes.extend_from_slice(format!("INSERT INTO {} VALUES\n(", table.name()).as_bytes());
        } else {
            bytes.extend_from_slice(b",\n(");
        }
        fields(bytes, values, b",", b"NULL", b"'");
        bytes.push(b')');
    }

    fn end(bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(b";\n");
    }
}

fn fields(bytes: &mut Vec<u8>, values: &[Value], separator: &[u8], null: &[u8], quote: &[u8]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            bytes.extend_from_slice(separator);
        }
        field(bytes, *value, null, quote);
    }
}

fn field(bytes: &mut Vec<u8>, value: Value, null: &[u8], quote: &[u8]) {
    match value {
        Value::Null => bytes.extend_from_slice(null),
        Value::Number(number) => {
            let _ = write!(bytes, "{number}"); // writing to memory cannot fail
        }
        Value::Text(text) => {
            for part in [quote, text.as_bytes(), quote] {
                bytes.extend_from_slice(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled<S: Spelling>(rows: u32) -> String {
        let mut lines = Lines::<S>::default();
        for number in 0..rows {
            let row = [Value::Number(number), Value::Null, Value::Text("a b ")];
            lines.row(Table::Department, &row);
        }
        let (table, bytes) = lines.tables().next().unwrap();
        assert_eq!(table, Table::Department);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_format_has_its_spelling() {
        assert_eq!(spelled::<Csv>(1), "0,,a b \n");
        assert_eq!(spelled::<CopyText>(2), "0\t\\N\ta b \n1\t\\N\ta b \n");
        assert_eq!(
            spelled::<Ndjson>(1),
            "{\"nr\":0,\"name\":null,\"subOrganizationOf\":\"a b \"}\n"
        );
        assert_eq!(
            spelled::<Inserts>(2),
            "INSERT INTO department VALUES\n(0,NULL,'a b '),\n(1,NULL,'a b ');\n"
        );
    }

    #[test]
    fn an_insert_ends_after_a_thousand_rows() {
        let text = spelled::<Inserts>(2001);

        assert_eq!(text.matches("INSERT INTO").count(), 3);
        assert_eq!(text.matches(";\n").count(), 3);
        assert!(text.ends_with("VALUES\n(2000,NULL,'a b ');\n"));
    }
}
