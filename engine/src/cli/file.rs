//! Reads the text files that options name.

use std::path::Path;

/// Some programs begin a text in UTF-8 with it; it is not part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a file in UTF-8, without a byte order mark. The error is the problem.
pub fn text(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(text
        .strip_prefix(BYTE_ORDER_MARK)
        .map_or_else(|| text.clone(), String::from))
}
