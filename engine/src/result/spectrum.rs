//! The response and service times at many percentiles.

use std::fmt::{self, Display, Formatter};

use super::text::{BOLD, count, duration, duration_if, styled};
use super::total::Total;

const SHARES: [f64; 12] = [
    0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.999_9, 0.999_99, 0.999_999, 1.0,
];

/// Lines for percentiles that differ by at least one transaction.
pub struct Spectrum(Vec<Line>);

struct Line {
    share: f64,
    /// Absent beyond the share that was sent: a transaction that was never sent counts as never
    /// answered.
    response_us: Option<f64>,
    service_us: Option<f64>,
    slower: u64,
}

impl Spectrum {
    /// From the totals; `sent` is the number of transactions sent.
    pub fn new(total: &Total, sent: u64) -> Self {
        let all = sent + total.never_sent;
        let lines = SHARES.iter().filter_map(|&share| {
            let rank = (all as f64 * share).ceil() as u64;
            let slower = all - rank.min(all);
            let is_last = share == 1.0;
            let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
            (all > 0 && (slower > 0 || is_last)).then(|| Line {
                share,
                response_us: (rank <= sent).then(|| {
                    let among_sent = (rank as f64 / sent as f64).min(1.0);
                    microseconds(total.response.quantile_ns(among_sent))
                }),
                service_us: (sent > 0).then(|| microseconds(total.service.quantile_ns(share))),
                slower,
            })
        });
        Self(lines.collect())
    }
}

impl Display for Spectrum {
    fn fmt(&self, to: &mut Formatter) -> fmt::Result {
        let heading = "spectrum       response  service       slower";
        write!(to, "{}", styled(BOLD, heading))?;
        for line in &self.0 {
            let percent = format!("{} %", (line.share * 1e8).round() / 1e6);
            let response = line.response_us.map_or("never".into(), duration);
            let service = duration_if(line.service_us.is_some(), line.service_us.unwrap_or(0.0));
            let slower = count(line.slower);
            write!(
                to,
                "\n  {percent:>11} {response:>9}{service:>9} {slower:>12}"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spectrum(sent: u64, never_sent: u64) -> String {
        let mut total = Total::default();
        for number in 1..=sent as i64 {
            total.response.record(number * 1_000_000);
            total.service.record(500_000);
        }
        total.never_sent = never_sent;
        Spectrum::new(&total, sent).to_string()
    }

    #[test]
    fn the_spectrum_ends_at_the_number_of_transactions() {
        let text = spectrum(1_000, 0);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 9, "{text}");
        assert!(
            lines[3].contains("50 %") && lines[3].ends_with(" 500"),
            "{text}"
        );
        assert!(
            lines[7].contains("99 %") && lines[7].contains("990 ms"),
            "{text}"
        );
        assert!(
            lines[9].contains("100 %") && lines[9].contains("1.00 s"),
            "{text}"
        );
    }

    #[test]
    fn unsent_requests_count_as_unanswered() {
        let text = spectrum(75, 25);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[4].contains("75 %") && lines[4].contains("75.0 ms"),
            "{text}"
        );
        assert!(
            lines[5].contains("90 %") && lines[5].contains("never"),
            "{text}"
        );
        assert!(lines[5].ends_with(" 10"), "{text}");
    }

    #[test]
    fn a_result_without_transactions_has_no_spectrum() {
        assert_eq!(spectrum(0, 0).lines().count(), 1);
    }
}
