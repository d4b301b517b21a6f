//! Samples on their way to disk during the run.
//!
//! Encoding a batch of columns blocks for milliseconds, so in the hot loop samples are only
//! copied, and handed to the page cache in portions small enough (37 KB: some microseconds) not
//! to show in any latency. The columns are made after the run.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::sample::Sample;

const PORTION: usize = 384;

pub struct Spill {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
}

impl Spill {
    pub fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::create(&path)?;
        Ok(Self {
            path,
            file,
            buffer: Vec::with_capacity(PORTION * Sample::BYTES),
        })
    }

    #[inline]
    pub fn push(&mut self, sample: &Sample) -> io::Result<()> {
        self.buffer.extend_from_slice(&sample.to_bytes());
        if self.buffer.len() == PORTION * Sample::BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Spill {
    /// The file is for the time of the run alone.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Reads spilled samples in batches.
pub struct SpillReader {
    file: File,
    buffer: Vec<u8>,
}

impl SpillReader {
    pub fn open(path: &Path, batch: usize) -> io::Result<Self> {
        Ok(Self {
            file: File::open(path)?,
            buffer: vec![0; batch * Sample::BYTES],
        })
    }

    /// The bytes of each sample of the next batch; empty at the end.
    pub fn next_batch(&mut self) -> io::Result<&[[u8; Sample::BYTES]]> {
        let mut filled = 0;
        while filled < self.buffer.len() {
            match self.file.read(&mut self.buffer[filled..])? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(self.buffer[..filled].as_chunks().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_pushed_can_be_read_until_it_is_dropped() {
        let path = std::env::temp_dir().join(format!("wirelab-spill-{}", std::process::id()));
        let mut spill = Spill::create(path.clone()).unwrap();
        let sample = |number| Sample {
            end_ns: number,
            ..Sample::default()
        };
        (0..1_500).for_each(|number| spill.push(&sample(number)).unwrap());
        spill.flush().unwrap();

        let mut reader = SpillReader::open(spill.path(), 1_000).unwrap();
        let mut ends = Vec::new();
        loop {
            let batch = reader.next_batch().unwrap();
            if batch.is_empty() {
                break;
            }
            ends.extend(batch.iter().map(|row| Sample::from_bytes(row).end_ns));
        }
        assert_eq!(ends, (0..1_500).collect::<Vec<_>>());
        drop(spill);
        assert!(!path.exists());
    }
}
