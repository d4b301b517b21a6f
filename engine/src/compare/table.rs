//! A comparison as text.

use std::fmt::{self, Display, Formatter};

use super::judge::{LEAST_PERMUTATIONS, Ratio};
use super::{Comparison, Ratios, Server};
use crate::result::text::{busy, classes, count, duration};

/// The share of stolen time above which it is reported.
const STOLEN: f64 = 0.01;

impl Display for Comparison {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        self.write_heading(to)?;
        self.write_table(to)?;
        self.write_resolution(to)?;
        self.write_failures(to)?;
        self.write_warnings(to)?;
        write!(to, "\n{}", self.scope)
    }
}

impl Comparison {
    fn write_heading(&self, to: &mut Formatter) -> fmt::Result {
        let slice = match (self.plan.stop.seconds, self.plan.stop.transactions) {
            (Some(seconds), _) => duration(seconds * 1e6),
            (None, requests) => format!("{} requests", requests.unwrap_or(0)),
        };
        let guard = match self.plan.guard_ns {
            0 => "without a guard".into(),
            guard_ns => format!("after a guard of {}", duration(guard_ns as f64 / 1e3)),
        };
        writeln!(
            to,
            "{}\n{} permutations in {:.1} s, each server in slices of {slice} {guard}{}\n",
            self.load,
            count(self.permutations as u64),
            self.duration_s,
            if self.interrupted {
                " (interrupted)"
            } else {
                ""
            }
        )
    }

    fn write_table(&self, to: &mut Formatter) -> fmt::Result {
        let widest = self.servers.iter().map(|it| name(it).chars().count());
        let width = widest.max().unwrap_or(0).max("server".len());
        writeln!(
            to,
            "{:width$}  {:>17}  {:>5}  {:14}  verdict",
            "server", "time a request", "ratio", "95 % interval"
        )?;
        let ratios = std::iter::once(None).chain(self.ratios.iter().map(Some));
        for (server, ratios) in self.servers.iter().zip(ratios) {
            let lines = [
                (
                    name(server),
                    "typical",
                    server.typical_us,
                    ratios.map(|it| it.typical),
                ),
                (
                    String::new(),
                    "mean",
                    server.mean_us,
                    ratios.map(|it| it.mean),
                ),
            ];
            for (name, kind, time_us, ratio) in lines {
                let time = time_us.map_or("-".into(), duration);
                let line = format!("{name:width$}  {kind:7} {time:>9}  {}", shown(ratio));
                writeln!(to, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    /// Writes the resolution: the smallest difference that this session can detect, from the twin.
    fn write_resolution(&self, to: &mut Formatter) -> fmt::Result {
        if !self.is_judged() {
            writeln!(
                to,
                "\n{} permutations are too few for an interval; at least {LEAST_PERMUTATIONS} are needed",
                self.permutations
            )?;
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
        writeln!(
            to,
            "\nResolution of this session, by comparing A with itself: \
             ±{typical_percent:.1} % of typical time, ±{mean_percent:.1} % of mean time."
        )
    }

    fn write_failures(&self, to: &mut Formatter) -> fmt::Result {
        for server in self.servers.iter().filter(|server| server.failed > 0) {
            writeln!(
                to,
                "\nfailed: {} of {} requests to {} ({}); times are those of the others",
                count(server.failed),
                count(server.transactions),
                server.label,
                classes(&server.errors)
            )?;
        }
        Ok(())
    }

    fn write_warnings(&self, to: &mut Formatter) -> fmt::Result {
        if let Some(busy) = busy(self.engine_busy_share, "") {
            writeln!(to, "\nwarning: {busy}")?;
        }
        if self.steal_share > STOLEN {
            writeln!(
                to,
                "\n{:.0} % of the machine's CPU time was stolen by the hypervisor, from all servers alike",
                self.steal_share * 100.0
            )?;
        }
        Ok(())
    }
}

fn name(server: &Server) -> String {
    if server.is_twin {
        return format!("{} (twin)", server.label);
    }
    format!("{} {}", server.label, server.url)
}

/// Ratio, interval and verdict; empty for the first server.
fn shown(ratio: Option<Option<Ratio>>) -> String {
    match ratio {
        None => String::new(),
        Some(None) => format!("{:>5}  {:14}  cannot tell", "-", "-"),
        Some(Some(it)) => {
            let interval = format!("{:.3} to {:.3}", it.low, it.high);
            format!("{:.3}  {interval:14}  {}", it.ratio, it.verdict.words())
        }
    }
}
