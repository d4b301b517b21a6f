//! Parses moments: seconds, or dates with a time (RFC 3339).

/// The seconds of a moment, from the beginning of 1970 for a date. None if it is neither a date nor
/// a number.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.get(10..11) {
        Some("T" | "t" | " ") => date(text),
        _ => text.parse().ok().filter(|it: &f64| it.is_finite()),
    }
}

/// Parses 2026-03-01T12:00:00.5+01:00.
fn date(text: &str) -> Option<f64> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    let are = |position: usize, sign: &str| text.get(position..position + 1) == Some(sign);
    if !(are(4, "-") && are(7, "-") && are(13, ":") && are(16, ":")) {
        return None;
    }
    let days = days(number(0..4)?, number(5..7)?, number(8..10)?)?;
    let (hours, minutes) = (number(11..13)?, number(14..16)?);
    let rest = text.get(17..)?;
    let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.');
    let (seconds, zone) = rest.split_at(end?);
    let seconds: f64 = seconds.parse().ok()?;
    let offset_s = match zone {
        "Z" | "z" => 0,
        _ => {
            let begin = text.len() - zone.len();
            let sign = match zone.get(..1)? {
                "+" => 1,
                "-" => -1,
                _ => return None,
            };
            let is_whole = zone.len() == 6 && are(begin + 3, ":");
            let minutes = number(begin + 1..begin + 3)? * 60 + number(begin + 4..begin + 6)?;
            sign * is_whole.then_some(minutes)? * 60
        }
    };
    let is_time = hours < 24 && minutes < 60 && seconds < 61.0;
    let whole_s = days * 86_400 + hours * 3_600 + minutes * 60 - offset_s;
    is_time.then_some(whole_s as f64 + seconds)
}

/// The days from 1970-01-01 to a day of the Gregorian calendar; years begin with March, so that a
/// leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    is_day.then_some(365 * year + leap_days + (153 * month + 2) / 5 + day - 719_469)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_numbers_are_seconds() {
        for (text, expected) in [
            ("0", 0.0),
            (" 12.5 ", 12.5),
            ("1700000000.123", 1_700_000_000.123),
            ("1970-01-01T00:00:00Z", 0.0),
            ("2000-02-29T12:30:00.25Z", 951_827_400.25),
            ("2009-04-16T13:07:23.596+01:00", 1_239_883_643.596),
            ("2024-12-31 23:59:60-00:30", 1_735_691_400.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "soon",
            "nan",
            "2026-03-01",
            "2026-03-01T12:00",
            "2026-13-01T12:00:00Z",
            "2026-03-01T12:00:00",
            "2026-03-01T12:00:00+1",
            "2026-03-01T12:00:00ä",
            "äääääTä",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
