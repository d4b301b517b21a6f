//! `--fail-if`: limits of measured figures. The grammar is that of `wirelab compare`.

use crate::duration::unit_us;
use crate::result::Measured;
use crate::result::text::duration;

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Above,
    FromOn,
    Below,
    UpTo,
}

const METRICS: [(&str, Metric); 10] = [
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
        None => (None, name),
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
        (Metric::Ratio, "%") => 0.01,
        (Metric::Rate, _) => return Err("expected a rate without a unit, or with /s".into()),
        (Metric::Ratio, _) => return Err("expected a ratio without a unit, or with %".into()),
        (_, unit) => unit_us(unit).ok_or("expected a time with its unit, such as 20ms")?,
    };
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
        let Some(value) = self.value(measured) else {
            return Some("too few requests to judge".into());
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
            _ => duration(value),
        })
    }

    fn value(&self, measured: &Measured) -> Option<f64> {
        let figures = &measured.figures;
        let percentile =
            |share: f64, value: f64| (figures.count >= minimum_requests(share)).then_some(value);
        match self.metric {
            Metric::Typical => measured.typical_us,
            Metric::Mean => measured.mean_us,
            Metric::Max => (figures.count > 0).then_some(figures.max_us),
            Metric::P50 => percentile(0.5, figures.p50_us),
            Metric::P90 => percentile(0.9, figures.p90_us),
            Metric::P95 => percentile(0.95, figures.p95_us),
            Metric::P99 => percentile(0.99, figures.p99_us),
            Metric::P999 => percentile(0.999, figures.p999_us),
            Metric::Rate => Some(figures.rate_per_s),
            Metric::Ratio => measured.ratio,
        }
    }
}

/// The least number of requests for which a percentile has an upper bound at 95 % (Conover 1999,
/// section 3.2): the smallest n with q^n <= 0.025.
fn minimum_requests(share: f64) -> u64 {
    (0.025_f64.ln() / share.ln()).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Figures;

    fn measured(count: u64) -> Measured {
        Measured {
            figures: Figures {
                count,
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
            ("p999>1ms", Some("too few requests to judge")),
        ] {
            let breach = limit(text).unwrap().breach(&measured(1_000));
            assert_eq!(breach.as_deref(), expected, "{text}");
        }
        assert_eq!(limit("B.p99>1ms").unwrap().server.as_deref(), Some("B"));
    }

    #[test]
    fn a_percentile_needs_enough_requests() {
        assert_eq!(
            [0.5, 0.9, 0.95, 0.99, 0.999].map(minimum_requests),
            [6, 36, 72, 368, 3_688]
        );
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
