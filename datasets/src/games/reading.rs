//! Parses the values of the real data set, and collects problems.

use std::collections::BTreeMap;

use serde_json::Value;
use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use super::price::{Price, Reading};
use crate::error::Error;
use crate::problem::{Problem, quoted, shortened};
use crate::say;
use crate::source::Record;

const DAYS: [&[BorrowedFormatItem]; 4] = [
    format_description!("[year]-[month]-[day]"),
    format_description!("[month repr:short] [day padding:none], [year]"),
    format_description!("[month repr:long] [day padding:none], [year]"),
    format_description!("[day padding:none] [month repr:short], [year]"),
];

/// The values that were replaced by null: how many, and the first one.
type LeftOut = BTreeMap<(&'static str, &'static str), (u64, String)>;

/// The problems and notes of a file.
#[derive(Default)]
pub struct Findings {
    pub problems: Vec<Problem>,
    left_out: LeftOut,
}

impl Findings {
    /// Fails with the problems, if there are any; otherwise prints the notes.
    pub fn conclude(self) -> Result<(), Error> {
        if self.problems.is_empty() {
            self.notes().iter().for_each(say);
            return Ok(());
        }
        Err(Error::Input(self.problems))
    }

    /// One line per column with replaced values.
    pub fn notes(&self) -> Vec<String> {
        let lines = self
            .left_out
            .iter()
            .map(|((column, kind), (count, example))| {
                let rows = if *count == 1 { "row" } else { "rows" };
                format!(
                    "{column} is not a {kind} in {count} {rows}, such as {example}: written as null"
                )
            });
        lines.collect()
    }
}

/// Reads the values of a record.
pub struct Reader<'a> {
    pub record: &'a Record,
    pub findings: &'a mut Findings,
}

impl Reader<'_> {
    /// A text; none for null, "" and "NaN", which pandas writes.
    pub fn text(&mut self, column: &'static str) -> Option<String> {
        match self.value(column)? {
            Value::String(text) => {
                let text = text.trim().to_owned();
                if text.chars().any(is_unsayable) {
                    return self.wrong(column, "a text without control characters");
                }
                Some(text)
            }
            Value::Number(number) => Some(number.to_string()),
            _ => self.wrong(column, "a text"),
        }
    }

    /// A required text.
    pub fn needed_text(&mut self, column: &'static str) -> String {
        if self.value(column).is_none() {
            self.wrong::<()>(column, "a text");
        }
        self.text(column).unwrap_or_default()
    }

    /// Texts, as a list or separated by commas.
    pub fn list(&mut self, column: &'static str) -> Vec<String> {
        let expected = "texts separated by commas, or a list of texts";
        if let Some(Value::Array(items)) = self.value(column) {
            let texts: Option<Vec<String>> = items
                .iter()
                .map(|it| it.as_str().map(str::to_owned))
                .collect();
            return texts
                .or_else(|| self.wrong(column, expected))
                .unwrap_or_default();
        }
        if let Some(Value::Number(_)) = self.value(column) {
            return self.wrong(column, expected).unwrap_or_default();
        }
        let text = self.text(column).unwrap_or_default();
        text.split(',')
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// An integer; "54.0" is one, since pandas writes columns with missing values so.
    pub fn count(&mut self, column: &'static str) -> Option<u32> {
        let text = match self.value(column)? {
            Value::String(text) => text.trim().to_owned(),
            value => value.to_string(),
        };
        let whole = text.strip_suffix(".0").unwrap_or(&text);
        whole
            .parse()
            .ok()
            .or_else(|| self.wrong(column, "an integer of at least 0"))
    }

    /// A day in ISO 8601.
    pub fn day(&mut self, column: &'static str) -> Option<String> {
        let text = self.text(column)?;
        if let Some(day) = DAYS.iter().find_map(|form| Date::parse(&text, form).ok()) {
            return Some(day.to_string());
        }
        // An unreleased game has words here, perhaps with a year; two numbers in three parts are
        // meant as a day.
        let parts: Vec<&str> = text
            .split([' ', ',', '-'])
            .filter(|it| !it.is_empty())
            .collect();
        let numbers = parts
            .iter()
            .filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
        if parts.len() == 3 && numbers.count() >= 2 {
            return self.wrong(column, "a day such as \"May 12, 2016\" or \"2016-05-12\"");
        }
        self.leave_out(column, "day", &text)
    }

    /// A price; "Free" is 0.
    pub fn price(&mut self, column: &'static str) -> Option<Price> {
        let text = match self.value(column)? {
            Value::String(text) => text.trim().to_owned(),
            value => value.to_string(),
        };
        match Price::read(&text) {
            Reading::Price(price) => Some(price),
            Reading::NotAPrice => self.leave_out(column, "price", &text),
            Reading::Wrong => self.wrong(column, "a price such as \"$19.99\", 19.99 or \"Free\""),
        }
    }

    fn value(&self, column: &str) -> Option<&Value> {
        self.record.values.get(column).filter(|value| match value {
            Value::Null => false,
            Value::String(text) => !matches!(text.trim(), "" | "NaN" | "nan"),
            _ => true,
        })
    }

    fn wrong<T>(&mut self, column: &str, expected: &str) -> Option<T> {
        let found = match self.value(column) {
            None => format!("{column} is missing"),
            Some(Value::String(text)) => format!("{column} is {}", quoted(text)),
            Some(value) => format!("{column} is {}", shortened(&value.to_string())),
        };
        let place = self.record.place.clone();
        self.findings.problems.push(Problem {
            place,
            found,
            expected: expected.to_owned(),
        });
        None
    }

    fn leave_out<T>(&mut self, column: &'static str, kind: &'static str, text: &str) -> Option<T> {
        let note = self.findings.left_out.entry((column, kind));
        note.or_insert_with(|| (0, quoted(text))).0 += 1;
        None
    }
}

/// Whether XML cannot represent a character; a game must be valid in every protocol.
fn is_unsayable(character: char) -> bool {
    let space = matches!(character, '\t' | '\n' | '\r');
    (character < ' ' && !space) || matches!(character, '\u{fffe}' | '\u{ffff}')
}
