//! Reading the sample file.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

#[derive(Clone, Debug)]
pub struct Row {
    pub target: String,
    pub slice: u64,
    pub operation: String,
    pub parameter_set: u64,
    pub client: u64,
    pub intended_ns: i64,
    pub start_ns: i64,
    pub first_byte_ns: i64,
    pub end_ns: i64,
    pub connect_ns: i64,
    pub tls_ns: i64,
    pub first_item_ns: i64,
    pub last_item_ns: i64,
    pub items: u64,
    pub items_sent: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub payload_bytes: u64,
    pub status: u64,
    pub error: String,
}

pub fn read(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| from_columns(row.unwrap().into_columns()))
        .collect()
}

fn from_columns(columns: Vec<(String, Field)>) -> Row {
    let field = |name: &str| &columns.iter().find(|(column, _)| column == name).unwrap().1;
    let text = |name| match field(name) {
        Field::Str(text) => text.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let unsigned = |name| match field(name) {
        Field::UInt(number) => u64::from(*number),
        Field::UShort(number) => u64::from(*number),
        other => panic!("{name}: {other:?}"),
    };
    let time = |name| match field(name) {
        Field::Long(number) => *number,
        other => panic!("{name}: {other:?}"),
    };
    Row {
        target: text("target"),
        slice: unsigned("slice"),
        operation: text("operation"),
        parameter_set: unsigned("parameter_set"),
        client: unsigned("client"),
        intended_ns: time("intended_ns"),
        start_ns: time("start_ns"),
        first_byte_ns: time("first_byte_ns"),
        end_ns: time("end_ns"),
        connect_ns: time("connect_ns"),
        tls_ns: time("tls_ns"),
        first_item_ns: time("first_item_ns"),
        last_item_ns: time("last_item_ns"),
        items: unsigned("items"),
        items_sent: unsigned("items_sent"),
        bytes_sent: unsigned("bytes_sent"),
        bytes_received: unsigned("bytes_received"),
        payload_bytes: unsigned("payload_bytes"),
        status: unsigned("status"),
        error: text("error"),
    }
}
