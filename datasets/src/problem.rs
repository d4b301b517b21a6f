//! Problems of an input, reported together: the location, the value, and what is expected.

use std::fmt;

/// The most problems that are shown; the rest is counted.
const SHOWN: usize = 20;

/// The most characters of a value that are shown.
const SHOWN_CHARACTERS: usize = 60;

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, and the line if it has lines.
    pub place: String,
    /// What was found, such as `release_date is "May 32, 2016"`.
    pub found: String,
    /// What is expected.
    pub expected: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            place,
            found,
            expected,
        } = self;
        write!(formatter, "{place}: {found}; expected {expected}")
    }
}

/// A value in quotes, shortened to fit a line.
pub fn quoted(value: &str) -> String {
    format!("{:?}", shortened(value))
}

/// A value, shortened to fit a line.
pub fn shortened(value: &str) -> String {
    if value.chars().count() <= SHOWN_CHARACTERS {
        return value.to_owned();
    }
    value
        .chars()
        .take(SHOWN_CHARACTERS - 1)
        .chain(['…'])
        .collect()
}

/// One problem per line; after the twentieth only the number of further ones.
pub fn render(problems: &[Problem]) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .take(SHOWN)
        .map(Problem::to_string)
        .collect();
    if problems.len() > SHOWN {
        lines.push(format!("… and {} more", problems.len() - SHOWN));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_problems_are_cut_and_counted() {
        let problem = Problem {
            place: "a".into(),
            found: "b".into(),
            expected: "c".into(),
        };
        let text = render(&vec![problem; 23]);

        assert_eq!(text.lines().count(), 21);
        assert!(text.starts_with("a: b; expected c\n"));
        assert!(text.ends_with("\n… and 3 more"));
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(quoted("a\"b"), r#""a\"b""#);
        assert_eq!(quoted(&"中".repeat(100)).chars().count(), 62);
    }
}
