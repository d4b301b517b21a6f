//! `--replay`: the times of recorded requests.

use std::path::Path;

use super::table::Table;
use super::targets::{Targets, is_json};
use super::{file, instant};

/// The column of a table with the times.
const COLUMN: &str = "time";
const EXPECTED: &str = "seconds, or a date such as 2026-03-01T12:00:00.5Z";

/// What was recorded, in the order of its times.
pub enum Recording {
    /// A HAR file.
    Requests(Targets),
    /// A table with values, and the time of each row in seconds.
    Rows(Table, Vec<f64>),
}

impl Recording {
    /// The requests, whose addresses name their server. The error is that there are only times.
    pub fn requests(self) -> Result<Targets, Vec<String>> {
        match self {
            Self::Requests(targets) => Ok(targets),
            Self::Rows(..) => Err(vec![
                "--replay: a table has no address; expected the server's address, too".into(),
            ]),
        }
    }
}

/// Reads a recording. The error is the list of all problems.
pub fn read(path: &Path) -> Result<Recording, Vec<String>> {
    let text = file::text(path).map_err(|problem| vec![problem]);
    let recording = text.and_then(|text| match is_json(&text) {
        true => requests(&text),
        false => rows(&text),
    });
    let named = |problem| format!("--replay {}: {problem}", path.display());
    recording.map_err(|problems| problems.into_iter().map(named).collect())
}

fn requests(text: &str) -> Result<Recording, Vec<String>> {
    let mut targets = Targets::parse(text)?;
    let entries = &mut targets.entries;
    let undated = entries.iter().filter(|it| it.time_s.is_none());
    let problems: Vec<String> = undated
        .map(|it| {
            format!(
                "{}: no startedDateTime; expected a date such as 2026-03-01T12:00:00.5Z",
                it.source
            )
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    entries.sort_by(|one, other| {
        one.time_s
            .partial_cmp(&other.time_s)
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(Recording::Requests(targets))
}

fn rows(text: &str) -> Result<Recording, Vec<String>> {
    let table = Table::parse(text.as_bytes()).map_err(|problem| vec![problem])?;
    let Table { columns, rows } = table;
    let Some(column) = columns.iter().position(|name| name == COLUMN) else {
        let found = columns.join(", ");
        return Err(vec![format!(
            "no column {COLUMN} among {found}; expected one with {EXPECTED}"
        )]);
    };
    let (mut timed, mut problems) = (Vec::new(), Vec::new());
    for (number, row) in rows.into_iter().enumerate() {
        match instant::seconds(&row[column]) {
            Some(time_s) => timed.push((time_s, row)),
            None => problems.push(format!(
                "row {}: {COLUMN} is {:?}; expected {EXPECTED}",
                number + 1,
                row[column]
            )),
        }
    }
    if !problems.is_empty() {
        problems.truncate(MOST_PROBLEMS);
        return Err(problems);
    }
    timed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let (times_s, rows) = timed.into_iter().unzip();
    Ok(Recording::Rows(Table { columns, rows }, times_s))
}

/// The most problems that are reported; the others probably have the same cause.
const MOST_PROBLEMS: usize = 5;

/// The times from the first one on, in microseconds, `speed` times as fast.
pub fn times_us(times_s: &[f64], speed: f64) -> Vec<f64> {
    let first_s = times_s.first().copied().unwrap_or_default();
    times_s
        .iter()
        .map(|it| (it - first_s) / speed * 1e6)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_their_times() {
        let csv = "time,id\n2026-03-01T12:00:01Z,b\n2026-03-01T12:00:00.5Z,a\n";
        let Ok(Recording::Rows(table, times_s)) = rows(csv) else {
            panic!("it is a table");
        };
        assert_eq!(
            table.rows,
            [
                ["2026-03-01T12:00:00.5Z", "a"],
                ["2026-03-01T12:00:01Z", "b"]
            ]
        );
        assert_eq!(times_us(&times_s, 2.0), [0.0, 250_000.0]);
    }

    #[test]
    fn requests_are_in_the_order_of_their_times() {
        let entry = |time: &str, path: &str| {
            format!(
                "{{\"startedDateTime\": \"{time}\", \"request\": {{\"method\": \"GET\", \"url\": \"http://a{path}\"}}}}"
            )
        };
        let har =
            |entries: &[String]| format!("{{\"log\": {{\"entries\": [{}]}}}}", entries.join(","));
        let (late, early) = ("2026-03-01T12:00:01Z", "2026-03-01T13:00:00+01:00");
        let Ok(Recording::Requests(targets)) =
            requests(&har(&[entry(late, "/b"), entry(early, "/a")]))
        else {
            panic!("it is a HAR file");
        };
        let urls: Vec<&str> = targets.entries.iter().map(|it| it.url.as_str()).collect();
        assert_eq!(urls, ["http://a/a", "http://a/b"]);
        let problems = requests(&har(&[entry("today", "/")])).err().unwrap();
        assert!(problems[0].starts_with("log.entries[0].request: no startedDateTime"));
    }

    #[test]
    fn rows_without_times_are_reported() {
        for (csv, expected) in [
            ("at,id\n1,2\n", "no column time among at, id"),
            ("time\n1\nsoon\n", "row 2: time is \"soon\""),
        ] {
            let problems = rows(csv).err().unwrap();
            assert!(problems[0].starts_with(expected), "{problems:?}");
        }
    }
}
