//! A comparison as text.

use std::fmt::{self, Display, Formatter};

use super::judge::{LEAST_PERMUTATIONS, Ratio, Verdict};
use super::{Comparison, Ratios};
use crate::result::text::{
    BAD, BOLD, DOUBTFUL, GOOD, busy, classes, count, duration, duration_if, folded, plural, styled,
    warnings,
};

/// The share of stolen time above which it is reported.
const STOLEN: f64 = 0.01;
/// The width of a server's label.
const LABEL: usize = 9;

impl Display for Comparison {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        self.write_heading(to)?;
        self.write_table(to)?;
        self.write_resolution(to)?;
        self.write_failures(to)?;
        self.write_warnings(to)?;
        self.write_end(to)
    }
}

impl Comparison {
    fn write_heading(&self, to: &mut Formatter) -> fmt::Result {
        let slice = match (self.plan.stop.seconds, self.plan.stop.transactions) {
            (Some(seconds), _) => duration(seconds * 1e6),
            (None, requests) => plural(requests.unwrap_or(0), "request"),
        };
        let guard = match self.plan.guard_ns {
            0 => "without a guard".into(),
            guard_ns => format!("after a guard of {}", duration(guard_ns as f64 / 1e3)),
        };
        let turns = format!(
            "{} permutations in {:.1} s, each server in slices of {slice} {guard}{}",
            count(self.permutations as u64),
            self.duration_s,
            if self.interrupted {
                " (interrupted)"
            } else {
                ""
            }
        );
        writeln!(to, "{}\n{}\n", folded(&self.load, 2), folded(&turns, 2))?;
        for server in self.servers.iter().filter(|it| !it.is_twin) {
            writeln!(to, "{}  {}", server.label, server.url)?;
        }
        Ok(())
    }

    fn write_table(&self, to: &mut Formatter) -> fmt::Result {
        let heading = format!(
            "{:LABEL$}{:>16}  {:>5}  {:14}  verdict",
            "", "time a request", "ratio", "95 % interval"
        );
        writeln!(to, "\n{}", styled(BOLD, heading))?;
        let ratios = std::iter::once(None).chain(self.ratios.iter().map(Some));
        for (server, ratios) in self.servers.iter().zip(ratios) {
            let lines = [
                (
                    server.label.as_str(),
                    "typical",
                    server.typical_us,
                    ratios.map(|it| it.typical),
                ),
                ("", "mean", server.mean_us, ratios.map(|it| it.mean)),
            ];
            for (name, kind, time_us, ratio) in lines {
                let time = duration_if(time_us.is_some(), time_us.unwrap_or(0.0));
                let line = format!("{name:LABEL$}{kind:7} {time:>8}  {}", shown(ratio));
                writeln!(to, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    /// Writes the resolution: the smallest difference that this session can detect, from the twin.
    fn write_resolution(&self, to: &mut Formatter) -> fmt::Result {
        if !self.is_judged() {
            let few = format!(
                "{} permutations are too few for an interval; at least {LEAST_PERMUTATIONS} are needed",
                self.permutations
            );
            writeln!(to, "\n{}", folded(&few, 2))?;
        }
        let Some(twin) = self.ratios.iter().find(|it| it.is_twin) else {
            return Ok(());
        };
        let Ratios {
            typical: Some(typical),
            mean: Some(mean),
            ..
        } = twin
        else {
            return Ok(());
        };
        let (typical_percent, mean_percent) =
            (typical.resolution() * 100.0, mean.resolution() * 100.0);
        let resolution = format!(
            "Resolution of this session, by comparing A with itself: \
             ±{typical_percent:.1} % of typical time, ±{mean_percent:.1} % of mean time."
        );
        writeln!(to, "\n{}", folded(&resolution, 2))
    }

    fn write_failures(&self, to: &mut Formatter) -> fmt::Result {
        for server in self.servers.iter().filter(|server| server.failed > 0) {
            let failed = format!(
                "failed: {} of {} to {} ({}); times are those of the others",
                count(server.failed),
                plural(server.transactions, "request"),
                server.label,
                classes(&server.errors)
            );
            writeln!(to, "\n{}", styled(BAD, folded(&failed, 2)))?;
        }
        Ok(())
    }

    fn write_warnings(&self, to: &mut Formatter) -> fmt::Result {
        let mut all = Vec::from_iter(busy(self.engine_busy_share, ""));
        if self.steal_share > STOLEN {
            all.push(format!(
                "{:.0} % of the machine's CPU time was stolen by the hypervisor, from all servers alike",
                self.steal_share * 100.0
            ));
        }
        match all.is_empty() {
            true => Ok(()),
            false => write!(to, "\n{}", warnings(&all)),
        }
    }

    /// Writes what was found, and for what it holds.
    fn write_end(&self, to: &mut Formatter) -> fmt::Result {
        writeln!(
            to,
            "\n{}",
            styled(BOLD, "Summary of one start of each server")
        )?;
        for ratios in self.ratios.iter().filter(|it| !it.is_twin) {
            writeln!(to, "  {}", found(&ratios.label, ratios.typical))?;
        }
        let scope: Vec<String> = self.scope.lines().map(|line| folded(line, 2)).collect();
        write!(to, "{}", scope.join("\n"))
    }
}

/// What was found of a server compared with A, by the typical time.
fn found(label: &str, ratio: Option<Ratio>) -> String {
    let Some(Ratio {
        ratio,
        low,
        high,
        verdict,
    }) = ratio
    else {
        return format!("{label} and A: {}", coloured(Verdict::CannotTell));
    };
    let times = |factor: f64, low: f64, high: f64| {
        format!(
            "{} times ({low:.3} to {high:.3})",
            styled(BOLD, format!("{factor:.3}"))
        )
    };
    match verdict {
        Verdict::Faster => format!(
            "{label} is {} {} than A",
            times(1.0 / ratio, 1.0 / high, 1.0 / low),
            coloured(verdict)
        ),
        Verdict::Slower => {
            format!(
                "{label} is {} {} than A",
                times(ratio, low, high),
                coloured(verdict)
            )
        }
        Verdict::Same | Verdict::CannotTell => format!(
            "{label} takes {} the time of A: {}",
            times(ratio, low, high),
            coloured(verdict)
        ),
    }
}

fn coloured(verdict: Verdict) -> String {
    let style = match verdict {
        Verdict::Faster => GOOD,
        Verdict::Slower => BAD,
        Verdict::CannotTell => DOUBTFUL,
        Verdict::Same => BOLD,
    };
    styled(style, verdict.words())
}

/// Ratio, interval and verdict; empty for the first server.
fn shown(ratio: Option<Option<Ratio>>) -> String {
    match ratio {
        None => String::new(),
        Some(None) => format!("{:>5}  {:14}  {}", "–", "–", coloured(Verdict::CannotTell)),
        Some(Some(it)) => {
            let interval = format!("{:.3} to {:.3}", it.low, it.high);
            format!("{:.3}  {interval:14}  {}", it.ratio, coloured(it.verdict))
        }
    }
}
