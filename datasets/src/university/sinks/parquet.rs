//! Writes a folder with a Parquet file per table.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::Sink;
use crate::error::Error;
use crate::university::rows::TakeRows;
use crate::university::tables::{Column, Kind, Table, Value};
use crate::whole_file::WholeFile;
use crate::whole_folder::WholeFolder;

/// The number of rows at which a row group is written. The number of universities in it does not
/// depend on the number of threads.
const ROWS_IN_GROUP: usize = 1 << 17;

/// The files of all tables.
pub struct ParquetFiles {
    writers: Vec<SerializedFileWriter<WholeFile>>,
    /// Rows of incomplete row groups.
    pending: ColumnsOfTables,
    folder: WholeFolder,
}

impl ParquetFiles {
    /// Starts the files in a folder.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let names = Table::ALL.map(|it| format!("{}.parquet", it.name().to_lowercase()));
        let mut folder = WholeFolder::create(path, &names)?;
        let files = std::mem::take(&mut folder.files);
        let writers = Table::ALL.into_iter().zip(files).map(|(table, file)| {
            let path = file.path().to_owned();
            writer(table, file).map_err(|it| failed(&path, it))
        });
        Ok(Self {
            writers: writers.collect::<Result<_, _>>()?,
            pending: ColumnsOfTables::default(),
            folder,
        })
    }

    /// Writes the pending rows of the tables that have at least `least`.
    fn write_groups(&mut self, least: usize) -> Result<(), Error> {
        for (writer, table) in self.writers.iter_mut().zip(&mut self.pending.0) {
            if table.rows >= least {
                let table = std::mem::take(table);
                if let Err(cause) = write_group(writer, &table) {
                    return Err(failed(writer.inner().path(), cause));
                }
            }
        }
        Ok(())
    }
}

impl Sink for ParquetFiles {
    type Chunk = ColumnsOfTables;

    fn take(&mut self, chunk: ColumnsOfTables) -> Result<(), Error> {
        for (mine, theirs) in self.pending.0.iter_mut().zip(chunk.0) {
            mine.append(theirs);
        }
        self.write_groups(ROWS_IN_GROUP)
    }

    fn finish(mut self) -> Result<(), Error> {
        self.write_groups(1)?;
        for writer in self.writers {
            let path = writer.inner().path().to_owned();
            let file = writer.into_inner().map_err(|it| failed(&path, it))?;
            self.folder.files.push(file);
        }
        self.folder.keep()
    }
}

fn writer(table: Table, file: WholeFile) -> Result<SerializedFileWriter<WholeFile>, ParquetError> {
    let columns: Vec<String> = table
        .columns()
        .iter()
        .map(|column| format!("{} {};", presence(table, column), kind(column)))
        .collect();
    let schema = format!("message {} {{ {} }}", table.name(), columns.join(" "));
    let properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_created_by("wirelab-data".to_owned())
        .build();
    SerializedFileWriter::new(
        file,
        Arc::new(parse_message_type(&schema)?),
        Arc::new(properties),
    )
}

fn presence(table: Table, column: &Column) -> &'static str {
    if table.key().iter().any(|it| it.name == column.name) {
        "REQUIRED"
    } else {
        "OPTIONAL"
    }
}

fn kind(column: &Column) -> String {
    match column.kind {
        Kind::Number => format!("INT32 {}", column.name),
        Kind::Text(_) => format!("BYTE_ARRAY {} (STRING)", column.name),
    }
}

/// Rows as columns, by table.
#[derive(Default)]
pub struct ColumnsOfTables([Columns; Table::COUNT]);

#[derive(Default)]
struct Columns {
    rows: usize,
    columns: Vec<Values>,
}

/// The values of a column; `levels` has 0 for NULL, which has no value.
struct Values {
    levels: Vec<i16>,
    numbers: Vec<i32>,
    texts: Vec<ByteArray>,
}

impl TakeRows for ColumnsOfTables {
    fn row(&mut self, table: Table, row: &[Value]) {
        let table = &mut self.0[table as usize];
        table.rows += 1;
        table.columns.resize_with(row.len(), || Values {
            levels: Vec::new(),
            numbers: Vec::new(),
            texts: Vec::new(),
        });
        for (column, value) in table.columns.iter_mut().zip(row) {
            column.levels.push(i16::from(*value != Value::Null));
            match value {
                Value::Null => {}
                Value::Number(number) => column.numbers.push(*number as i32),
                Value::Text(text) => column.texts.push((*text).into()),
            }
        }
    }
}

impl Columns {
    fn append(&mut self, mut other: Self) {
        if self.rows == 0 {
            *self = other;
            return;
        }
        self.rows += other.rows;
        for (mine, theirs) in self.columns.iter_mut().zip(&mut other.columns) {
            mine.levels.append(&mut theirs.levels);
            mine.numbers.append(&mut theirs.numbers);
            mine.texts.append(&mut theirs.texts);
        }
    }
}

fn write_group(
    writer: &mut SerializedFileWriter<WholeFile>,
    table: &Columns,
) -> Result<(), ParquetError> {
    let kinds: Vec<parquet::basic::Type> = writer
        .schema_descr()
        .columns()
        .iter()
        .map(|it| it.physical_type())
        .collect();
    let mut group = writer.next_row_group()?;
    for (kind, column) in kinds.into_iter().zip(&table.columns) {
        if kind == parquet::basic::Type::INT32 {
            write_column::<Int32Type>(&mut group, &column.numbers, &column.levels)?;
        } else {
            write_column::<ByteArrayType>(&mut group, &column.texts, &column.levels)?;
        }
    }
    group.close()?;
    Ok(())
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<WholeFile>,
    values: &[T::T],
    levels: &[i16],
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column
            .typed::<T>()
            .write_batch(values, Some(levels), None)?;
        column.close()?;
    }
    Ok(())
}

fn failed(path: &Path, cause: ParquetError) -> Error {
    let path = path.display().to_string();
    let cause = io::Error::other(cause);
    Error::Output { path, cause }
}
