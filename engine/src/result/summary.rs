//! The result as text: counts, times, and doubts about their validity.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::RunResult;
use super::rows::Summary;
use super::target::TargetResult;
use super::text::{busy, bytes, count, duration, duration_if, rate};

/// The p99 of lag above which the schedule was missed: in microseconds, ...
const LATEST_US: f64 = 1_000.0;
/// ... and as a share of the median response time.
const LATEST_SHARE: f64 = 0.05;
/// The most incorrect replies shown; the result file has the others.
const MOST_MISMATCHES: usize = 5;
/// The most operations shown; the result file has the others.
const MOST_OPERATIONS: usize = 20;
const MOST_NAME: usize = 40;
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
        let _ = self.write_counts(&mut text, whole.interrupted);
        let _ = self.write_latencies(&mut text);
        let _ = self.write_operations(&mut text);
        let _ = self.write_costs(&mut text, whole.engine.memory_peak_bytes);
        for doubt in self.doubts() {
            let _ = write!(text, "\nwarning: {doubt}");
        }
        text
    }

    fn write_counts(&self, text: &mut String, interrupted: bool) -> std::fmt::Result {
        let counts = &self.counts;
        writeln!(
            text,
            "{} transactions in {}: {}/s{}",
            count(counts.transactions),
            match self.window.duration_s {
                short if short < 0.1 => duration(short * 1e6),
                long => format!("{long:.2} s"),
            },
            rate(self.throughput_per_s),
            if interrupted { " (interrupted)" } else { "" }
        )?;
        writeln!(text, "{} failed", count(counts.failed))?;
        for (class, number) in &counts.errors {
            writeln!(text, "  {class:<20} {:>12}", count(*number))?;
        }
        self.write_mismatches(text)?;
        if !self.statuses.is_empty() {
            let all = self.statuses.iter();
            let all: Vec<String> = all
                .map(|(status, number)| {
                    format!("{}: {}", self.statuses_of.show(*status), count(*number))
                })
                .collect();
            writeln!(text, "statuses: {}", all.join("; "))?;
            let hints = self.statuses.keys();
            let hints: BTreeSet<&str> = hints
                .filter_map(|status| self.statuses_of.hint(*status))
                .collect();
            for hint in hints {
                writeln!(text, "hint: {hint}")?;
            }
        }
        if let Some(items) = &self.items {
            writeln!(
                text,
                "{} items received: {}/s; {} sent",
                count(items.received),
                rate(items.received_per_s),
                count(items.sent)
            )?;
        }
        if let Some(offered) = self.offered_rate_per_s {
            writeln!(text, "{}/s were offered", rate(offered))?;
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
            write!(text, "  {reason}: {difference}")?;
            if !self.operations.is_empty() {
                write!(text, ", in {}", mismatch.operation)?;
            }
            if !mismatch.excerpt.is_empty() {
                write!(text, ": \"{}\"", excerpt(&mismatch.excerpt))?;
            }
            writeln!(text)?;
        }
        Ok(())
    }

    fn write_operations(&self, text: &mut String) -> std::fmt::Result {
        if self.operations.is_empty() {
            return Ok(());
        }
        let shown = &self.operations[..self.operations.len().min(MOST_OPERATIONS)];
        let widest = shown.iter().map(|it| it.name.chars().count()).max();
        let width = widest.unwrap_or(0).clamp("operation".len(), MOST_NAME);
        write!(
            text,
            "\n{:width$} {:>11} {:>8} {:>9}",
            "operation", "count", "failed", "/s"
        )?;
        for name in ["p50", "p90", "p99", "max"] {
            write!(text, "{name:>9}")?;
        }
        for it in shown {
            let name: String = it.name.chars().take(width).collect();
            let (all, failed) = (count(it.transactions), count(it.failed));
            let per_s = rate(it.throughput_per_s);
            write!(text, "\n{name:width$} {all:>11} {failed:>8} {per_s:>9}")?;
            let times = &it.response_us;
            for value in [times.p50, times.p90, times.p99, times.max] {
                write!(text, "{:>9}", duration_if(times.count > 0, value))?;
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
        write!(text, "\n{:14}", "latency")?;
        for name in [
            "min", "p50", "p90", "p95", "p99", "p99.9", "max", "mean", "sd",
        ] {
            write!(text, "{name:>9}")?;
        }
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
            ]);
        }
        for (name, it) in rows {
            write!(text, "\n{name:14}")?;
            for value in it.figures() {
                write!(text, "{:>9}", duration_if(it.count > 0, value))?;
            }
        }
        writeln!(text, "\n\n{}", self.spectrum)?;
        text.push_str("\nresponse: from the intended start; service: from the actual one; lag: between the two\n");
        Ok(())
    }

    fn write_costs(&self, text: &mut String, memory_peak_bytes: u64) -> std::fmt::Result {
        let (window, engine) = (&self.bytes.window, &self.engine);
        let per_s = |amount: u64| {
            let rate = amount as f64 / self.window.duration_s.max(1e-9);
            format!("{} ({}/s)", bytes(amount as f64), bytes(rate))
        };
        writeln!(
            text,
            "\nbytes    sent {}, received {}; of that bodies {} and {}",
            per_s(window.sent),
            per_s(window.received),
            bytes(window.payload_sent as f64),
            bytes(window.payload_received as f64)
        )?;
        if window.payload_decoded != window.payload_received {
            let decoded = window.payload_decoded as f64;
            let share = 100.0 * window.payload_received as f64 / decoded;
            writeln!(
                text,
                "         bodies received were compressed to {share:.1} % of {}",
                bytes(decoded)
            )?;
        }
        if let Some(tls) = &self.tls {
            writeln!(
                text,
                "tls      {} {}, {} handshakes, {} resumed{}",
                tls.version,
                tls.cipher_suite,
                count(tls.handshakes),
                count(tls.resumed),
                if tls.trust == "insecure" {
                    "; INSECURE: any certificate was accepted"
                } else {
                    ""
                }
            )?;
        }
        write!(
            text,
            "engine   {:.2} us CPU a transaction, {:.0} % busy, {} memory, Little closure {:.3}",
            engine.cpu_us_per_transaction,
            engine.busy_share * 100.0,
            bytes(memory_peak_bytes as f64),
            self.little_closure
        )
    }

    /// Reasons why the figures may not be the server's.
    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::from_iter(busy(self.engine.busy_share, ""));
        let (lag_us, median_us) = (self.latency_us.lag.p99, self.latency_us.response.p50);
        if self.offered_rate_per_s.is_some() && lag_us > LATEST_US.max(LATEST_SHARE * median_us) {
            doubts.push(format!(
                "the schedule was not kept: 1 % of the transactions started at least {} late, because \
                 all connections were busy or the engine did not get CPU time",
                duration(lag_us)
            ));
        }
        if self.counts.transactions > 0 && !CLOSURE.contains(&self.little_closure) {
            doubts.push(
                "Little closure is outside 0.97-1.03: the times do not add up to the time of the \
                 load; the run was too short or the machine was disturbed"
                    .into(),
            );
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

impl Summary {
    fn figures(&self) -> [f64; 9] {
        [
            self.min, self.p50, self.p90, self.p95, self.p99, self.p999, self.max, self.mean,
            self.sd,
        ]
    }
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
