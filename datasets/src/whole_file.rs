//! A file that appears under its name only when it is complete.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::{Builder, NamedTempFile};

use crate::error::Error;

/// A file being written. Dropped before `keep`, it leaves nothing behind.
pub struct WholeFile {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    /// A new file, under a temporary name until it is complete.
    Partial(BufWriter<NamedTempFile<File>>),
    /// Standard output, a device or a pipe: written bytes cannot be taken back.
    Stream(BufWriter<Box<dyn Write + Send>>),
}

impl WholeFile {
    /// Starts the file at `path`; - is standard output. The error is that it cannot be created.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let sink = if path.as_os_str() == "-" {
            Sink::Stream(BufWriter::new(Box::new(io::stdout())))
        } else if path.is_dir() {
            return Err(wrong(path, "is a folder", "the name of a file".to_owned()));
        } else if is_stream(path) {
            // Renaming a file over a device or a pipe would destroy it.
            let stream = OpenOptions::new().write(true).open(path);
            let stream = stream.map_err(|cause| failed(path, cause))?;
            Sink::Stream(BufWriter::new(Box::new(stream)))
        } else {
            Sink::Partial(BufWriter::new(partial(path)?))
        };
        let path = path.to_owned();
        Ok(Self { path, sink })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The error of writing to this file.
    pub fn failed(&self, cause: io::Error) -> Error {
        failed(&self.path, cause)
    }

    /// Writes the bytes; the error names the file.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.write_all(bytes).map_err(|cause| self.failed(cause))
    }

    /// Completes the file: it gets its name.
    pub fn keep(self) -> Result<(), Error> {
        let path = self.path;
        match self.sink {
            Sink::Stream(mut stream) => stream.flush().map_err(|cause| failed(&path, cause)),
            Sink::Partial(partial) => {
                let file = partial
                    .into_inner()
                    .map_err(|it| failed(&path, it.into_error()))?;
                file.persist(target(&path))
                    .map_err(|it| failed(&path, it.error))?;
                Ok(())
            }
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Partial(file) => file.write(bytes),
            Sink::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Partial(file) => file.flush(),
            Sink::Stream(stream) => stream.flush(),
        }
    }
}

/// Whether a signal has arrived while something was written that must be removed before the end.
#[derive(Default)]
pub struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Handles the signals that end a program, before something is written to `path`.
    ///
    /// With a stream nothing has to be removed, so signals keep their default action.
    pub fn while_writing(path: &Path) -> Result<Self, Error> {
        if is_stream(path) {
            return Ok(Self::default());
        }
        Self::listen()
    }

    /// Handles the signals that end a program.
    pub fn listen() -> Result<Self, Error> {
        let flag = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let registered = signal_hook::flag::register(signal, Arc::clone(&flag.0));
            registered.map_err(|cause| failed(Path::new("anything"), cause))?;
        }
        Ok(flag)
    }

    /// Fails if a signal has arrived.
    pub fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

/// True for the standard output, a device or a pipe.
fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || path.exists() && !path.is_file() && !path.is_dir()
}

fn partial(path: &Path) -> Result<NamedTempFile<File>, Error> {
    let target = target(path);
    let folder = parent(&target)?;
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".partial-");
    Builder::new()
        .prefix(&prefix)
        .permissions(Permissions::from_mode(0o666)) // less the umask, as for any other file
        .tempfile_in(folder)
        .map_err(|cause| failed(path, cause))
}

/// The file behind a symbolic link, which stays a link.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The folder of a path. The error is that it does not exist.
pub fn parent(path: &Path) -> Result<&Path, Error> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let expected = format!("the folder {} to exist", folder.display());
        return Err(wrong(path, "cannot be written", expected));
    }
    Ok(folder)
}

/// The error of writing to a file.
pub fn failed(path: &Path, cause: io::Error) -> Error {
    if cause.kind() == ErrorKind::BrokenPipe {
        return Error::NoReader;
    }
    Error::Output {
        path: path.display().to_string(),
        cause,
    }
}

/// A problem with `--output`.
pub fn wrong(path: &Path, found: &str, expected: String) -> Error {
    let found = format!("{} {found}", path.display());
    Error::input("--output".to_owned(), found, expected)
}
