//! The result of a search for capacity as text.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::outcome::{Capacity, Found, Measured, Outcome};
use crate::result::text::{BOLD, classes, count, duration, folded, plural, styled, warnings};

impl Display for Capacity {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        self.write_heading(to)?;
        for found in &self.goals {
            writeln!(to, "{}", line(found))?;
        }
        self.write_trials(to)?;
        match warnings(&self.warnings).trim_end() {
            "" => Ok(()),
            warnings => write!(to, "\n{warnings}"),
        }
    }
}

impl Capacity {
    fn write_heading(&self, to: &mut Formatter) -> fmt::Result {
        writeln!(to, "{}: {}", self.url, self.load)?;
        let allowed = format!(
            "{}: {} % of the requests of a trial may be late, failed or never sent",
            self.objective,
            self.allowed_loss_ratio * 100.0
        );
        writeln!(to, "{}", folded(&allowed, 2))?;
        let rungs = self.ladder.iter();
        let rungs: Vec<String> = rungs
            .map(|it| format!("{} {}/s", it.clients, per_s(it.rate_per_s)))
            .collect();
        let rungs = format!("closed loads, clients and rate: {}", rungs.join(", "));
        writeln!(to, "{}\n", folded(&rungs, 2))?;
        let heading = format!(
            "{:32}{:>14}{:>16}{:>14}",
            "capacity", "sustained", "not sustained", "in time"
        );
        writeln!(to, "{}", styled(BOLD, heading))
    }

    /// Writes a line for each rate, with the medians of its trials.
    fn write_trials(&self, to: &mut Formatter) -> fmt::Result {
        let mut by_rate: BTreeMap<u64, Vec<&Measured>> = BTreeMap::new();
        for trial in &self.trials {
            // The bits of positive numbers are in the order of the numbers.
            by_rate
                .entry(trial.rate_per_s.to_bits())
                .or_default()
                .push(trial);
        }
        let heading = format!(
            "{:>12}{:>8}{:>8}{:>10}{:>10}{:>10}{:>10}{:>10}",
            "rate", "trials", "missed", "lost", "failed", "unsent", "p50", "p99"
        );
        writeln!(to, "\n{}", styled(BOLD, heading))?;
        for trials in by_rate.values() {
            let missed = trials.iter().filter(|it| !it.judged.is_kept).count();
            let sum = |of: fn(&Measured) -> u64| trials.iter().map(|it| of(it)).sum::<u64>();
            let time = |of: fn(&Measured) -> Option<f64>| {
                let time = middle(trials.iter().filter_map(|it| of(it)).collect());
                time.map_or("–".into(), duration)
            };
            let lost = middle(trials.iter().map(|it| it.judged.loss_ratio).collect());
            writeln!(
                to,
                "{:>10}/s{:>8}{missed:>8}{:>8.2} %{:>10}{:>10}{:>10}{:>10}",
                per_s(trials[0].rate_per_s),
                trials.len(),
                lost.unwrap_or(0.0) * 100.0,
                count(sum(|it| it.failed)),
                count(sum(|it| it.never_sent)),
                time(|it| it.median_us),
                time(|it| it.p99_us),
            )?;
        }
        let trials = format!(
            "{} of {} in {:.1} s{}",
            plural(self.trials.len() as u64, "trial"),
            duration(self.trial_s * 1e6),
            self.seconds,
            match (self.interrupted, self.out_of_time) {
                (true, _) => " (interrupted)",
                (_, true) => "; the time ended before the bounds were found: allow more with -d",
                _ => "",
            }
        );
        write!(to, "{}", folded(&trials, 2))?;
        let mut errors = BTreeMap::new();
        for (name, number) in self.trials.iter().flat_map(|it| &it.errors) {
            *errors.entry(*name).or_insert(0) += number;
        }
        match errors.is_empty() {
            true => Ok(()),
            false => write!(to, "\nfailed: {}", classes(&errors)),
        }
    }
}

fn line(found: &Found) -> String {
    let name = match found.exceed_ratio {
        0.5 => "half of the trials may miss it".into(),
        ratio => format!("{:.0} % of the trials may miss it", ratio * 100.0),
    };
    let rate = |rate: Option<f64>| rate.map_or("–".into(), |it| format!("{}/s", per_s(it)));
    let note = match found.outcome {
        Outcome::Found => "",
        Outcome::EveryRate => "\n  even the highest rate is sustained: see --max-rate",
        Outcome::NoRate => {
            "\n  even the lowest rate that a trial can test is not sustained: see --trial"
        }
        Outcome::Unfinished => "\n  so far",
    };
    format!(
        "{name:32}{:>14}{:>16}{:>14}{note}",
        rate(found.lower_per_s),
        rate(found.upper_per_s),
        rate(found.throughput_per_s)
    )
}

fn per_s(rate: f64) -> String {
    match rate {
        slow if slow < 100.0 => format!("{slow:.2}"),
        fast => count(fast.round() as u64),
    }
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}
