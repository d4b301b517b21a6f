//! A request of a file.

use crate::capture::Capture;

/// A request of a list of targets, as its file states it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    pub method: String,
    /// An address, or only a path.
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The values that clients capture from every answer.
    pub captures: Vec<Capture>,
    /// Its position in the file, for messages.
    pub source: String,
    /// When it was recorded, in seconds.
    pub time_s: Option<f64>,
}
