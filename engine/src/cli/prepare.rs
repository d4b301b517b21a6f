//! Replaces placeholders by values, in all requests before the run, so that only captured values
//! are inserted during it.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::prepared::Prepared;
use super::table::{MOST_ROWS, Table};
use super::template::{Form, Template, Values};
use crate::capture::{Capture, Holes};
use crate::job::{Request, Transaction};
use crate::random::Random;

/// The default number of requests with endless placeholders.
const USUAL_ROUNDS: usize = 10_000;
/// The limit of paths, headers and bodies together, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// A request with placeholders.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// Its name in results.
    pub operation: String,
    pub method: String,
    pub path: Template,
    pub headers: Vec<(String, Template)>,
    pub body: Body,
    /// The values that clients capture from every answer.
    pub captures: Vec<Capture>,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub enum Body {
    Bytes(Vec<u8>),
    Text(Template),
}

/// How many requests are prepared, and from which seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// The number of rows given by --prepare.
    pub rounds: Option<u32>,
    /// The limit of transactions of the run.
    pub transactions: Option<u64>,
    /// The seed of random values.
    pub seed: u64,
    /// Whether rows have times, and perhaps nothing else.
    pub is_timed: bool,
}

/// A seed that differs in each run.
pub fn any_seed() -> u64 {
    RandomState::new().hash_one(0)
}

impl Blueprint {
    /// All its texts.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let body = match &self.body {
            Body::Bytes(_) => None,
            Body::Text(template) => Some(template),
        };
        let headers = self.headers.iter().map(|(_, value)| value);
        std::iter::once(&self.path).chain(headers).chain(body)
    }

    /// Whether it has no placeholders.
    pub fn is_constant(&self) -> bool {
        self.templates().all(Template::is_constant)
    }

    fn request(&self, values: &mut Values) -> Request {
        let mut holes = Holes::default();
        let mut headers = Vec::with_capacity(self.headers.len());
        for (number, (name, value)) in self.headers.iter().enumerate() {
            let (text, found) = value.expand(values, Form::Plain);
            headers.push((name.clone(), text));
            if !found.is_empty() {
                holes.headers.push((number, found));
            }
        }
        let body = match &self.body {
            Body::Bytes(bytes) => bytes.clone(),
            Body::Text(template) => {
                let (text, found) = template.expand(values, Form::Plain);
                holes.body = found;
                text.into_bytes()
            }
        };
        let (path, found) = self.path.expand(values, Form::Address);
        holes.path = found;
        Request {
            method: self.method.clone(),
            path,
            headers,
            binary: std::str::from_utf8(&body).is_err(),
            body,
            captures: Arc::from(self.captures.as_slice()),
            holes,
            ..Request::default()
        }
    }
}

/// Prepares the requests of all blueprints, of which there is at least one. The error is the
/// problem.
pub fn prepare(
    blueprints: &[Blueprint],
    table: Option<&Table>,
    extent: Extent,
) -> Result<Prepared, String> {
    let rounds = rounds(blueprints, table, extent)?;
    let mut random = Random::new(extent.seed);
    let mut prepared = Prepared::default();
    let rows = table.map_or(&[][..], |table| &table.rows);
    let mut constant: Vec<Option<u32>> = vec![None; blueprints.len()];
    let (mut number, mut bytes) = (0, 0);
    for round in 0..rounds {
        let index = if rows.is_empty() {
            round
        } else {
            round % rows.len()
        };
        for (blueprint, known) in blueprints.iter().zip(&mut constant) {
            let request = match *known {
                Some(request) => request,
                None => {
                    number += 1;
                    let mut values = Values {
                        number,
                        row: rows.get(index).map_or(&[], Vec::as_slice),
                        uuid: uuid(&mut random),
                        random: Random::new(random.next()),
                    };
                    let request = blueprint.request(&mut values);
                    bytes += request.path.len() + request.body.len();
                    bytes += request.headers.iter().map(|it| it.1.len()).sum::<usize>();
                    if bytes > MOST_BYTES {
                        return Err(too_much(number));
                    }
                    prepared.requests.push(request);
                    let request = prepared.requests.len() as u32 - 1;
                    *known = blueprint.is_constant().then_some(request);
                    request
                }
            };
            prepared.transactions.push(Transaction {
                operation: blueprint.operation.clone(),
                parameter_set: index as u32,
                rounds: vec![vec![request]],
            });
        }
    }
    Ok(prepared)
}

fn too_much(number: u64) -> String {
    format!(
        "the first {number} prepared requests exceed {} MiB; expected fewer (--prepare) \
         or smaller ones",
        MOST_BYTES >> 20
    )
}

/// The number of rows of values, each of which is used by all blueprints.
fn rounds(
    blueprints: &[Blueprint],
    table: Option<&Table>,
    extent: Extent,
) -> Result<usize, String> {
    let mut templates = blueprints.iter().flat_map(Blueprint::templates);
    let is_endless = templates.any(Template::is_endless);
    if blueprints.iter().all(Blueprint::is_constant) {
        if let (Some(table), false) = (table, extent.is_timed) {
            let columns = table.columns.join(", ");
            return Err(format!(
                "--csv: no column is used; expected {{column}} in the address, a header or the \
                 body, with one of {columns}"
            ));
        }
        if extent.rounds.is_some() {
            return Err("--prepare requires a placeholder such as {seq}".into());
        }
    }
    let rows = table.map_or(1, |table| table.rows.len());
    let usual = if is_endless {
        rows.max(USUAL_ROUNDS / blueprints.len())
    } else {
        rows
    };
    let wanted = extent.rounds.map_or(usual.max(1), |rounds| rounds as usize);
    let needed = extent.transactions.unwrap_or(u64::MAX);
    let needed = needed.div_ceil(blueprints.len() as u64).max(1);
    let rounds = wanted.min(usize::try_from(needed).unwrap_or(usize::MAX));
    if rounds.saturating_mul(blueprints.len()) > MOST_ROWS.max(blueprints.len()) {
        return Err(format!(
            "{rounds} rows of values for {} requests; expected at most {MOST_ROWS} prepared \
             requests: limit the rows with --prepare",
            blueprints.len()
        ));
    }
    Ok(rounds)
}

/// A random UUID (version 4, RFC 9562).
fn uuid(random: &mut Random) -> String {
    let high = random.next() & 0xffff_ffff_ffff_0fff | 0x4000;
    let low = random.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blueprint(path: &str, body: &str, table: Option<&Table>) -> Blueprint {
        Blueprint {
            operation: format!("GET {path}"),
            method: "GET".into(),
            path: Template::parse(path, table).unwrap(),
            headers: vec![("x-n".into(), Template::parse("{seq}", table).unwrap())],
            body: Body::Text(Template::parse(body, table).unwrap()),
            captures: Vec::new(),
        }
    }

    fn table() -> Table {
        Table::parse("id\na\nb\nc\n".as_bytes()).unwrap()
    }

    fn constant(path: &str) -> Blueprint {
        Blueprint {
            headers: Vec::new(),
            ..blueprint(path, "", None)
        }
    }

    #[test]
    fn rows_come_in_turn_and_constant_requests_only_once() {
        let table = table();
        let varied = Blueprint {
            headers: Vec::new(),
            ..blueprint("/{id}", "{id}", Some(&table))
        };
        let blueprints = [varied, constant("/x")];
        let prepared = prepare(&blueprints, Some(&table), Extent::default()).unwrap();
        let paths: Vec<&str> = prepared
            .requests
            .iter()
            .map(|it| it.path.as_str())
            .collect();
        assert_eq!(paths, ["/a", "/x", "/b", "/c"]);
        let order: Vec<(u32, u32)> = prepared
            .transactions
            .iter()
            .map(|it| (it.rounds[0][0], it.parameter_set))
            .collect();
        assert_eq!(order, [(0, 0), (1, 0), (2, 1), (1, 1), (3, 2), (1, 2)]);
        assert_eq!(prepared.requests[2].body, b"b");
    }

    #[test]
    fn endless_values_are_many_but_never_more_than_requests() {
        let table = table();
        let endless = [blueprint("/{id}/{uuid}", "", Some(&table))];
        let count = |extent| prepare(&endless, Some(&table), extent).unwrap().requests;
        assert_eq!(count(Extent::default()).len(), USUAL_ROUNDS);
        let few = count(Extent {
            transactions: Some(7),
            ..Extent::default()
        });
        let numbers: Vec<&str> = few.iter().map(|it| it.headers[0].1.as_str()).collect();
        assert_eq!(numbers, ["1", "2", "3", "4", "5", "6", "7"]);
        assert!(few[3].path.starts_with("/a/"), "the rows come again");
        let rounds = Some(12);
        assert_eq!(
            count(Extent {
                rounds,
                ..Extent::default()
            })
            .len(),
            12
        );
    }

    #[test]
    fn random_values_differ_between_runs_unless_a_seed_is_given() {
        let endless = [blueprint("/{uuid}", "", None)];
        let first = |seed| {
            let extent = Extent {
                seed,
                rounds: Some(2),
                ..Extent::default()
            };
            let prepared = prepare(&endless, None, extent).unwrap();
            assert_ne!(prepared.requests[0].path, prepared.requests[1].path);
            prepared.requests[0].path.clone()
        };
        assert_eq!(first(4), first(4));
        assert_ne!(any_seed(), any_seed());
        let uuid = first(any_seed());
        assert_eq!((uuid.len(), &uuid[15..16]), (37, "4"), "{uuid}");
        assert!("89ab".contains(&uuid[20..21]), "{uuid}");
    }

    #[test]
    fn unused_and_excessive_values_are_reported() {
        let table = table();
        let extent = Extent::default();
        let problem = prepare(&[constant("/")], Some(&table), extent).unwrap_err();
        assert!(problem.contains("no column is used"), "{problem}");
        let rounds = Some(5);
        let problem = prepare(&[constant("/")], None, Extent { rounds, ..extent }).unwrap_err();
        assert!(problem.contains("requires a placeholder"), "{problem}");
        let large = [blueprint("/", &"x".repeat(1 << 20), None)];
        let problem = prepare(&large, None, extent).unwrap_err();
        assert!(problem.contains("exceed 256 MiB"), "{problem}");
        let many = vec![blueprint("/{id}", "", Some(&table)); 40];
        let rounds = Some(90_000);
        let problem = prepare(&many, Some(&table), Extent { rounds, ..extent }).unwrap_err();
        assert!(problem.contains("at most 100000"), "{problem}");
    }
}
