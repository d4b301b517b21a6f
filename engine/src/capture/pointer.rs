//! JSON pointers (RFC 6901), resolved while a document is read, without keeping anything else of
//! it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A pointer to a value inside of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    tokens: Vec<String>,
}

/// The value at a pointer.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// A text, or a number or a boolean as written.
    Value(String),
    Null,
    /// An object or a list.
    Composite,
    /// The document has no such value.
    Nothing,
}

impl Pointer {
    /// Parses a pointer of at least one token: the whole document cannot be captured.
    pub fn parse(text: &str) -> Option<Self> {
        let tokens = text.strip_prefix('/')?.split('/').map(unescape);
        Some(Self {
            tokens: tokens.collect::<Option<_>>()?,
        })
    }

    /// Resolves the pointer in a document, which is read to its end. The error is that it is not
    /// JSON.
    pub fn find(&self, document: &[u8]) -> Result<Found, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_slice(document);
        let found = Path(&self.tokens).deserialize(&mut reader)?;
        reader.end().map(|()| found)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for token in &self.tokens {
            write!(f, "/{}", token.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

fn unescape(token: &str) -> Option<String> {
    let is_escaped = |part: &str| part.starts_with(['0', '1']);
    let is_right = token.split('~').skip(1).all(is_escaped);
    is_right.then(|| token.replace("~1", "/").replace("~0", "~"))
}

/// The remaining tokens of a pointer.
struct Path<'a>(&'a [String]);

impl Path<'_> {
    /// The result for a value without members.
    fn end(&self, value: impl FnOnce() -> Found) -> Found {
        match self.0 {
            [] => value(),
            _ => Found::Nothing,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Path<'_> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Found, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Path<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, value: &str) -> Result<Found, E> {
        Ok(self.end(|| Found::Value(value.into())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Found, E> {
        Ok(self.end(|| Found::Value(value.to_string())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Found, E> {
        Ok(self.end(|| Found::Value(value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Found, E> {
        Ok(self.end(|| Found::Value(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Found, E> {
        Ok(self.end(|| Found::Value(serde_json::Value::from(value).to_string())))
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(self.end(|| Found::Null))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let mut found = self.end(|| Found::Composite);
        while let Some(key) = map.next_key::<Cow<str>>()? {
            match self.0 {
                [token, rest @ ..] if *token == key => found = map.next_value_seed(Path(rest))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Found, A::Error> {
        let mut found = self.end(|| Found::Composite);
        if let [token, rest @ ..] = self.0
            && let Some(position) = index(token)
        {
            for _ in 0..position {
                if list.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(Found::Nothing);
                }
            }
            let here = list.next_element_seed(Path(rest))?;
            found = here.unwrap_or(Found::Nothing);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

/// The index in a list that a token names: digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let is_number = token.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = token == "0" || !token.starts_with('0');
    (is_number && is_plain).then(|| token.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pointer: &str, document: &str) -> Found {
        Pointer::parse(pointer)
            .unwrap()
            .find(document.as_bytes())
            .unwrap()
    }

    #[test]
    fn pointers_lead_where_the_standard_says() {
        let document = r#"{"a": [{"x": 1}, {"x": "t\u00e9\"", "y": null}], "a/b": true, "m~n": 2.5,
                           "": -3, "o": {}, "e": []}"#;
        for (pointer, value) in [
            ("/a/0/x", "1"),
            ("/a/1/x", "té\""),
            ("/a~1b", "true"),
            ("/m~0n", "2.5"),
            ("/", "-3"),
        ] {
            assert_eq!(
                find(pointer, document),
                Found::Value(value.into()),
                "{pointer}"
            );
        }
        assert_eq!(find("/a/1/y", document), Found::Null);
        for pointer in ["/o", "/e", "/a"] {
            assert_eq!(find(pointer, document), Found::Composite, "{pointer}");
        }
        for pointer in [
            "/b", "/a/2/x", "/a/00/x", "/a/x", "/a/0/x/y", "/e/0", "/o/x",
        ] {
            assert_eq!(find(pointer, document), Found::Nothing, "{pointer}");
        }
    }

    #[test]
    fn invalid_json_is_distinguished_from_a_missing_value() {
        let pointer = Pointer::parse("/a").unwrap();
        for document in ["<html></html>", "", "{\"a\": 1", "{\"a\": 1} more"] {
            assert!(pointer.find(document.as_bytes()).is_err(), "{document}");
        }
        assert!(Pointer::parse("a").is_none() && Pointer::parse("/~").is_none());
    }
}
