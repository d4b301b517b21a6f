//! Several files in a folder, which appear together when all are complete.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::whole_file::{WholeFile, failed, parent, wrong};

/// Files being written. Dropped before `keep`, they leave nothing behind; a folder that did not
/// exist before is removed as well.
pub struct WholeFolder {
    pub files: Vec<WholeFile>,
    folder: MadeFolder, // after the files, for it must be empty to be removed
}

impl WholeFolder {
    /// Starts files of these names in a folder, which is created if it does not exist. The error is
    /// that they cannot be created.
    pub fn create(folder: &Path, names: &[String]) -> Result<Self, Error> {
        if folder.as_os_str() == "-" || folder.exists() && !folder.is_dir() {
            return Err(wrong(
                folder,
                "is not a folder",
                "the name of a folder".to_owned(),
            ));
        }
        let made = MadeFolder(if folder.is_dir() {
            None
        } else {
            parent(folder)?;
            fs::create_dir(folder).map_err(|cause| failed(folder, cause))?;
            Some(folder.to_owned())
        });
        let files = names
            .iter()
            .map(|name| WholeFile::create(&folder.join(name)));
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
            folder: made,
        })
    }

    /// Completes all files: they get their names.
    pub fn keep(mut self) -> Result<(), Error> {
        self.files.into_iter().try_for_each(WholeFile::keep)?;
        self.folder.0 = None;
        Ok(())
    }
}

/// A created folder that is removed again, unless it is kept.
struct MadeFolder(Option<PathBuf>);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = fs::remove_dir(folder); // it stays if it has other files
        }
    }
}
