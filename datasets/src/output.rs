//! Writing rows: as NDJSON or CSV, to a file or the standard output.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::{Builder, NamedTempFile};

use crate::error::Error;

/// A row of a table of some domain. As NDJSON it is what serde makes of it.
pub trait Row: Serialize {
    /// Its fields as CSV, in the order of the table's columns.
    fn fields(&self) -> Result<Vec<String>, serde_json::Error>;
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object a line
    Ndjson,
    /// The table's columns as in RFC 4180, without a header; what COPY … (FORMAT csv) takes
    Csv,
}

/// Where rows go, and how.
#[derive(Args, Clone, Debug)]
pub struct Destination {
    /// How to write the rows
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    pub format: Format,

    /// The file to write; - is the standard output
    #[arg(long, value_name = "PATH", default_value = "-")]
    pub output: PathBuf,
}

/// Where the rows of several tables go, and how.
#[derive(Args, Clone, Debug)]
pub struct Folder {
    /// How to write the rows
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    format: Format,

    /// The folder to write to: a file a table, named <table>.ndjson or <table>.csv
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
}

impl Folder {
    /// Writes all rows of one table, or leaves its file as it was.
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
    /// Writes all rows, or leaves nothing behind: a file appears under its name when it is whole.
    pub fn write<R: Row>(&self, rows: impl Iterator<Item = R>) -> Result<(), Error> {
        if self.output.as_os_str() == "-" {
            let never = AtomicBool::new(false);
            return self.put(&mut BufWriter::new(io::stdout().lock()), rows, &never);
        }
        if self.output.is_dir() {
            return Err(self.wrong("is a folder", "the name of a file".to_owned()));
        }
        // A device or a pipe is written to; to rename a file over it would destroy it.
        if self.output.exists() && !self.output.is_file() {
            let file = OpenOptions::new().write(true).open(&self.output);
            let never = AtomicBool::new(false);
            return self.put(
                &mut BufWriter::new(file.map_err(|it| self.failed(it))?),
                rows,
                &never,
            );
        }
        let interrupted = interruption().map_err(|it| self.failed(it))?;
        let mut partial = BufWriter::new(self.partial()?);
        self.put(&mut partial, rows, &interrupted)?;
        let partial = partial
            .into_inner()
            .map_err(|it| self.failed(it.into_error()))?;
        partial
            .persist(self.target())
            .map_err(|it| self.failed(it.error))?;
        Ok(())
    }

    /// The new file, under a name of its own until it is whole. Dropped, it is removed.
    fn partial(&self) -> Result<NamedTempFile<File>, Error> {
        let target = self.target();
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let expected = format!("the folder {} to be there", folder.display());
            return Err(self.wrong("cannot be written", expected));
        }
        let mut prefix = OsString::from(".");
        prefix.push(target.file_name().unwrap_or_default());
        prefix.push(".partial-");
        Builder::new()
            .prefix(&prefix)
            .permissions(Permissions::from_mode(0o666)) // less the umask, as for any other file
            .tempfile_in(folder)
            .map_err(|it| self.failed(it))
    }

    /// The file behind a symbolic link, which stays a link.
    fn target(&self) -> PathBuf {
        self.output
            .canonicalize()
            .unwrap_or_else(|_| self.output.clone())
    }

    fn put<R: Row>(
        &self,
        sink: &mut impl Write,
        rows: impl Iterator<Item = R>,
        interrupted: &AtomicBool,
    ) -> Result<(), Error> {
        let write = match self.format {
            Format::Ndjson => write_ndjson,
            Format::Csv => write_csv,
        };
        for row in rows {
            write(sink, &row).map_err(|it| self.failed(it))?;
            if interrupted.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
        }
        sink.flush().map_err(|it| self.failed(it))
    }

    fn failed(&self, cause: io::Error) -> Error {
        if cause.kind() == ErrorKind::BrokenPipe {
            return Error::NoReader;
        }
        Error::Output {
            path: self.output.display().to_string(),
            cause,
        }
    }

    fn wrong(&self, found: &str, expected: String) -> Error {
        let place = "--output".to_owned();
        Error::input(
            place,
            format!("{} {found}", self.output.display()),
            expected,
        )
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

/// A flag that a signal sets, so that the partial file can be removed before the end.
fn interruption() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}
