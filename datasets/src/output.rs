//! Writes rows as NDJSON or CSV, to a file or standard output.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::error::Error;
use crate::progress::{Display, Parts};
use crate::whole_file::{Interruption, WholeFile};

/// A row of a table. As NDJSON it is serialised by serde.
pub trait Row: Serialize {
    /// Its fields for CSV, in the order of the table's columns. The error is that of nested JSON.
    fn fields(&self) -> Result<Vec<String>, serde_json::Error>;
}

/// The format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object per line
    Ndjson,
    /// The table's columns as in RFC 4180, without a header, as for COPY … (FORMAT csv)
    Csv,
}

/// Where rows go, and how.
#[derive(Args, Clone, Debug)]
pub struct Destination {
    /// Format of the rows
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    pub format: Format,

    /// File to write; - is standard output
    #[arg(long, value_name = "PATH", default_value = "-")]
    pub output: PathBuf,
}

/// Where the rows of several tables go, and how.
#[derive(Args, Clone, Debug)]
pub struct Folder {
    /// Format of the rows
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    format: Format,

    /// Folder to write to, with one file per table, named <table>.ndjson or <table>.csv
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
}

impl Folder {
    /// The display of progress for this number of tables.
    pub fn parts(&self, tables: usize) -> Parts {
        Parts::new(tables, Display::beside(Some(&self.output)))
    }

    /// Writes all rows of a table, or leaves its file unchanged.
    pub fn write<R: Row>(&self, table: &str, rows: impl Iterator<Item = R>) -> Result<(), Error> {
        let ending = match self.format {
            Format::Ndjson => "ndjson",
            Format::Csv => "csv",
        };
        let output = self.output.join(format!("{table}.{ending}"));
        let format = self.format;
        Destination { format, output }.write(rows)
    }
}

impl Destination {
    /// The display of progress for this number of parts of the work, of which writing is the last.
    pub fn parts(&self, all: usize) -> Parts {
        Parts::new(all, Display::beside(Some(&self.output)))
    }

    /// Writes all rows, or leaves nothing behind: a file appears under its name when it is
    /// complete.
    pub fn write<R: Row>(&self, rows: impl Iterator<Item = R>) -> Result<(), Error> {
        let interruption = Interruption::while_writing(&self.output)?;
        let mut file = WholeFile::create(&self.output)?;
        let write = match self.format {
            Format::Ndjson => write_ndjson,
            Format::Csv => write_csv,
        };
        for row in rows {
            write(&mut file, &row).map_err(|cause| file.failed(cause))?;
            interruption.check()?;
        }
        file.keep()
    }
}

fn write_ndjson(sink: &mut impl Write, row: &impl Row) -> io::Result<()> {
    serde_json::to_writer(&mut *sink, row)?;
    sink.write_all(b"\n")
}

fn write_csv(sink: &mut impl Write, row: &impl Row) -> io::Result<()> {
    let mut line = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(sink);
    line.write_record(row.fields()?)?;
    line.flush()
}
