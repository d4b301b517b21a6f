//! What is wrong with an input, all at once: where, which column, which value, what is right.

use std::fmt;

/// More than this nobody reads; the rest is counted.
const SHOWN: usize = 20;

/// A value longer than this is cut when it is shown.
const SHOWN_CHARACTERS: usize = 60;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, and the line if there is one.
    pub place: String,
    /// What is there, such as `release_date is "May 32, 2016"`.
    pub found: String,
    /// What would be right.
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

/// A value in quotes, cut to a length that fits a line.
pub fn quoted(value: &str) -> String {
    format!("{:?}", shortened(value))
}

/// A value, cut to a length that fits a line.
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

/// One problem a line; after the twentieth only how many more there are.
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
