//! What a value must be beyond its type.

use std::collections::HashSet;

use garde::{Error, Result};

use crate::types::WishInput;

/// A length in characters, no control characters.
pub fn text(least: usize, most: usize) -> impl FnOnce(&str, &()) -> Result {
    move |value, ()| {
        let length = value.chars().count();
        require((least..=most).contains(&length) && !value.chars().any(char::is_control), || {
            format!("must be {least} to {most} characters, no control characters")
        })
    }
}

pub fn picture(value: &str, _: &()) -> Result {
    text(1, 200)(value, &())?;
    let rest = value.strip_prefix("https://").unwrap_or_default();
    require(!rest.is_empty() && !rest.contains(char::is_whitespace), || "must begin with https://".into())
}

pub fn mailbox(value: &str, _: &()) -> Result {
    text(1, 200)(value, &())?;
    let well_formed =
        value.split_once('@').is_some_and(|(one, other)| !one.is_empty() && !other.is_empty() && !other.contains('@'));
    require(well_formed && !value.contains(char::is_whitespace), || "must have an @ within".into())
}

pub fn country_code(value: &str, _: &()) -> Result {
    require(value.len() == 2 && value.bytes().all(|it| it.is_ascii_uppercase()), || {
        "must be two capital letters".into()
    })
}

pub fn card(value: &str, _: &()) -> Result {
    let digits = value.bytes().all(|it| it.is_ascii_digit());
    require(digits && (12..=19).contains(&value.len()), || "must be 12 to 19 digits".into())
}

pub fn distinct(lines: &[WishInput], _: &()) -> Result {
    let mut seen = HashSet::new();
    require(lines.iter().all(|line| seen.insert(line.product_id)), || "must have no product twice".into())
}

fn require(right: bool, problem: impl FnOnce() -> String) -> Result {
    if right { Ok(()) } else { Err(Error::new(problem())) }
}
