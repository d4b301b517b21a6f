//! The samples as a Parquet file: one row a transaction.
//!
//! All is compressed with zstd at its fastest: about 9 bytes a row. Times go on from one row to
//! the next, so their differences are kept; of all else there are few different values, which
//! zstd finds faster than any encoding before it.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::failure::Failure;
use crate::job::Transaction;

use super::sample::Sample;
use super::spill::SpillReader;

const ROWS_IN_GROUP: usize = 1 << 16;
/// So many values are handed over at a time: they stay in the fastest cache.
const ROWS_AT_A_TIME: usize = 1 << 10;

const SCHEMA: &str = "message samples {
    REQUIRED BYTE_ARRAY operation (STRING);
    REQUIRED INT32 parameter_set (INTEGER(32,false));
    REQUIRED INT32 client (INTEGER(32,false));
    REQUIRED INT64 intended_ns;
    REQUIRED INT64 start_ns;
    REQUIRED INT64 first_byte_ns;
    REQUIRED INT64 end_ns;
    REQUIRED INT64 connect_ns;
    REQUIRED INT64 tls_ns;
    REQUIRED INT64 first_item_ns;
    REQUIRED INT64 last_item_ns;
    REQUIRED INT32 bytes_sent (INTEGER(32,false));
    REQUIRED INT32 bytes_received (INTEGER(32,false));
    REQUIRED INT32 payload_bytes (INTEGER(32,false));
    REQUIRED INT32 items (INTEGER(32,false));
    REQUIRED INT32 items_sent (INTEGER(32,false));
    REQUIRED INT32 status (INTEGER(16,false));
    REQUIRED BYTE_ARRAY error (STRING);
}";

const TIMES: [&str; 6] = [
    "intended_ns",
    "start_ns",
    "first_byte_ns",
    "end_ns",
    "first_item_ns",
    "last_item_ns",
];

/// Turns the spilled samples of all workers into one file.
pub fn write_parquet(path: &Path, spills: &[&Path], transactions: &[Transaction]) -> Result<()> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_encoding(Encoding::PLAIN);
    for column in TIMES {
        properties = properties.set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    let mut writer =
        SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties.build()))?;
    let operations: Vec<ByteArray> = transactions
        .iter()
        .map(|transaction| transaction.operation.as_str().into())
        .collect();
    // Made once: a text of its own for every row would cost more than all numbers of the row.
    let failures: Vec<ByteArray> = (0..=u8::MAX)
        .map(|number| Failure::name_of(number).into())
        .collect();
    for spill in spills {
        let mut reader = SpillReader::open(spill, ROWS_IN_GROUP)?;
        loop {
            let rows = reader.next_batch()?;
            if rows.is_empty() {
                break;
            }
            let writer = writer.next_row_group()?;
            let mut group = Group { writer, rows };
            group.text(|sample| operations[sample.transaction as usize].clone())?;
            group.int32(|sample| transactions[sample.transaction as usize].parameter_set)?;
            group.int32(|sample| sample.client)?;
            group.int64(|sample| sample.intended_ns)?;
            group.int64(|sample| sample.start_ns)?;
            group.int64(|sample| sample.first_byte_ns)?;
            group.int64(|sample| sample.end_ns)?;
            group.int64(|sample| sample.connect_ns)?;
            group.int64(|sample| sample.tls_ns)?;
            group.int64(|sample| sample.first_item_ns)?;
            group.int64(|sample| sample.last_item_ns)?;
            group.int32(|sample| sample.bytes_sent)?;
            group.int32(|sample| sample.bytes_received)?;
            group.int32(|sample| sample.payload_bytes)?;
            group.int32(|sample| sample.items)?;
            group.int32(|sample| sample.items_sent)?;
            group.int32(|sample| u32::from(sample.status))?;
            group.text(|sample| failures[usize::from(sample.failure)].clone())?;
            group.writer.close()?;
        }
    }
    writer.close()?;
    Ok(())
}

/// A row group being written, column after column, in the order of the schema.
struct Group<'a, 'file> {
    writer: SerializedRowGroupWriter<'file, File>,
    rows: &'a [[u8; Sample::BYTES]],
}

impl Group<'_, '_> {
    fn text(&mut self, value: impl Fn(&Sample) -> ByteArray) -> Result<()> {
        self.column::<ByteArrayType>(value)
    }

    /// An unsigned number: Parquet keeps it in the bits of a signed one.
    fn int32(&mut self, value: impl Fn(&Sample) -> u32) -> Result<()> {
        self.column::<Int32Type>(|sample| value(sample) as i32)
    }

    fn int64(&mut self, value: impl Fn(&Sample) -> i64) -> Result<()> {
        self.column::<Int64Type>(value)
    }

    fn column<T: DataType>(&mut self, value: impl Fn(&Sample) -> T::T) -> Result<()> {
        let Some(mut column) = self.writer.next_column()? else {
            return Ok(());
        };
        let mut values = Vec::with_capacity(ROWS_AT_A_TIME);
        for rows in self.rows.chunks(ROWS_AT_A_TIME) {
            values.clear();
            values.extend(rows.iter().map(|row| value(&Sample::from_bytes(row))));
            column.typed::<T>().write_batch(&values, None, None)?;
        }
        column.close()
    }
}
