//! Parses values of options.

use crate::duration::seconds;
use crate::job::{RATES_PER_S, Stage};

/// Parses a rate in transactions per second. The error says what is expected.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| RATES_PER_S.contains(rate));
    let (lowest, highest) = (RATES_PER_S.start(), RATES_PER_S.end());
    rate.ok_or_else(|| {
        format!("expected {lowest} to {highest} transactions per second, such as 5000")
    })
}

/// Parses how many times as fast. The error says what is expected.
pub fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok();
    let speed = speed.filter(|speed: &f64| (0.001..=1_000.0).contains(speed));
    speed.ok_or_else(|| "expected a factor from 0.001 to 1000, such as 2 or 0.5".into())
}

/// Parses stages: TIME:RATE or TIME:FROM..TO, separated by commas. The error says what is expected.
pub fn stages(text: &str) -> Result<Vec<Stage>, String> {
    let wanted =
        "expected stages such as 10s:100,30s:100..500,10s:0, each a time and one or two rates";
    let rate = |text: &str| {
        let rate = text.trim().parse().ok();
        rate.filter(|&rate: &f64| (0.0..=1e8).contains(&rate))
            .ok_or(wanted)
    };
    let stage = |text: &str| {
        let (time, rates) = text.split_once(':').ok_or(wanted)?;
        let seconds = seconds(time.trim())
            .ok()
            .filter(|&it| it > 0.0)
            .ok_or(wanted)?;
        let (from, to) = rates.split_once("..").unwrap_or((rates, rates));
        Ok(Stage {
            from_per_s: rate(from)?,
            to_per_s: rate(to)?,
            seconds,
        })
    };
    let stages: Vec<Stage> = text.split(',').map(stage).collect::<Result<_, &str>>()?;
    let has_load = stages.iter().any(|it| it.from_per_s + it.to_per_s > 0.0);
    has_load
        .then_some(stages)
        .ok_or_else(|| "expected a rate above 0 in at least one stage".into())
}

/// Parses a statistic and a share, as the statistic's name and half the width. The error says what
/// is expected.
pub fn precision(text: &str) -> Result<(String, f64), String> {
    let wanted = "a statistic and a share, such as mean=2% or p99=5%";
    let (of, share) = text.split_once('=').ok_or(wanted)?;
    let share = share.strip_suffix('%').ok_or(wanted)?;
    let share: f64 = share.trim().parse().map_err(|_| wanted)?;
    Ok((of.trim().into(), share / 100.0))
}

/// Parses a share. The error says what is expected.
pub fn margin(text: &str) -> Result<f64, String> {
    let wanted = "expected a share such as 5% or 2.5%, at most 100%";
    let share = text.strip_suffix('%').ok_or(wanted)?;
    let percent: f64 = share.trim().parse().map_err(|_| wanted)?;
    let is_possible = percent > 0.0 && percent <= 100.0;
    is_possible
        .then_some(percent / 100.0)
        .ok_or_else(|| wanted.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_times_with_rates() {
        let found = stages("10s:100, 1m:100..500,500ms:0").unwrap();
        let stage = |from_per_s, to_per_s, seconds| Stage {
            from_per_s,
            to_per_s,
            seconds,
        };
        let expected = [
            stage(100.0, 100.0, 10.0),
            stage(100.0, 500.0, 60.0),
            stage(0.0, 0.0, 0.5),
        ];
        assert_eq!(found, expected);
        for wrong in [
            "",
            "10s",
            "100",
            "0s:5",
            "10s:-1",
            "10s:1..",
            "10s:0",
            "10s:1;5s:2",
        ] {
            assert!(stages(wrong).is_err(), "{wrong}");
        }
    }
}
