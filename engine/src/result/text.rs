//! Formats numbers.

use std::collections::BTreeMap;
use std::fmt::Display;

use anstyle::{AnsiColor, Style};

pub const BOLD: Style = Style::new().bold();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const DOUBTFUL: Style = AnsiColor::Yellow.on_default();

const UNITS: [&str; 5] = ["µs", "ms", "s", "%", "B"];
/// The width of all texts, in characters.
const WIDTH: usize = 80;
/// The most characters of a line of a message.
const LONGEST: usize = 400;

/// The share of its CPUs above which the engine may have measured itself (validity rules of a run).
const BUSIEST: f64 = 0.85;

/// A warning about an engine that needed too large a share of its CPUs; `when` may say when.
pub fn busy(share: f64, when: &str) -> Option<String> {
    (share > BUSIEST).then(|| {
        format!(
            "the engine was {:.0} % busy{when}, so this may be its limit and not the server's: \
             give it more --cpus or reduce the load",
            share * 100.0
        )
    })
}

/// A text in a style; only a terminal shows it.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A text in lines that fit, all but the first of them indented; only a longer word is longer.
pub fn folded(text: &str, indent: usize) -> String {
    folded_at(text, indent, WIDTH)
}

/// A message whose lines can be read: only those that are much too long are folded.
pub fn readable(message: &str) -> String {
    let lines = message.lines().map(|line| match line.chars().count() {
        0..=LONGEST => line.to_string(),
        _ => folded_at(line, 2, LONGEST),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn folded_at(text: &str, indent: usize, width: usize) -> String {
    let begin = text.len() - text.trim_start().len();
    let (mut folded, mut column) = (text[..begin].to_string(), begin);
    let mut words = text[begin..].split(' ').peekable();
    while let Some(word) = words.next() {
        // A number and its unit stay together.
        let unit =
            words.next_if(|next| UNITS.contains(&next.trim_end_matches([',', ';', ':', '.'])));
        let word = unit.map_or(word.into(), |unit| format!("{word} {unit}"));
        let length = word.chars().count();
        let is_first = folded.len() == begin;
        if !is_first && column + 1 + length > width {
            folded.push_str(&format!("\n{:indent$}", ""));
            column = indent;
        } else if !is_first {
            folded.push(' ');
            column += 1;
        }
        folded.push_str(&word);
        column += length;
    }
    folded
}

/// Warnings, each on its own line.
pub fn warnings(all: &[String]) -> String {
    let line = |warning: &String| {
        let text = folded(&format!("warning: {warning}"), 4);
        let text = text.strip_prefix("warning:").unwrap_or(&text);
        format!("{}{text}\n", styled(DOUBTFUL, "warning:"))
    };
    all.iter().map(line).collect()
}

/// A number with thousands separators.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number per second, with about three digits.
pub fn rate(per_s: f64) -> String {
    match per_s {
        none if none <= 0.0 => "0".into(),
        few if few < 1.0 => format!("{few:.3}"),
        some if some < 1e3 => digits(some),
        many => count(many.round() as u64),
    }
}

/// A duration with about three digits, or a dash if there is none.
pub fn duration_if(is_known: bool, microseconds: f64) -> String {
    match is_known {
        true => duration(microseconds),
        false => "–".into(),
    }
}

/// A number with its noun: 1 client, 2 clients.
pub fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(number))
}

/// Classes of failure with their counts.
pub fn classes(errors: &BTreeMap<&str, u64>) -> String {
    let classes = errors.iter();
    let classes: Vec<String> = classes
        .map(|(name, number)| format!("{name} {}", count(*number)))
        .collect();
    classes.join(", ")
}

/// A duration with about three digits, in a suitable unit.
pub fn duration(microseconds: f64) -> String {
    match microseconds {
        us if us < 1e3 => format!("{} µs", digits(us)),
        us if us < 1e6 => format!("{} ms", digits(us / 1e3)),
        us => format!("{} s", digits(us / 1e6)),
    }
}

/// A time in seconds as minutes and hours: 4:05, 1:04:05.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// A number of bytes, in a suitable unit.
pub fn bytes(number: f64) -> String {
    match number {
        few if few < 1e3 => format!("{few:.0} B"),
        some if some < 1e6 => format!("{} kB", digits(some / 1e3)),
        many if many < 1e9 => format!("{} MB", digits(many / 1e6)),
        lots => format!("{} GB", digits(lots / 1e9)),
    }
}

fn digits(number: f64) -> String {
    let decimals = match number {
        small if small < 10.0 => 2,
        middle if middle < 100.0 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_too_busy_beyond_a_share() {
        assert_eq!(busy(BUSIEST, ""), None);
        let warning = busy(0.9, " in a trial");
        assert!(
            warning.is_some_and(|it| it.starts_with("the engine was 90 % busy in a trial, so"))
        );
    }

    #[test]
    fn texts_are_folded_between_words() {
        let text = format!("{} {} 1,234,567", "x".repeat(40), "y".repeat(30));
        let lines = format!("{} {}\n  1,234,567", "x".repeat(40), "y".repeat(30));
        assert_eq!(folded(&text, 2), lines);
        let long = "z".repeat(100);
        assert_eq!(folded(&format!("a {long} b"), 1), format!("a\n {long}\n b"));
        let text = format!("{} 10.9 ms, and", "x".repeat(72));
        assert_eq!(
            folded(&text, 1),
            format!("{}\n 10.9 ms, and", "x".repeat(72))
        );
        let message = readable(&format!("a b\n{}", "word ".repeat(200)));
        let lines = message.lines().map(str::len).collect::<Vec<_>>();
        assert!(
            lines.len() == 4 && lines.iter().all(|it| *it <= LONGEST),
            "{lines:?}"
        );
        assert_eq!(folded("", 4), "");
        assert_eq!(folded("  a b", 4), "  a b");
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            (count(7), count(1_234_567)),
            ("7".into(), "1,234,567".into())
        );
        assert_eq!(
            [0, 1, 1_000].map(|number| plural(number, "client")),
            ["0 clients", "1 client", "1,000 clients"]
        );
        let errors = BTreeMap::from([("timeout", 3), ("status", 1_000)]);
        assert_eq!(classes(&errors), "status 1,000, timeout 3");
        assert_eq!(
            [0.0, 2.0 / 2.8, 1.4, 23.45, 999.4, 45_678.9].map(rate),
            ["0", "0.714", "1.40", "23.4", "999", "45,679"]
        );
        assert_eq!(duration_if(false, 0.0), "–");
        assert_eq!(duration(4.567), "4.57 µs");
        assert_eq!(duration(45_670.0), "45.7 ms");
        assert_eq!(duration(2_500_000.0), "2.50 s");
        assert_eq!(
            (bytes(999.0), bytes(1.25e9)),
            ("999 B".into(), "1.25 GB".into())
        );
        assert_eq!(
            [0.4, 59.6, 245.0, 3_845.0].map(clock),
            ["0:00", "1:00", "4:05", "1:04:05"]
        );
    }
}
