//! The samples as a Parquet file: one row a transaction.
//!
//! All columns are compressed with LZ4. Times increase from row to row, so they are delta-encoded;
//! the other columns have few distinct values, which LZ4 compresses well.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::failure::Failure;
use crate::job::{Target, Transaction};

use super::sample::Sample;
use super::spill::SpillReader;

type RowGroup<'file> = SerializedRowGroupWriter<'file, File>;

const ROWS_IN_GROUP: usize = 1 << 16;
/// The number of values that are written at a time: they fit into the L1 cache.
const ROWS_AT_A_TIME: usize = 1 << 10;

const SCHEMA: &str = "message samples {
    REQUIRED BYTE_ARRAY target (STRING);
    REQUIRED INT32 slice (INTEGER(32,false));
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

const TIMES: [&str; 4] = ["intended_ns", "start_ns", "first_byte_ns", "end_ns"];
/// Delta-encoded only with streams; otherwise they are constant.
const TIMES_OF_ITEMS: [&str; 2] = ["first_item_ns", "last_item_ns"];

/// The samples of one worker.
pub struct Part<'a> {
    pub target: &'a Target,
    pub spill: &'a Path,
    /// The slices in their order, each with its number of samples.
    pub slices: &'a [(u32, u64)],
}

/// Writes the samples of all workers into one Parquet file at `path`. The error is that of reading
/// or writing.
pub fn write_parquet(path: &Path, parts: &[Part]) -> Result<()> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::LZ4_RAW)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_encoding(Encoding::PLAIN);
    let has_streams = parts.iter().any(|part| part.target.has_streams());
    let of_items = TIMES_OF_ITEMS.iter().filter(|_| has_streams);
    for &column in TIMES.iter().chain(of_items) {
        properties = properties.set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    let mut writer =
        SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties.build()))?;
    // Created once: a text per row would cost more than all numbers of the row.
    let failures: Vec<ByteArray> = (0..=u8::MAX)
        .map(|number| Failure::name_of(number).into())
        .collect();
    let mut columns = Columns::new();
    for part in parts {
        let transactions = &part.target.transactions;
        let operations: Vec<ByteArray> = transactions
            .iter()
            .map(|transaction| transaction.operation.as_str().into())
            .collect();
        let name = [part.target.name.as_str().into()];
        let mut reader = SpillReader::open(part.spill)?;
        let mut slices = part.slices.iter().copied();
        let mut slice = slices.next().unwrap_or_default();
        while columns.fill(&mut reader, transactions)? {
            columns.number_slices(&mut slice, &mut slices);
            let mut group = writer.next_row_group()?;
            write_texts(&mut group, &columns.targets, &name)?;
            write::<Int32Type>(&mut group, &columns.slices)?;
            write_texts(&mut group, &columns.transactions, &operations)?;
            write::<Int32Type>(&mut group, &columns.parameter_sets)?;
            write::<Int32Type>(&mut group, &columns.clients)?;
            for times in &columns.times {
                write::<Int64Type>(&mut group, times)?;
            }
            for counts in &columns.counts {
                write::<Int32Type>(&mut group, counts)?;
            }
            write_texts(&mut group, &columns.failures, &failures)?;
            group.close()?;
        }
    }
    writer.close()?;
    Ok(())
}

/// The rows of a group, by column. Unsigned numbers are stored as signed ones with the same bits,
/// as in Parquet.
struct Columns {
    /// The index of the target, repeated.
    targets: Vec<u32>,
    slices: Vec<i32>,
    transactions: Vec<u32>,
    parameter_sets: Vec<i32>,
    clients: Vec<i32>,
    times: [Vec<i64>; 8],
    counts: [Vec<i32>; 6],
    failures: Vec<u32>,
}

impl Columns {
    fn new() -> Self {
        Self {
            targets: Vec::with_capacity(ROWS_IN_GROUP),
            slices: Vec::with_capacity(ROWS_IN_GROUP),
            transactions: Vec::with_capacity(ROWS_IN_GROUP),
            parameter_sets: Vec::with_capacity(ROWS_IN_GROUP),
            clients: Vec::with_capacity(ROWS_IN_GROUP),
            times: std::array::from_fn(|_| Vec::with_capacity(ROWS_IN_GROUP)),
            counts: std::array::from_fn(|_| Vec::with_capacity(ROWS_IN_GROUP)),
            failures: Vec::with_capacity(ROWS_IN_GROUP),
        }
    }

    /// Replaces the rows by the next ones; false if there are no more.
    fn fill(
        &mut self,
        reader: &mut SpillReader<File>,
        transactions: &[Transaction],
    ) -> Result<bool> {
        self.transactions.clear();
        self.parameter_sets.clear();
        self.clients.clear();
        self.times.iter_mut().for_each(Vec::clear);
        self.counts.iter_mut().for_each(Vec::clear);
        self.failures.clear();
        while self.failures.len() < ROWS_IN_GROUP
            && let Some(sample) = reader.next()?
        {
            self.push(&sample);
        }
        let parameter_set = |number: &u32| transactions[*number as usize].parameter_set as i32;
        self.parameter_sets
            .extend(self.transactions.iter().map(parameter_set));
        self.targets.resize(self.failures.len(), 0);
        Ok(!self.failures.is_empty())
    }

    /// Fills the column of slice numbers, from the number of rows that are left of each slice.
    fn number_slices(
        &mut self,
        (slice, left): &mut (u32, u64),
        following: &mut impl Iterator<Item = (u32, u64)>,
    ) {
        self.slices.clear();
        while self.slices.len() < self.failures.len() {
            let rows = (self.failures.len() - self.slices.len()) as u64;
            let taken = rows.min(*left);
            let length = self.slices.len() + taken as usize;
            self.slices.resize(length, *slice as i32);
            *left -= taken;
            if *left == 0 {
                // An unknown slice has any number of rows.
                (*slice, *left) = following.next().unwrap_or((*slice, u64::MAX));
            }
        }
    }

    #[inline]
    fn push(&mut self, sample: &Sample) {
        let times = [
            sample.intended_ns,
            sample.start_ns,
            sample.first_byte_ns,
            sample.end_ns,
            sample.connect_ns,
            sample.tls_ns,
            sample.first_item_ns,
            sample.last_item_ns,
        ];
        let counts = [
            sample.bytes_sent,
            sample.bytes_received,
            sample.payload_bytes,
            sample.items,
            sample.items_sent,
            sample.status.into(),
        ];
        self.transactions.push(sample.transaction);
        self.clients.push(sample.client as i32);
        for (column, time) in self.times.iter_mut().zip(times) {
            column.push(time);
        }
        for (column, count) in self.counts.iter_mut().zip(counts) {
            column.push(count as i32);
        }
        self.failures.push(sample.failure.into());
    }
}

/// Writes the next column of a group, in the order of the schema.
fn write<T: DataType>(group: &mut RowGroup<'_>, values: &[T::T]) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Ok(());
    };
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// The same for texts given by their indices. Cloning one takes two atomic operations, so the texts
/// of a batch are reused while the next batch has the same.
fn write_texts(group: &mut RowGroup<'_>, numbers: &[u32], texts: &[ByteArray]) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Ok(());
    };
    let mut batch: Vec<ByteArray> = Vec::with_capacity(ROWS_AT_A_TIME);
    let mut only: Option<u32> = None;
    for numbers in numbers.chunks(ROWS_AT_A_TIME) {
        let first = numbers[0];
        let is_same = numbers.iter().all(|number| *number == first);
        if !is_same || only != Some(first) {
            batch.clear();
            batch.extend(numbers.iter().map(|number| texts[*number as usize].clone()));
            only = is_same.then_some(first);
        }
        let values = &batch[..numbers.len()];
        column
            .typed::<ByteArrayType>()
            .write_batch(values, None, None)?;
    }
    column.close()
}
