//! `--fail-if`: limits of measured figures. The grammar is that of `wirelab compare`.

use crate::compare::LEAST_PERMUTATIONS;
use crate::duration::unit_us;
use crate::result::Measured;
use crate::result::text::{count, duration};

/// A condition under which the program fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// As the user wrote it.
    pub written: String,
    /// The letter of the only server that it is for; absent: all servers.
    pub server: Option<String>,
    pub metric: Metric,
    sign: Sign,
    /// The limit; times in microseconds.
    value: f64,
}

/// The figure that a limit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Typical,
    Mean,
    Max,
    P50,
    P90,
    P95,
    P99,
    P999,
    Rate,
    Ratio,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Above,
    FromOn,
    Below,
    UpTo,
}

const METRICS: [(&str, Metric); 11] = [
    ("typical", Metric::Typical),
    ("mean", Metric::Mean),
    ("max", Metric::Max),
    ("p50", Metric::P50),
    ("p90", Metric::P90),
    ("p95", Metric::P95),
    ("p99", Metric::P99),
    ("p999", Metric::P999),
    ("rate", Metric::Rate),
    ("ratio", Metric::Ratio),
    ("failed", Metric::Failed),
];

/// Parses a limit. The error says what is expected.
pub fn limit(text: &str) -> Result<Limit, String> {
    let written = text.trim();
    let names: Vec<&str> = METRICS.iter().map(|(name, _)| *name).collect();
    let form = || {
        format!(
            "expected METRIC>VALUE such as p99>20ms, the metric {}",
            names.join(", ")
        )
    };
    let position = written.find(['<', '>']).ok_or_else(form)?;
    let (name, rest) = (written[..position].trim_end(), &written[position..]);
    let name = name.replace("p99.9", "p999"); // the dot also separates a server
    let signs = [
        (">=", Sign::FromOn),
        ("<=", Sign::UpTo),
        (">", Sign::Above),
        ("<", Sign::Below),
    ];
    let sign = signs.iter().find(|(sign, _)| rest.starts_with(sign));
    let (sign, value) = sign.map_or((Sign::Above, ""), |(text, sign)| {
        (*sign, rest[text.len()..].trim())
    });
    let (server, name) = match name.split_once('.') {
        Some((server, name)) => (Some(server), name),
        None => (None, name.as_str()),
    };
    let is_name = |name: &str| {
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !name.is_empty() && name.bytes().all(letters)
    };
    let metric = METRICS.iter().find(|(known, _)| *known == name);
    let metric = metric.ok_or_else(form)?.1;
    if !server.is_none_or(is_name) {
        return Err(form());
    }
    let end = value.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (digits, unit) = value.split_at(end.unwrap_or(value.len()));
    let is_number = digits.starts_with(|it: char| it.is_ascii_digit()) && !digits.ends_with('.');
    let number: f64 = digits.parse().ok().filter(|_| is_number).ok_or_else(form)?;
    let scale = match (metric, unit.trim()) {
        (Metric::Rate, "" | "/s") | (Metric::Ratio, "") => 1.0,
        (Metric::Ratio | Metric::Failed, "%") => 0.01,
        (Metric::Failed, _) => return Err("expected a share of requests, such as failed>1%".into()),
        (Metric::Rate, _) => return Err("expected a rate without a unit, or with /s".into()),
        (Metric::Ratio, _) => return Err("expected a ratio without a unit, or with %".into()),
        (_, unit) => unit_us(unit).ok_or("expected a time with its unit, such as 20ms")?,
    };
    if metric == Metric::Failed && matches!(sign, Sign::Below | Sign::UpTo) {
        return Err(format!(
            "expected what must not be, such as failed>{digits}%: with {written} a run without \
             failures would fail"
        ));
    }
    Ok(Limit {
        written: written.into(),
        server: server.map(String::from),
        metric,
        sign,
        value: number * scale,
    })
}

impl Limit {
    /// The measured value, if the limit is exceeded, or why it cannot be judged.
    pub fn breach(&self, measured: &Measured) -> Option<String> {
        let value = match self.value(measured) {
            Ok(value) => value,
            Err(needed) => return Some(needed),
        };
        let is_beyond = match self.sign {
            Sign::Above => value > self.value,
            Sign::FromOn => value >= self.value,
            Sign::Below => value < self.value,
            Sign::UpTo => value <= self.value,
        };
        is_beyond.then(|| match self.metric {
            Metric::Rate => format!("{value:.1}/s"),
            Metric::Ratio => format!("{value:.3} times"),
            Metric::Failed => format!("{:.3} % of the requests", value * 100.0),
            _ => duration(value),
        })
    }

    /// The measured value. The error is what it takes to judge.
    fn value(&self, measured: &Measured) -> Result<f64, String> {
        let figures = &measured.figures;
        let of = |there_are: u64, needed: u64, value: f64| match there_are >= needed {
            true => Ok(value),
            false => Err(format!("too few requests: {} needed", count(needed))),
        };
        let from = |needed, value| of(figures.count, needed, value);
        let percentile = |share: f64, value: f64| from(minimum_requests(share), value);
        let known = |value: Option<f64>| of(u64::from(value.is_some()), 1, value.unwrap_or(0.0));
        let failed_share = figures.failed as f64 / figures.transactions.max(1) as f64;
        match self.metric {
            Metric::Typical => known(measured.typical_us),
            Metric::Mean => known(measured.mean_us),
            Metric::Max => from(1, figures.max_us),
            Metric::P50 => percentile(0.5, figures.p50_us),
            Metric::P90 => percentile(0.9, figures.p90_us),
            Metric::P95 => percentile(0.95, figures.p95_us),
            Metric::P99 => percentile(0.99, figures.p99_us),
            Metric::P999 => percentile(0.999, figures.p999_us),
            Metric::Rate => Ok(figures.rate_per_s),
            Metric::Ratio => measured.ratio.ok_or_else(|| {
                format!("too few permutations: {LEAST_PERMUTATIONS} needed, with a longer -d")
            }),
            // More failures than allowed are too many, however few requests there were.
            Metric::Failed if failed_share > self.value => Ok(failed_share),
            Metric::Failed => {
                let needed = minimum_requests(1.0 - self.value);
                of(figures.transactions, needed, failed_share)
            }
        }
    }
}

/// The least number of requests for which a percentile has an upper bound at 95 % (Conover 1999,
/// section 3.2): the smallest n with q^n <= 0.025.
fn minimum_requests(share: f64) -> u64 {
    match share < 1.0 {
        true => (0.025_f64.ln() / share.ln()).ceil() as u64,
        false => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Figures;

    fn measured(count: u64) -> Measured {
        Measured {
            figures: Figures {
                count,
                transactions: count,
                failed: count / 50,
                max_us: 90_000.0,
                p99_us: 25_000.0,
                rate_per_s: 500.0,
                ..Figures::default()
            },
            typical_us: Some(1_500.0),
            mean_us: Some(2_000.0),
            ratio: Some(1.2),
        }
    }

    #[test]
    fn figures_are_compared_with_limits() {
        for (text, expected) in [
            ("p99>20ms", Some("25.0 ms")),
            ("p99 >= 25 ms", Some("25.0 ms")),
            ("p99>25ms", None),
            ("p99>0.03s", None),
            ("B.typical>1499us", Some("1.50 ms")),
            ("mean<3ms", Some("2.00 ms")),
            ("rate<1000/s", Some("500.0/s")),
            ("rate<=499.5", None),
            ("ratio>1.1", Some("1.200 times")),
            ("ratio>115%", Some("1.200 times")),
            ("ratio>125%", None),
            ("p999>1ms", Some("too few requests: 3,688 needed")),
            ("p99.9>1ms", Some("too few requests: 3,688 needed")),
            ("failed>1%", Some("2.000 % of the requests")),
            ("failed>=2%", Some("2.000 % of the requests")),
            ("failed>2.5%", None),
        ] {
            let breach = limit(text).unwrap().breach(&measured(1_000));
            assert_eq!(breach.as_deref(), expected, "{text}");
        }
        assert_eq!(limit("B.p99>1ms").unwrap().server.as_deref(), Some("B"));
        assert_eq!(limit("B.p99.9>1ms").unwrap().metric, Metric::P999);
    }

    #[test]
    fn a_percentile_needs_enough_requests() {
        assert_eq!(
            [0.5, 0.9, 0.95, 0.99, 0.999].map(minimum_requests),
            [6, 36, 72, 368, 3_688]
        );
        let failed = |text: &str, count| limit(text).unwrap().breach(&measured(count));
        assert_eq!(
            failed("failed>1%", 50).as_deref(),
            Some("2.000 % of the requests")
        );
        let too_few = failed("failed>2.1%", 50);
        assert_eq!(too_few.as_deref(), Some("too few requests: 174 needed"));
        assert_eq!(failed("failed>2.1%", 174), None);
        let p99 = limit("p99<1ms").unwrap();
        assert!(p99.breach(&measured(367)).is_some() && p99.breach(&measured(368)).is_none());
    }

    #[test]
    fn the_grammar_is_that_of_wirelab_compare() {
        let grammar = include_str!("../../../tests/compare/limits.json");
        let grammar: serde_json::Value = serde_json::from_str(grammar).unwrap();
        for case in grammar["read"].as_array().unwrap() {
            let text = |position: usize| case[position].as_str().unwrap();
            let found = limit(text(0)).unwrap();
            let metric = METRICS
                .iter()
                .find(|(_, it)| *it == found.metric)
                .unwrap()
                .0;
            let sign = match found.sign {
                Sign::Above => ">",
                Sign::FromOn => ">=",
                Sign::Below => "<",
                Sign::UpTo => "<=",
            };
            let server = found.server.unwrap_or_default();
            assert_eq!((server.as_str(), metric, sign), (text(1), text(2), text(3)));
            let value = case[4].as_f64().unwrap();
            assert!((found.value / value - 1.0).abs() < 1e-9, "{case}");
        }
        // Of failures there is none in `wirelab compare`.
        let failed = limit("failed > 0.5%").unwrap();
        assert!((failed.value - 0.005).abs() < 1e-9);
        for wrong in ["failed>1", "failed>1ms", "failed<1%"] {
            assert!(limit(wrong).unwrap_err().contains("failed>1%"), "{wrong}");
        }
        let with_dots = serde_json::json!("a.b.p99>1ms");
        for case in grammar["refused"]
            .as_array()
            .unwrap()
            .iter()
            .chain([&with_dots])
        {
            let problem = limit(case.as_str().unwrap()).unwrap_err();
            let is_told = ["METRIC>VALUE", "unit"]
                .iter()
                .any(|it| problem.contains(it));
            assert!(is_told, "{case}: {problem}");
        }
    }
}
