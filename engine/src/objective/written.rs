//! Parses objectives: p99<50ms,failed<0.1%; of streams: first<200ms,gap:p99<50ms.

use super::{Criterion, Lost, Objective};
use crate::duration::unit_us;

const PERCENTILES: [(&str, f64); 6] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p999", 0.999),
    ("p99.9", 0.999),
];
const EXPECTED: &str = "expected conditions such as p99<50ms or p99<50ms,failed<0.1%, of p50, p90, \
                        p95, p99 and p999 with a time, and failed with a share; of streams, \
                        first<200ms or first:p50<200ms, and gap:p99<50ms";

impl Objective {
    /// Parses an objective such as `p99<50ms,failed<0.1%`. The error says what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let criteria: Result<Vec<Criterion>, String> = text.split(',').map(criterion).collect();
        let mut criteria = criteria?;
        let names: Vec<&str> = text.split(',').map(name).collect();
        if let Some(place) = (1..names.len()).find(|&place| names[..place].contains(&names[place]))
        {
            let twice = names[place];
            return Err(format!(
                "expected each criterion once, but {twice} is given again"
            ));
        }
        // Late requests include failed ones, so their share comes first.
        criteria.sort_by_key(|it| it.lost == Lost::Failed);
        Ok(Self {
            written: text.trim().into(),
            criteria,
        })
    }
}

/// The name of a condition's criterion.
fn name(text: &str) -> &str {
    text.split('<').next().unwrap_or_default().trim()
}

fn criterion(text: &str) -> Result<Criterion, String> {
    let (name, value) = text.split_once('<').ok_or(EXPECTED)?;
    let value = value.trim_start_matches('=').trim();
    let end = value.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (digits, unit) = value.split_at(end.unwrap_or(value.len()));
    let number: f64 = digits.parse().map_err(|_| EXPECTED)?;
    let (name, unit) = (name.trim(), unit.trim());
    if name == "failed" {
        let share = match unit {
            "%" => number / 100.0,
            "" => number,
            _ => return Err(EXPECTED.into()),
        };
        let is_share = share > 0.0 && share < 1.0;
        let expected = "expected a share of requests above 0 and below 100%, such as failed<0.1%";
        return is_share
            .then_some(Criterion {
                allowed: share,
                lost: Lost::Failed,
            })
            .ok_or_else(|| expected.into());
    }
    let (of, percentile) = match name.split_once(':') {
        Some((of, percentile)) => (of.trim(), percentile.trim()),
        None if name == "first" => (name, "p99"),
        None => ("", name),
    };
    let lost = match of {
        "" => Lost::Late,
        "first" => Lost::LateFirst,
        "gap" => Lost::LongGap,
        _ => return Err(EXPECTED.into()),
    };
    let percentile = PERCENTILES.iter().find(|(known, _)| *known == percentile);
    let (_, percentile) = percentile.ok_or(EXPECTED)?;
    let unit_us = unit_us(unit).ok_or("expected a time with its unit, such as 50ms")?;
    let limit_ns = (number * unit_us * 1e3).round();
    if !(1.0..=3.6e12).contains(&limit_ns) {
        return Err("expected a time above 0 and up to an hour".into());
    }
    Ok(Criterion {
        // Floating-point 1 - 0.99 is slightly more than 0.01.
        allowed: ((1.0 - percentile) * 1e6).round() / 1e6,
        lost: lost(limit_ns as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_become_shares_that_may_be_lost() {
        let late = |allowed, limit_ns| Criterion {
            allowed,
            lost: Lost::Late(limit_ns),
        };
        for (text, criteria) in [
            ("p99<50ms", vec![late(0.01, 50_000_000)]),
            ("p999 <= 1.5 s", vec![late(0.001, 1_500_000_000)]),
            ("p99.9<1.5s", vec![late(0.001, 1_500_000_000)]),
            (
                "p50<800us,p95<2ms",
                vec![late(0.5, 800_000), late(0.05, 2_000_000)],
            ),
        ] {
            assert_eq!(Objective::parse(text).unwrap().criteria, criteria, "{text}");
        }
        let streams = Objective::parse("first<200ms, gap:p99<50ms,first:p50<0.1s").unwrap();
        let expected = [
            (0.01, Lost::LateFirst(200_000_000)),
            (0.01, Lost::LongGap(50_000_000)),
            (0.5, Lost::LateFirst(100_000_000)),
        ];
        let expected = expected.map(|(allowed, lost)| Criterion { allowed, lost });
        assert_eq!(streams.criteria, expected);
        for text in ["failed<0.1%,p99<50ms", "p99<50ms, failed<0.001"] {
            let found = Objective::parse(text).unwrap();
            assert_eq!(found.criteria[0], late(0.01, 50_000_000));
            assert_eq!(found.criteria[1].lost, Lost::Failed);
            assert!((found.criteria[1].allowed - 0.001).abs() < 1e-12);
            assert_eq!(found.written, text);
        }
    }

    #[test]
    fn an_invalid_objective_is_refused() {
        for (text, message) in [
            ("", "expected conditions"),
            ("p99", "expected conditions"),
            ("p99>50ms", "expected conditions"),
            ("mean<5ms", "expected conditions"),
            ("p99<fast", "expected conditions"),
            ("p99<50", "unit"),
            ("gap<5ms", "expected conditions"),
            ("gap:mean<5ms", "expected conditions"),
            ("last:p99<5ms", "expected conditions"),
            ("first:p99<5ms,first:p99<6ms", "each criterion once"),
            ("p99<0ms", "above 0"),
            ("p99<50ms,", "expected conditions"),
            ("failed<0%", "above 0"),
            ("failed<100%", "below 100%"),
            ("failed<5ms", "expected conditions"),
            ("p99<50ms, p99<20ms", "each criterion once"),
        ] {
            let problem = Objective::parse(text).unwrap_err();
            assert!(problem.contains(message), "{text}: {problem}");
        }
    }

    #[test]
    fn the_grammar_is_that_of_wirelab_capacity() {
        let grammar = include_str!("../../../tests/study/objectives.json");
        let grammar: serde_json::Value = serde_json::from_str(grammar).unwrap();
        let texts = |key: &str| grammar[key].as_array().unwrap().clone();
        for text in texts("read") {
            assert!(Objective::parse(text.as_str().unwrap()).is_ok(), "{text}");
        }
        for text in texts("refused") {
            assert!(Objective::parse(text.as_str().unwrap()).is_err(), "{text}");
        }
    }
}
