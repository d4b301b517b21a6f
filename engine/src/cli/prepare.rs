//! Requests with placeholders become requests with values: all of them before the run, so that
//! nothing is put together while it lasts, but what clients take from their answers.

use std::hash::{BuildHasher, RandomState};

use std::sync::Arc;

use super::table::{MOST_ROWS, Table};
use super::template::{Form, Template, Values};
use crate::capture::{Capture, Captured, Holes};
use crate::job::{Request, Target, Transaction, flaw};
use crate::proto::Method;
use crate::random::Random;

/// As many are made of placeholders that have no end, unless somebody says how many.
const USUAL_ROUNDS: usize = 10_000;
/// Of paths, headers and bodies together.
const MOST_BYTES: usize = 256 << 20;

/// A request before its placeholders have values.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// What people call it in results.
    pub operation: String,
    pub method: String,
    pub path: Template,
    pub headers: Vec<(String, Template)>,
    pub body: Body,
    /// What clients take from every answer.
    pub captures: Vec<Capture>,
}

#[derive(Clone, Debug)]
pub enum Body {
    Bytes(Vec<u8>),
    Text(Template),
}

/// How many requests are made of placeholders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Said by somebody.
    pub rounds: Option<u32>,
    /// More transactions than that there will not be.
    pub transactions: Option<u64>,
    /// Of random values.
    pub seed: u64,
}

/// Another one in each run.
pub fn any_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// The requests of a run. A round has one transaction of every blueprint, with one row of values.
#[derive(Debug)]
pub struct Prepared {
    requests: Vec<Request>,
    transactions: Vec<Transaction>,
    captured: Option<Captured>,
}

impl Blueprint {
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let body = match &self.body {
            Body::Bytes(_) => None,
            Body::Text(template) => Some(template),
        };
        let headers = self.headers.iter().map(|(_, value)| value);
        std::iter::once(&self.path).chain(headers).chain(body)
    }

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

/// Makes the requests of all blueprints, of which there is at least one.
pub fn prepare(
    blueprints: &[Blueprint],
    table: Option<&Table>,
    extent: Extent,
) -> Result<Prepared, String> {
    let rounds = rounds(blueprints, table, extent)?;
    let mut random = Random::new(extent.seed);
    let mut prepared = Prepared {
        requests: Vec::new(),
        transactions: Vec::new(),
        captured: None,
    };
    let rows = table.map_or(&[][..], |table| &table.rows);
    let mut constant: Vec<Option<u32>> = vec![None; blueprints.len()];
    let (mut number, mut bytes) = (0, 0);
    for round in 0..rounds {
        let place = if rows.is_empty() {
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
                        row: rows.get(place).map_or(&[], Vec::as_slice),
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
                parameter_set: place as u32,
                rounds: vec![vec![request]],
            });
        }
    }
    Ok(prepared)
}

fn is_json(body: &[u8]) -> bool {
    let begins = body.trim_ascii_start().first();
    begins.is_some_and(|byte| b"{[".contains(byte))
        && serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

fn too_much(number: u64) -> String {
    format!(
        "the first {number} prepared requests have more than {} MiB; expected fewer (--prepare), \
         or smaller ones",
        MOST_BYTES >> 20
    )
}

/// How many times all blueprints are gone through with other values.
fn rounds(
    blueprints: &[Blueprint],
    table: Option<&Table>,
    extent: Extent,
) -> Result<usize, String> {
    let mut templates = blueprints.iter().flat_map(Blueprint::templates);
    let is_endless = templates.any(Template::is_endless);
    if blueprints.iter().all(Blueprint::is_constant) {
        if let Some(table) = table {
            let columns = table.columns.join(", ");
            return Err(format!(
                "--csv: no column is used; expected {{column}} in the address, a header or the \
                 body, with one of {columns}"
            ));
        }
        if extent.rounds.is_some() {
            return Err("--prepare: nothing varies; expected a placeholder such as {seq}".into());
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
             requests: say how many rows to take with --prepare",
            blueprints.len()
        ));
    }
    Ok(rounds)
}

/// Of version 4 (RFC 9562).
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

impl Prepared {
    /// Has clients take values from their answers. Each begins with one round of the requests of
    /// `openings`, if there are any, as one transaction.
    pub fn capture(&mut self, values: usize, chain: usize, openings: Option<(Self, usize)>) {
        let offset = self.requests.len() as u32;
        let mut count = 0;
        if let Some((first, length)) = openings {
            self.requests.extend(first.requests);
            for round in first.transactions.chunks(length) {
                let rounds = round.iter().flat_map(|it| &it.rounds);
                let moved = |round: &Vec<u32>| round.iter().map(|it| it + offset).collect();
                self.transactions.push(Transaction {
                    rounds: rounds.map(moved).collect(),
                    ..round[0].clone()
                });
                count += 1;
            }
        }
        self.captured = Some(Captured {
            values,
            chain,
            openings: count,
        });
    }

    /// The first one, which says what all of them are like.
    pub fn first(&self) -> &Request {
        &self.requests[0]
    }

    /// Whether bodies are objects or lists in JSON, as far as the first one tells.
    pub fn is_json(&self) -> bool {
        is_json(&self.first().body)
    }

    /// Gives requests whose body is JSON the header that says so, unless they have one.
    pub fn announce_json(&mut self) {
        for request in &mut self.requests {
            let has_type = |it: &(String, _)| it.0.eq_ignore_ascii_case("content-type");
            if is_json(&request.body) && !request.headers.iter().any(has_type) {
                let json = ("content-type".into(), "application/json".into());
                request.headers.push(json);
            }
        }
    }

    pub fn first_operation(&self) -> &str {
        &self.transactions[0].operation
    }

    /// Turns bodies in JSON into the messages that a method takes.
    pub fn encode(&mut self, method: &Method) -> Result<(), Vec<String>> {
        let varies = self.requests.len() > 1;
        let mut problems = Vec::new();
        for (number, request) in self.requests.iter_mut().enumerate() {
            match method.encode(&request.body) {
                Ok(message) => request.body = message,
                Err(problem) if varies => {
                    let row = number + 1;
                    problems.push(format!("--data with row {row} of values: {problem}"));
                }
                Err(problem) => problems.push(format!("--data: {problem}")),
            }
            if problems.len() == MOST_PROBLEMS {
                break;
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    /// Puts the requests into a target that was made of the first one. The errors are about those
    /// that cannot be sent.
    pub fn put_into(self, target: &mut Target) -> Result<(), Vec<String>> {
        let transport = target.endpoint.transport;
        let Some(model) = target.requests.first().cloned() else {
            return Ok(());
        };
        let mut problems = Vec::new();
        for (index, request) in self.requests.iter().enumerate() {
            let Some(problem) = flaw(request, transport) else {
                continue;
            };
            let uses = |it: &&Transaction| it.rounds.iter().flatten().any(|&it| it == index as u32);
            let of = self.transactions.iter().find(uses);
            let (operation, row) =
                of.map_or(("", 0), |it| (it.operation.as_str(), it.parameter_set));
            let row = row + 1;
            problems.push(format!("{operation} with row {row} of values: {problem}"));
            if problems.len() == MOST_PROBLEMS {
                break;
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let like_the_model = |request: Request| Request {
            stream: model.stream.clone(),
            deadline_ms: model.deadline_ms,
            expect: model.expect.clone(),
            ..request
        };
        target.requests = self.requests.into_iter().map(like_the_model).collect();
        target.transactions = self.transactions;
        target.captured = self.captured;
        Ok(())
    }
}

/// Of all rows together; the others are probably wrong for the same reason.
const MOST_PROBLEMS: usize = 5;

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
    fn values_without_end_are_many_but_never_more_than_are_asked_for() {
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
    fn random_values_are_others_in_each_run_unless_a_seed_is_given() {
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
    fn what_is_of_no_use_or_too_much_is_told() {
        let table = table();
        let extent = Extent::default();
        let problem = prepare(&[constant("/")], Some(&table), extent).unwrap_err();
        assert!(problem.contains("no column is used"), "{problem}");
        let rounds = Some(5);
        let problem = prepare(&[constant("/")], None, Extent { rounds, ..extent }).unwrap_err();
        assert!(problem.contains("nothing varies"), "{problem}");
        let large = [blueprint("/", &"x".repeat(1 << 20), None)];
        let problem = prepare(&large, None, extent).unwrap_err();
        assert!(problem.contains("more than 256 MiB"), "{problem}");
        let many = vec![blueprint("/{id}", "", Some(&table)); 40];
        let rounds = Some(90_000);
        let problem = prepare(&many, Some(&table), Extent { rounds, ..extent }).unwrap_err();
        assert!(problem.contains("at most 100000"), "{problem}");
    }
}
