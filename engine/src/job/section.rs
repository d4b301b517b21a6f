//! Reads JSON key by key, so that all problems of a job are reported together.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

/// The largest count in a job.
pub const MOST: u64 = 1 << 40;
/// The rates that a job may have, in transactions per second.
pub const RATES_PER_S: RangeInclusive<f64> = 0.001..=1e8;
/// The longest time in a job, in seconds.
pub const YEAR_S: f64 = 31_536_000.0;

/// The problems found so far.
pub struct Problems {
    /// The name of the document in messages.
    subject: &'static str,
    /// Whether messages repeat wrong values.
    shows_values: bool,
    found: RefCell<Vec<String>>,
}

impl Problems {
    /// No problems yet with `subject`.
    pub fn of(subject: &'static str) -> Self {
        Self {
            subject,
            shows_values: true,
            found: RefCell::default(),
        }
    }

    /// The same with messages that only say of which kind a value is, as it may be a secret.
    pub fn without_values(subject: &'static str) -> Self {
        Self {
            shows_values: false,
            ..Self::of(subject)
        }
    }

    fn show(&self, value: &Value) -> String {
        match self.shows_values {
            true => show(value),
            false => kind(value).into(),
        }
    }

    /// Adds a problem at a path of keys.
    pub fn add(&self, path: &str, found: impl Display, expected: impl Display) {
        let path = if path.is_empty() { self.subject } else { path };
        self.found
            .borrow_mut()
            .push(format!("{path}: {found}; expected {expected}"));
    }

    /// All problems, as messages.
    pub fn into_inner(self) -> Vec<String> {
        self.found.into_inner()
    }
}

/// An object at a path of keys in the document.
pub struct Section<'a> {
    path: String,
    object: Option<&'a Map<String, Value>>,
    asked: RefCell<Vec<&'static str>>,
    knows_all_keys: Cell<bool>,
    problems: &'a Problems,
}

impl<'a> Section<'a> {
    /// An absent or present object at a path; another value is reported.
    pub fn new(path: String, value: Option<&'a Value>, problems: &'a Problems) -> Self {
        let object = match value {
            None => None,
            Some(Value::Object(object)) => Some(object),
            Some(other) => {
                problems.add(&path, problems.show(other), "an object");
                None
            }
        };
        Self {
            path,
            object,
            asked: RefCell::default(),
            knows_all_keys: Cell::new(false),
            problems,
        }
    }

    /// The value of a key; null is the same as absent.
    fn get(&self, key: &'static str) -> Option<&'a Value> {
        self.asked.borrow_mut().push(key);
        self.object?.get(key).filter(|value| !value.is_null())
    }

    /// The path of a key of this object.
    pub fn path(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.into()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Reports a problem with the value of a key.
    pub fn problem(&self, key: &str, found: impl Display, expected: impl Display) {
        self.problems.add(&self.path(key), found, expected);
    }

    /// Reports a problem with the object itself.
    pub fn wrong(&self, found: impl Display, expected: impl Display) {
        self.problems.add(&self.path, found, expected);
    }

    /// Reads a value; an invalid one is reported and counts as absent.
    pub fn read<T>(
        &self,
        key: &'static str,
        expected: impl Display,
        convert: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let converted = convert(value);
        if converted.is_none() {
            self.problem(key, self.problems.show(value), expected);
        }
        converted
    }

    /// Reads a text.
    pub fn text(&self, key: &'static str) -> Option<&'a str> {
        self.read(key, "a text", Value::as_str)
    }

    /// Reads true or false.
    pub fn flag(&self, key: &'static str, default: bool) -> bool {
        self.read(key, "true or false", Value::as_bool)
            .unwrap_or(default)
    }

    /// Reads an integer within a range.
    pub fn integer(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let expected = format!("an integer from {} to {}", range.start(), range.end());
        self.read(key, expected, |value| {
            value.as_u64().filter(|number| range.contains(number))
        })
    }

    /// Reads a number within a range.
    pub fn number(&self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.read(key, expected, |value| {
            value.as_f64().filter(|number| range.contains(number))
        })
    }

    /// Reads a list; absent, an empty one.
    pub fn list(&self, key: &'static str) -> &'a [Value] {
        self.read(key, "a list", Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// Reads a list and converts its items; those that cannot be converted are reported.
    pub fn items<T>(
        &self,
        key: &'static str,
        expected: &str,
        convert: impl Fn(&'a Value) -> Option<T>,
    ) -> Vec<T> {
        let mut items = Vec::new();
        for (index, value) in self.list(key).iter().enumerate() {
            match convert(value) {
                Some(item) => items.push(item),
                None => {
                    let found = self.problems.show(value);
                    self.problem(&format!("{key}[{index}]"), found, expected);
                }
            }
        }
        items
    }

    /// Reads an object, which may be absent.
    pub fn section(&self, key: &'static str) -> Section<'a> {
        Section::new(self.path(key), self.get(key), self.problems)
    }

    /// Reads a list of objects.
    pub fn sections(&self, key: &'static str) -> Vec<Section<'a>> {
        let path = |index| format!("{}[{index}]", self.path(key));
        let section = |(index, value)| Section::new(path(index), Some(value), self.problems);
        self.list(key).iter().enumerate().map(section).collect()
    }

    /// All values of an object whose keys are names.
    pub fn named_sections(&self) -> Vec<(&'a str, Section<'a>)> {
        self.allow_all_keys();
        let entries = self.object.into_iter().flatten();
        entries
            .map(|(name, value)| {
                let section = Section::new(self.path(name), Some(value), self.problems);
                (name.as_str(), section)
            })
            .collect()
    }

    /// Reads one of several words.
    pub fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        self.read(key, format!("one of {}", words.join(", ")), |value| {
            choices
                .iter()
                .find(|(word, _)| value.as_str() == Some(word))
                .map(|(_, choice)| *choice)
        })
    }

    /// Reports a missing key, unless its value was already reported.
    pub fn require<T>(&self, key: &'static str, value: Option<T>, expected: &str) -> Option<T> {
        if value.is_none() && !self.gives(key) {
            self.problem(key, "missing", expected);
        }
        value
    }

    /// Ignores unknown keys, for an object whose kind is unknown.
    pub fn allow_all_keys(&self) {
        self.knows_all_keys.set(true);
    }

    /// Whether a key has a value, valid or not.
    pub fn gives(&self, key: &str) -> bool {
        let value = self.object.and_then(|object| object.get(key));
        value.is_some_and(|value| !value.is_null())
    }

    /// Whether the object is absent.
    pub fn is_absent(&self) -> bool {
        self.object.is_none()
    }
}

impl Drop for Section<'_> {
    /// Reports keys that were never read: they are misspelt or of another version.
    fn drop(&mut self) {
        let Some(object) = self.object else { return };
        if self.knows_all_keys.get() {
            return;
        }
        let asked = self.asked.borrow();
        for key in object.keys().filter(|key| !asked.contains(&key.as_str())) {
            let mut known = asked.clone();
            known.sort_unstable();
            known.dedup();
            self.problem(key, "unknown key", format!("one of {}", known.join(", ")));
        }
    }
}

/// A value as shown in a message, at most 60 characters long.
pub fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(57).chain("...".chars()).collect()
}

/// The kind of a value, in words.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
