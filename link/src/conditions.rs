//! The conditions of one direction of a link, and their notation.

use std::str::FromStr;

use serde::Serialize;

/// The limits of conditions: no link on Earth needs more.
const LONGEST_NS: u64 = 60_000_000_000;
const FASTEST_BIT_S: u64 = 100_000_000_000;
const LONGEST_QUEUE: u64 = 64 << 20;

const KEYS: &str = "delay=20ms, jitter=5ms, rate=12Mbit, queue=64KB, loss=1%";

/// The conditions of one direction. Delays are in nanoseconds; a rate of 0 is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Conditions {
    /// The least propagation delay, in addition to the time of sending.
    pub delay_ns: u64,
    /// The largest addition to the delay, uniformly distributed.
    pub jitter_ns: u64,
    pub rate_bit_s: u64,
    /// The most bytes that may wait for the line, in addition to the packet that it sends.
    pub queue_bytes: u64,
    /// The share of packets that are lost, independently of each other.
    pub loss: f64,
}

impl Conditions {
    /// A direction without any effect.
    pub const NOTHING: Self = Self {
        delay_ns: 0,
        jitter_ns: 0,
        rate_bit_s: 0,
        queue_bytes: 0,
        loss: 0.0,
    };
}

impl FromStr for Conditions {
    type Err = String;

    /// Parses `delay=20ms,rate=12Mbit,queue=64KB`; omitted conditions have no effect. The error
    /// says what is expected.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut found = Self::NOTHING;
        let mut queue = None;
        for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("{part:?}; expected some of {KEYS}"))?;
            match key {
                "delay" => found.delay_ns = read(key, value, &TIMES, LONGEST_NS)?,
                "jitter" => found.jitter_ns = read(key, value, &TIMES, LONGEST_NS)?,
                "rate" => found.rate_bit_s = read(key, value, &RATES, FASTEST_BIT_S)?,
                "queue" => queue = Some(read(key, value, &SIZES, LONGEST_QUEUE)?),
                "loss" => found.loss = share(value)?,
                _ => {
                    return Err(format!(
                        "unknown condition {key:?}; expected some of {KEYS}"
                    ));
                }
            }
        }
        match (found.rate_bit_s, queue) {
            (0, Some(_)) => {
                Err("a queue has no effect without a rate; expected a rate as well".into())
            }
            (0, None) => Ok(found),
            (_, Some(bytes)) => Ok(Self {
                queue_bytes: bytes,
                ..found
            }),
            (_, None) => Err("a rate requires a queue; expected one, such as queue=64KB".into()),
        }
    }
}

type Unit = (&'static str, f64);

const TIMES: [Unit; 3] = [("us", 1e3), ("ms", 1e6), ("s", 1e9)];
const RATES: [Unit; 4] = [("kbit", 1e3), ("Mbit", 1e6), ("Gbit", 1e9), ("bit", 1.0)];
const SIZES: [Unit; 3] = [("KB", 1e3), ("MB", 1e6), ("B", 1.0)];

/// Parses a number with a unit, as an integer of the smallest unit.
fn read(key: &str, value: &str, units: &[Unit], most: u64) -> Result<u64, String> {
    let names: Vec<&str> = units.iter().map(|unit| unit.0).collect();
    let wrong = || {
        format!(
            "{key}={value}; expected a number and one of {}, not too large",
            names.join(", ")
        )
    };
    let (number, factor) = units
        .iter()
        .find_map(|(name, factor)| Some((value.strip_suffix(name)?, *factor)))
        .ok_or_else(wrong)?;
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let found = (number * factor).round();
    if (0.0..=most as f64).contains(&found) {
        Ok(found as u64)
    } else {
        Err(wrong())
    }
}

fn share(value: &str) -> Result<f64, String> {
    let wrong = || format!("loss={value}; expected a percentage from 0% to 100%, such as 0.5%");
    let percent: f64 = value
        .strip_suffix('%')
        .and_then(|it| it.trim().parse().ok())
        .ok_or_else(wrong)?;
    if (0.0..=100.0).contains(&percent) {
        Ok(percent / 100.0)
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conditions_are_read_with_their_units() {
        let text = "delay=35ms, jitter=250us,rate=1.5Mbit,queue=64KB,loss=0.5%";

        assert_eq!(
            text.parse(),
            Ok(Conditions {
                delay_ns: 35_000_000,
                jitter_ns: 250_000,
                rate_bit_s: 1_500_000,
                queue_bytes: 64_000,
                loss: 0.005,
            })
        );
        assert_eq!("".parse(), Ok(Conditions::NOTHING));
    }

    #[test]
    fn mistakes_are_named_with_the_expected_form() {
        for (text, part) in [
            ("delay", "\"delay\"; expected some of delay=20ms"),
            ("latency=1ms", "unknown condition \"latency\""),
            ("delay=1", "delay=1; expected a number and one of us, ms, s"),
            ("delay=-1ms", "delay=-1ms"),
            ("delay=NaNms", "delay=NaNms"),
            ("delay=2000s", "delay=2000s"),
            ("rate=1Mbit", "a rate requires a queue"),
            ("queue=1KB", "a queue has no effect without a rate"),
            ("rate=1MB,queue=1KB", "rate=1MB"),
            ("loss=0.5", "a percentage"),
            ("loss=101%", "a percentage"),
        ] {
            let error = text.parse::<Conditions>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
