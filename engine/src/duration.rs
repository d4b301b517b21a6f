//! Times as written: 250us, 500ms, 10s, 2m or 2min, 1.5h, 7d. The grammar is that of all of wirelab.

/// The microseconds of a unit; none if it is no unit of time.
pub fn unit_us(unit: &str) -> Option<f64> {
    Some(match unit {
        "us" | "\u{b5}s" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "m" | "min" => 60e6,
        "h" => 3600e6,
        "d" => 86_400e6,
        _ => return None,
    })
}

/// Parses a time into seconds; a plain number is seconds. The error says what is expected.
pub fn seconds(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let is_number = digits.starts_with(|it: char| it.is_ascii_digit()) && !digits.ends_with('.');
    let number: f64 = digits.parse().ok().filter(|_| is_number).ok_or(EXPECTED)?;
    let unit = unit.trim_start();
    let scale = if unit.is_empty() {
        Some(1e6)
    } else {
        unit_us(unit)
    };
    let seconds = number * scale.ok_or(EXPECTED)? / 1e6;
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
    fn the_grammar_is_that_of_wirelab() {
        let grammar = include_str!("../../tests/inputs/times.json");
        let grammar: serde_json::Value = serde_json::from_str(grammar).unwrap();
        for key in ["read", "plain"] {
            for case in grammar[key].as_array().unwrap() {
                let text = case[0].as_str().unwrap();
                let expected = case[1].as_f64().unwrap() / 1e6;
                assert_eq!(seconds(text), Ok(expected), "{text}");
            }
        }
        for text in grammar["refused"].as_array().unwrap() {
            assert!(seconds(text.as_str().unwrap()).is_err(), "{text}");
        }
        for text in ["366d", "9000h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
