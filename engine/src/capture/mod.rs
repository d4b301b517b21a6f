//! Values that a client captures from answers and inserts into later requests: a token, a cursor,
//! the id of a created object.

mod holes;
mod pointer;

use std::fmt;
use std::ops::Range;

pub use holes::{Hole, Holes, decode, encode, fill, fill_bytes};
pub use pointer::{Found, Pointer};

/// The longest value that is captured, in bytes.
pub const LONGEST: usize = 16 << 10;

/// A value that is captured from every answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub name: String,
    /// Its index among the values of a client.
    pub value: usize,
    pub location: Location,
    /// Whether an answer may lack it; then it is empty.
    pub is_optional: bool,
}

/// Where a value is in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a JSON body.
    Json(Pointer),
    /// In the header of this name, in lower case.
    Header(String),
}

/// How the clients of a target capture values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The number of values of a client.
    pub values: usize,
    /// The number of consecutive transactions of the list that one client runs.
    pub chain: usize,
    /// The number of transactions at the end of the list that are logins: each client begins with
    /// one of them.
    pub openings: usize,
    /// Whether redirections are followed; then every request captures the header `location`.
    pub follows: bool,
    /// The requests that open a client's session again after the server has ended it, which it
    /// tells by the status 404; empty if there is none.
    pub reopens: Range<u32>,
}

impl Location {
    fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix("header:") {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            let is_named = !name.is_empty() && name.bytes().all(is_name);
            return is_named.then(|| Self::Header(name.to_ascii_lowercase()));
        }
        Pointer::parse(text).map(Self::Json)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Json(pointer) => write!(f, "{pointer}"),
            Self::Header(name) => write!(f, "header:{name}"),
        }
    }
}

impl Capture {
    /// Parses `NAME=/json/pointer` or `NAME=header:NAME`, with `?=` if an answer may lack the
    /// value. The caller sets the index. The error says what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = "expected NAME=/json/pointer or NAME=header:NAME, with ?= instead of = if \
                        an answer may lack the value";
        let wrong = || format!("{text:?}; {expected}");
        let (name, location) = text.split_once('=').ok_or_else(wrong)?;
        let (name, is_optional) = match name.strip_suffix('?') {
            Some(name) => (name.trim(), true),
            None => (name.trim(), false),
        };
        let mut letters = name.chars();
        let begins = letters
            .next()
            .is_some_and(|it| it.is_alphabetic() || it == '_');
        let is_name = begins && letters.all(|it| it.is_alphanumeric() || "_-.".contains(it));
        let location = Location::parse(location.trim()).filter(|_| is_name);
        Ok(Self {
            name: name.into(),
            value: 0,
            location: location.ok_or_else(wrong)?,
            is_optional,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_may_contain_spaces_and_capital_letters() {
        for (text, name, location, is_optional) in [
            ("token=/data/token", "token", "/data/token", false),
            ("cursor ?= /next", "cursor", "/next", true),
            ("etag=header:ETag", "etag", "header:etag", false),
        ] {
            let capture = Capture::parse(text).unwrap();
            assert_eq!(
                (capture.name.as_str(), capture.is_optional),
                (name, is_optional)
            );
            assert_eq!(capture.location.to_string(), location);
        }
        for text in [
            "token",
            "=/a",
            "token=data",
            "1=/a",
            "a b=/a",
            "a=header:",
            "a=/x~2",
        ] {
            let problem = Capture::parse(text).unwrap_err();
            assert!(problem.contains("expected NAME=/json/pointer"), "{problem}");
        }
    }
}
