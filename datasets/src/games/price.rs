//! Prices, exact to the cent; a number in JSON.

use serde::{Serialize, Serializer};

/// A price in cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price(pub u64);

/// The result of parsing a price.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    Price(Price),
    /// Words only, such as "Coming soon".
    NotAPrice,
    /// It has digits, but is not a price.
    Wrong,
}

impl Price {
    /// Parses "$19.99", "1,019.99", "Free to Play".
    pub fn read(text: &str) -> Reading {
        if !text.contains(|it: char| it.is_ascii_digit()) {
            let free = text.to_lowercase().contains("free");
            return if free {
                Reading::Price(Self(0))
            } else {
                Reading::NotAPrice
            };
        }
        let plain = text.trim().trim_start_matches('$').replace(',', "");
        let (whole, part) = plain.split_once('.').unwrap_or((&plain, ""));
        let digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || part.len() > 2 || !digits(whole) || !digits(part) {
            return Reading::Wrong;
        }
        format!("{whole}{part:0<2}")
            .parse()
            .map_or(Reading::Wrong, |it| Reading::Price(Self(it)))
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_to_the_cent() {
        for (text, cents) in [
            ("$19.99", 1999),
            ("19.9", 1990),
            ("$1,019.00", 101_900),
            ("5", 500),
            ("Free", 0),
            ("Free to Play", 0),
            ("Play for Free!", 0),
        ] {
            assert_eq!(Price::read(text), Reading::Price(Price(cents)), "{text}");
        }
        assert_eq!(Price::read("Third-party"), Reading::NotAPrice);
        for text in [
            "19.999",
            "$-5",
            "€19",
            "19.99.1",
            "$.50",
            "99999999999999999999",
        ] {
            assert_eq!(Price::read(text), Reading::Wrong, "{text}");
        }
    }

    #[test]
    fn json_contains_prices_as_decimal_numbers() {
        assert_eq!(serde_json::to_string(&Price(1999)).unwrap(), "19.99");
        assert_eq!(serde_json::to_string(&Price(0)).unwrap(), "0.0");
        assert_eq!(
            serde_json::to_string(&Price(1_234_507)).unwrap(),
            "12345.07"
        );
    }
}
