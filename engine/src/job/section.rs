//! Reading JSON key by key, so that all problems of a job are reported together.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

/// The problems found so far.
pub struct Problems {
    /// What is being read.
    subject: &'static str,
    found: RefCell<Vec<String>>,
}

impl Problems {
    pub fn of(subject: &'static str) -> Self {
        Self {
            subject,
            found: RefCell::default(),
        }
    }

    pub fn add(&self, place: &str, found: impl Display, expected: impl Display) {
        let place = if place.is_empty() {
            self.subject
        } else {
            place
        };
        self.found
            .borrow_mut()
            .push(format!("{place}: {found}; expected {expected}"));
    }

    pub fn into_inner(self) -> Vec<String> {
        self.found.into_inner()
    }
}

/// One object, at a place in what is being read.
pub struct Section<'a> {
    place: String,
    object: Option<&'a Map<String, Value>>,
    asked: RefCell<Vec<&'static str>>,
    knows_all_keys: Cell<bool>,
    problems: &'a Problems,
}

impl<'a> Section<'a> {
    pub fn new(place: String, value: Option<&'a Value>, problems: &'a Problems) -> Self {
        let object = match value {
            None => None,
            Some(Value::Object(object)) => Some(object),
            Some(other) => {
                problems.add(&place, show(other), "an object");
                None
            }
        };
        Self {
            place,
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

    pub fn place(&self, key: &str) -> String {
        if self.place.is_empty() {
            key.into()
        } else {
            format!("{}.{key}", self.place)
        }
    }

    pub fn problem(&self, key: &str, found: impl Display, expected: impl Display) {
        self.problems.add(&self.place(key), found, expected);
    }

    /// Reports a problem with the object itself.
    pub fn wrong(&self, found: impl Display, expected: impl Display) {
        self.problems.add(&self.place, found, expected);
    }

    /// Reads a value; a wrong one is reported and counts as absent.
    pub fn read<T>(
        &self,
        key: &'static str,
        expected: impl Display,
        convert: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let converted = convert(value);
        if converted.is_none() {
            self.problem(key, show(value), expected);
        }
        converted
    }

    pub fn text(&self, key: &'static str) -> Option<&'a str> {
        self.read(key, "a text", Value::as_str)
    }

    pub fn flag(&self, key: &'static str, default: bool) -> bool {
        self.read(key, "true or false", Value::as_bool)
            .unwrap_or(default)
    }

    pub fn integer(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.read(key, expected, |value| {
            value.as_u64().filter(|number| range.contains(number))
        })
    }

    pub fn number(&self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.read(key, expected, |value| {
            value.as_f64().filter(|number| range.contains(number))
        })
    }

    pub fn list(&self, key: &'static str) -> &'a [Value] {
        self.read(key, "a list", Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// A list of which every item converts; the others are reported.
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
                None => self.problem(&format!("{key}[{index}]"), show(value), expected),
            }
        }
        items
    }

    pub fn section(&self, key: &'static str) -> Section<'a> {
        Section::new(self.place(key), self.get(key), self.problems)
    }

    pub fn sections(&self, key: &'static str) -> Vec<Section<'a>> {
        let place = |index| format!("{}[{index}]", self.place(key));
        let section = |(index, value)| Section::new(place(index), Some(value), self.problems);
        self.list(key).iter().enumerate().map(section).collect()
    }

    /// All values, where the keys are names that somebody has given.
    pub fn named_sections(&self) -> Vec<(&'a str, Section<'a>)> {
        self.allow_all_keys();
        let entries = self.object.into_iter().flatten();
        entries
            .map(|(name, value)| {
                let section = Section::new(self.place(name), Some(value), self.problems);
                (name.as_str(), section)
            })
            .collect()
    }

    /// One of a few words.
    pub fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        self.read(key, format!("one of {}", words.join(", ")), |value| {
            choices
                .iter()
                .find(|(word, _)| value.as_str() == Some(word))
                .map(|(_, choice)| *choice)
        })
    }

    /// Reports that a key which must be there is not, unless a problem with it is known already.
    pub fn require<T>(&self, key: &'static str, value: Option<T>, expected: &str) -> Option<T> {
        if value.is_none() && !self.gives(key) {
            self.problem(key, "missing", expected);
        }
        value
    }

    /// Leaves unknown keys alone: without knowing what it is, nobody knows its keys.
    pub fn allow_all_keys(&self) {
        self.knows_all_keys.set(true);
    }

    /// Whether a key has a value, be it a right or a wrong one.
    pub fn gives(&self, key: &str) -> bool {
        let value = self.object.and_then(|object| object.get(key));
        value.is_some_and(|value| !value.is_null())
    }

    pub fn is_absent(&self) -> bool {
        self.object.is_none()
    }
}

impl Drop for Section<'_> {
    /// Reports keys that nobody asked for: they are misspelt, or of another version.
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

/// A value as it stands in a message, cut to a readable length.
pub fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(57).chain("...".chars()).collect()
}
