//! Where a run shows its progress.

/// Shows progress to people. It may skip a text: only the latest one is of interest.
pub trait Display {
    /// Shows a line of text in place of the last one.
    fn show(&mut self, text: &str);

    /// Prints a text that stays.
    fn note(&mut self, text: &str);
}

/// Shows nothing.
pub struct NoDisplay;

impl Display for NoDisplay {
    fn show(&mut self, _text: &str) {}

    fn note(&mut self, _text: &str) {}
}
