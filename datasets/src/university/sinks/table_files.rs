//! Writes a folder with a file of lines per table.

use std::path::Path;

use super::Sink;
use crate::error::Error;
use crate::university::lines::{Lines, Spelling};
use crate::university::tables::Table;
use crate::whole_folder::WholeFolder;

/// The files of all tables.
pub struct TableFiles<S> {
    folder: WholeFolder,
    spelling: std::marker::PhantomData<S>,
}

impl<S> TableFiles<S> {
    /// Starts the files, named after the tables in lower case.
    pub fn create(folder: &Path, ending: &str) -> Result<Self, Error> {
        let names = Table::ALL.map(|it| format!("{}.{ending}", it.name().to_lowercase()));
        Ok(Self {
            folder: WholeFolder::create(folder, &names)?,
            spelling: std::marker::PhantomData,
        })
    }
}

impl<S: Spelling> Sink for TableFiles<S> {
    type Chunk = Lines<S>;

    fn take(&mut self, chunk: Lines<S>) -> Result<(), Error> {
        for (table, bytes) in chunk.tables() {
            self.folder.files[table as usize].put(&bytes)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Error> {
        self.folder.keep()
    }
}
