//! The result as text: counts, times, and doubts about their validity.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::RunResult;
use super::target::TargetResult;
use super::text::{
    BAD, BOLD, DOUBTFUL, GOOD, busy, bytes, classes, count, duration, duration_if, folded, plural,
    rate, styled, warnings,
};

/// The p99 of lag above which the schedule was missed: in microseconds, ...
const LATEST_US: f64 = 1_000.0;
/// ... and as a share of the median response time.
const LATEST_SHARE: f64 = 0.05;
/// The most incorrect replies shown; the result file has the others.
const MOST_MISMATCHES: usize = 5;
/// The most operations shown; the result file has the others.
const MOST_OPERATIONS: usize = 20;
/// The width of an operation's name.
const NAME: usize = 28;
const MOST_EXCERPT: usize = 120;
const CLOSURE: std::ops::RangeInclusive<f64> = 0.97..=1.03;

impl RunResult {
    /// Several lines of text about each target.
    pub fn summary(&self) -> String {
        let texts = self.targets.iter().map(|it| it.summary(self));
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

impl TargetResult {
    fn summary(&self, whole: &RunResult) -> String {
        let mut text = String::new();
        // Writing into a text cannot fail.
        let _ = self.write_failures(&mut text);
        let _ = self.write_latencies(&mut text);
        let _ = self.write_operations(&mut text);
        let _ = self.write_costs(&mut text, whole.engine.memory_peak_bytes);
        let doubts = self.doubts();
        if !doubts.is_empty() {
            let _ = write!(text, "\n{}", warnings(&doubts));
        }
        let _ = self.write_end(&mut text, whole.interrupted);
        text
    }

    fn write_failures(&self, text: &mut String) -> std::fmt::Result {
        let counts = &self.counts;
        if counts.failed > 0 {
            writeln!(
                text,
                "{}",
                folded(&format!("failed: {}", classes(&counts.errors)), 2)
            )?;
        }
        self.write_mismatches(text)?;
        if !self.statuses.is_empty() {
            let all = self.statuses.iter();
            let all: Vec<String> = all
                .map(|(status, number)| {
                    format!("{}: {}", self.statuses_of.show(*status), count(*number))
                })
                .collect();
            writeln!(
                text,
                "{}",
                folded(&format!("statuses: {}", all.join("; ")), 2)
            )?;
            let hints = self.statuses.keys();
            let hints: BTreeSet<&str> = hints
                .filter_map(|status| self.statuses_of.hint(*status))
                .collect();
            for hint in hints {
                writeln!(text, "{}", folded(&format!("hint: {hint}"), 2))?;
            }
        }
        if let Some(redirects) = self.redirects {
            writeln!(text, "{} followed", plural(redirects, "redirection"))?;
        }
        if let Some(reopened) = self.reopened_sessions.filter(|&it| it > 0) {
            writeln!(
                text,
                "{} ended and opened again",
                plural(reopened, "session")
            )?;
        }
        if let Some(items) = &self.items {
            let stalls = match items.stalls {
                0 => String::new(),
                stalls => format!("; {}", plural(stalls, "stall")),
            };
            writeln!(
                text,
                "{} received: {}/s; {} sent{stalls}",
                plural(items.received, "item"),
                rate(items.received_per_s),
                count(items.sent)
            )?;
        }
        if let Some(precision) = &self.precision {
            let known = precision.estimate.as_ref().map_or("unknown".into(), |it| {
                format!("{} ±{:.1} %", duration(it.value_us), it.half_width * 100.0)
            });
            let (of, wanted) = (precision.of, precision.wanted_half_width * 100.0);
            writeln!(text, "{of} {known}; ±{wanted:.1} % was required")?;
        }
        if counts.late > 0 {
            writeln!(text, "{} started more than 1 ms late", count(counts.late))?;
        }
        if counts.never_sent > 0 {
            let never_sent = count(counts.never_sent);
            writeln!(
                text,
                "{never_sent} were never sent: no connection was free, or the engine was late"
            )?;
        }
        if counts.dropped > 0 {
            let dropped = count(counts.dropped);
            writeln!(
                text,
                "{dropped} were in flight at the end and are not counted"
            )?;
        }
        Ok(())
    }

    /// Writes one mismatch of each kind, with the beginning of the reply.
    fn write_mismatches(&self, text: &mut String) -> std::fmt::Result {
        let mut told = Vec::new();
        for mismatch in &self.mismatches {
            let (reason, got) = (mismatch.reason, &mismatch.got);
            if told.contains(&(reason, got)) || told.len() == MOST_MISMATCHES {
                continue;
            }
            told.push((reason, got));
            let (status, expected) = (mismatch.status, &mismatch.expected);
            let difference = self.statuses_of.difference(reason, status, expected, got);
            let mut line = format!("  {reason}: {difference}");
            if !self.operations.is_empty() {
                write!(line, ", in {}", mismatch.operation)?;
            }
            writeln!(text, "{}", folded(&line, 4))?;
            if !mismatch.excerpt.is_empty() {
                let excerpt = format!("    \"{}\"", excerpt(&mismatch.excerpt));
                writeln!(text, "{}", folded(&excerpt, 5))?;
            }
        }
        Ok(())
    }

    fn write_operations(&self, text: &mut String) -> std::fmt::Result {
        if self.operations.is_empty() {
            return Ok(());
        }
        let shown = &self.operations[..self.operations.len().min(MOST_OPERATIONS)];
        let mut heading = format!(
            "{:NAME$}{:>10}{:>9}{:>9}",
            "operation", "count", "failed", "/s"
        );
        for name in ["p50", "p99", "max"] {
            write!(heading, "{name:>8}")?;
        }
        write!(text, "\n{}", styled(BOLD, heading))?;
        for it in shown {
            // A long name has its own line.
            let name = match it.name.chars().count() {
                short if short < NAME => format!("{:NAME$}", it.name),
                _ => format!("{}\n{:NAME$}", it.name, ""),
            };
            let (all, failed) = (count(it.transactions), count(it.failed));
            let per_s = rate(it.throughput_per_s);
            write!(text, "\n{name}{all:>10}{failed:>9}{per_s:>9}")?;
            let times = &it.response_us;
            for value in [times.p50, times.p99, times.max] {
                write!(text, "{:>8}", duration_if(times.count > 0, value))?;
            }
        }
        let left = self.operations.len() - shown.len();
        if left > 0 {
            write!(
                text,
                "\n{left} more operations are in --output csv and json"
            )?;
        }
        writeln!(text)
    }

    fn write_latencies(&self, text: &mut String) -> std::fmt::Result {
        let mut heading = format!("{:14}", "latency");
        for name in ["min", "p50", "p90", "p95", "p99", "p99.9", "max", "mean"] {
            write!(heading, "{name:>8}")?;
        }
        write!(text, "\n{}", styled(BOLD, heading))?;
        let latencies = &self.latency_us;
        let mut rows = vec![
            ("response", &latencies.response),
            ("service", &latencies.service),
            ("first byte", &latencies.first_byte),
            ("lag", &latencies.lag),
        ];
        rows.extend(latencies.connect.as_ref().map(|it| ("connect", it)));
        rows.extend(latencies.tls.as_ref().map(|it| ("tls handshake", it)));
        if let Some(items) = &self.items {
            rows.extend([
                ("first item", &items.first_us),
                ("last item", &items.last_us),
                ("gap", &items.gap_us),
            ]);
        }
        for (name, it) in rows {
            write!(text, "\n{name:14}")?;
            for value in [
                it.min, it.p50, it.p90, it.p95, it.p99, it.p999, it.max, it.mean,
            ] {
                write!(text, "{:>8}", duration_if(it.count > 0, value))?;
            }
        }
        text.push_str(
            "\nresponse: from the intended start; service: from the actual one; lag: between\n\n",
        );
        writeln!(text, "{}", self.spectrum)
    }

    fn write_costs(&self, text: &mut String, memory_peak_bytes: u64) -> std::fmt::Result {
        let (window, engine) = (&self.bytes.window, &self.engine);
        let amounts = |all: u64, bodies: u64| {
            let per_s = all as f64 / self.window.duration_s.max(1e-9);
            let [all, per_s, bodies] = [all as f64, per_s, bodies as f64].map(bytes);
            format!("{all} ({per_s}/s), of that bodies {bodies}")
        };
        writeln!(
            text,
            "\nsent      {}\nreceived  {}",
            amounts(window.sent, window.payload_sent),
            amounts(window.received, window.payload_received)
        )?;
        if window.payload_decoded > 0 && window.payload_decoded != window.payload_received {
            let decoded = window.payload_decoded as f64;
            let share = 100.0 * window.payload_received as f64 / decoded;
            writeln!(
                text,
                "          bodies received were compressed to {share:.1} % of {}",
                bytes(decoded)
            )?;
        }
        if let Some(tls) = &self.tls {
            writeln!(text, "tls       {} {}", tls.version, tls.cipher_suite)?;
            writeln!(
                text,
                "          {}, {} resumed",
                plural(tls.handshakes, "handshake"),
                count(tls.resumed)
            )?;
            if tls.trust == "insecure" {
                let told = styled(DOUBTFUL, "INSECURE");
                writeln!(text, "          {told}: any certificate was accepted")?;
            }
        }
        writeln!(
            text,
            "engine    {:.2} µs CPU a transaction, {:.0} % busy, {} memory",
            engine.cpu_us_per_transaction,
            engine.busy_share * 100.0,
            bytes(memory_peak_bytes as f64)
        )
    }

    /// Writes the figures that matter most, in five lines that remain on the screen.
    fn write_end(&self, text: &mut String, interrupted: bool) -> std::fmt::Result {
        let (counts, times) = (&self.counts, &self.latency_us.response);
        let failed = format!("{} failed", count(counts.failed));
        writeln!(
            text,
            "\n{}{}\n  {} in {}: {}/s{}, {}",
            styled(BOLD, "Summary"),
            if interrupted { " (interrupted)" } else { "" },
            plural(counts.transactions, "transaction"),
            match self.window.duration_s {
                short if short < 0.1 => duration(short * 1e6),
                long => format!("{long:.2} s"),
            },
            styled(BOLD, rate(self.throughput_per_s)),
            self.offered_rate_per_s
                .map_or(String::new(), |it| format!(" of {}/s offered", rate(it))),
            match counts.failed {
                0 => failed,
                _ => styled(BAD, failed),
            }
        )?;
        let known = |value: f64| duration_if(times.count > 0, value);
        let [mean, sd] = [known(times.mean), known(times.sd)];
        writeln!(
            text,
            "  Time (mean ± σ):   {} ± {sd}",
            styled(GOOD, format!("{mean:>8}"))
        )?;
        let [min, max] = [known(times.min), known(times.max)];
        writeln!(text, "  Range (min … max): {min:>8} … {max}")?;
        let [p50, p90, p99, p999] = [times.p50, times.p90, times.p99, times.p999].map(known);
        write!(
            text,
            "  Percentiles:       {p50:>8} p50, {p90} p90, {p99} p99, {p999} p99.9"
        )
    }

    /// Reasons why the figures may not be the server's.
    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::from_iter(busy(self.engine.busy_share, ""));
        doubts.extend(self.connections.doubts());
        let (lag_us, median_us) = (self.latency_us.lag.p99, self.latency_us.response.p50);
        if self.offered_rate_per_s.is_some() && lag_us > LATEST_US.max(LATEST_SHARE * median_us) {
            doubts.push(format!(
                "the schedule was not kept: 1 % of the transactions started at least {} late, because \
                 all connections were busy or the engine did not get CPU time",
                duration(lag_us)
            ));
        }
        if self.counts.transactions > 0 && !CLOSURE.contains(&self.little_closure) {
            doubts.push(format!(
                "Little closure is {:.3}, outside 0.97-1.03: the times do not add up to the time of \
                 the load; the run was too short or the machine was disturbed",
                self.little_closure
            ));
        }
        doubts
    }
}

/// The beginning of a reply, on one line and without control characters.
fn excerpt(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let begun: String = line.chars().take(MOST_EXCERPT).collect();
    let more = if begun.len() < line.len() { "..." } else { "" };
    format!("{}{more}", begun.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_of_answers_are_short_and_escaped() {
        assert_eq!(
            excerpt("no\n  such \u{1b}[31m\"game\""),
            "no such \\u{1b}[31m\\\"game\\\""
        );
        let long = excerpt(&"x".repeat(500));
        assert_eq!(long.len(), MOST_EXCERPT + 3);
    }
}
