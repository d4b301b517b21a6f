//! Parses durations: 500ms, 10s, 2m, 1h; a plain number is seconds.

/// Parses a duration into seconds. The error says what is expected.
pub fn seconds(text: &str) -> Result<f64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(EXPECTED.into()),
    };
    let number: f64 = digits.parse().map_err(|_| EXPECTED)?;
    let seconds = number * scale;
    if (0.0..=31_536_000.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(EXPECTED.into())
    }
}

const EXPECTED: &str = "expected a duration such as 500ms, 10s, 2m or 1h";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_parsed() {
        for (text, expected) in [
            ("500ms", 0.5),
            ("10s", 10.0),
            ("1.5", 1.5),
            ("2m", 120.0),
            ("1h", 3600.0),
        ] {
            assert_eq!(seconds(text), Ok(expected));
        }
        for wrong in ["", "s", "10 s", "-1s", "3d", "inf", "1e99"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
