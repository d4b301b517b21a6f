//! Reading the sample file, and comparing it with the result.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

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

pub fn of_slice(samples: &[Row], number: u64) -> Vec<Row> {
    let of_it = samples.iter().filter(|it| it.slice == number);
    of_it.cloned().collect()
}

pub fn operations(samples: &[Row]) -> String {
    samples.iter().map(|it| it.operation.as_str()).collect()
}

/// What a row says of response times is exactly what its samples say.
pub fn assert_statistics(row: &Value, samples: &[Row]) {
    let mut times: Vec<i64> = samples
        .iter()
        .filter(|it| it.error.is_empty())
        .map(|it| it.end_ns - it.intended_ns)
        .collect();
    times.sort_unstable();
    let quantile = |share: f64| times[(share * times.len() as f64).ceil() as usize - 1];
    let mean = times.iter().sum::<i64>() as f64 / times.len() as f64;
    for (key, expected_ns) in [
        ("median_us", quantile(0.5) as f64),
        ("p90_us", quantile(0.9) as f64),
        ("p99_us", quantile(0.99) as f64),
        ("min_us", times[0] as f64),
        ("max_us", *times.last().unwrap() as f64),
        ("mean_us", mean),
    ] {
        let reported = row[key].as_f64().unwrap();
        assert!(
            (reported - expected_ns / 1e3).abs() < 1e-6,
            "{key} in {row}"
        );
    }
    assert_eq!(row["transactions"], samples.len());
    let bytes: u64 = samples.iter().map(|it| it.bytes_received).sum();
    assert_eq!(row["bytes_received"], bytes);
}
