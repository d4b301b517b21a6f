//! Writes samples to disk during the run.
//!
//! Encoding a batch of columns blocks for milliseconds, so the hot loop only compresses samples and
//! writes them to the page cache in portions that are small enough (32 KB: a few microseconds) not
//! to affect any latency. The columns are encoded after the run.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::difference::{Before, LONGEST};
use super::sample::Sample;

const PORTION: usize = 1 << 15;

/// A file of samples.
pub struct Spill {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    before: Before,
}

impl Spill {
    /// Creates the file.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::create(&path)?;
        Ok(Self {
            path,
            file,
            buffer: Vec::with_capacity(PORTION + LONGEST),
            before: Before::default(),
        })
    }

    /// Appends a sample; writes a portion when it is full.
    #[inline]
    pub fn push(&mut self, sample: &Sample) -> io::Result<()> {
        self.before.write(sample, &mut self.buffer);
        if self.buffer.len() >= PORTION {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes the buffered samples.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Spill {
    /// Removes the file, which is temporary.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Reads the samples of such a file, one after the other.
pub struct SpillReader<R> {
    source: R,
    buffer: Box<[u8]>,
    /// The part of the buffer that has not been read yet.
    unread: Range<usize>,
    before: Before,
}

impl SpillReader<File> {
    /// Opens the file of a worker.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(File::open(path)?))
    }
}

impl<R: Read> SpillReader<R> {
    /// Reads from a source.
    pub fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; PORTION + LONGEST].into(),
            unread: 0..0,
            before: Before::default(),
        }
    }

    /// The next sample; None after the last one. The error is that of reading, or of a damaged
    /// file.
    #[inline]
    pub fn next(&mut self) -> io::Result<Option<Sample>> {
        if self.unread.len() < LONGEST {
            self.refill()?;
        }
        let mut unread = &self.buffer[self.unread.clone()];
        if unread.is_empty() {
            return Ok(None);
        }
        let sample = self.before.read(&mut unread);
        self.unread.start = self.unread.end - unread.len();
        sample.map(Some).ok_or(ErrorKind::UnexpectedEof.into())
    }

    /// Fills the buffer from the source.
    fn refill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while self.unread.end < self.buffer.len() {
            match self.source.read(&mut self.buffer[self.unread.end..])? {
                0 => break,
                count => self.unread.end += count,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(number: i64) -> Sample {
        Sample {
            end_ns: number * number,
            ..Sample::default()
        }
    }

    fn read(mut reader: SpillReader<impl Read>) -> io::Result<Vec<i64>> {
        let mut ends = Vec::new();
        while let Some(sample) = reader.next()? {
            ends.push(sample.end_ns);
        }
        Ok(ends)
    }

    fn spilled(name: &str, samples: i64) -> Spill {
        let name = format!("wirelab-spill-{name}-{}", std::process::id());
        let mut spill = Spill::create(std::env::temp_dir().join(name)).unwrap();
        (0..samples).for_each(|number| spill.push(&sample(number)).unwrap());
        spill.flush().unwrap();
        spill
    }

    #[test]
    fn everything_pushed_can_be_read_until_it_is_dropped() {
        let spill = spilled("whole", 20_000);
        let path = spill.path().to_owned();
        let ends = read(SpillReader::open(&path).unwrap()).unwrap();
        assert!(
            ends.into_iter()
                .eq((0..20_000).map(|number| number * number))
        );
        drop(spill);
        assert!(!path.exists());
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let spill = spilled("cut", 1_000);
        let bytes = std::fs::read(spill.path()).unwrap();
        let cut = &bytes[..bytes.len() - 1];
        assert_eq!(
            read(SpillReader::new(cut)).unwrap_err().kind(),
            ErrorKind::UnexpectedEof
        );
    }
}
