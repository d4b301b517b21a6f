//! The prepared requests of a run, and how they are put into a target of the job.

use crate::capture::Captured;
use crate::job::{Request, Target, Transaction, flaw};
use crate::proto::Method;

/// The most problems that are reported; the others probably have the same cause.
const MOST_PROBLEMS: usize = 5;

/// The requests of a run. A round has one transaction per blueprint, with one row of values.
#[derive(Debug, Default)]
pub struct Prepared {
    pub requests: Vec<Request>,
    pub transactions: Vec<Transaction>,
    /// When they are due, in microseconds from the start; empty: as the load says.
    pub times_us: Vec<f64>,
    /// The first request of logins, if there are any.
    first_login: Option<usize>,
    captured: Option<Captured>,
}

impl Prepared {
    /// Makes clients capture values. Each begins with one round of the requests of `openings`, if
    /// given, as one transaction.
    pub fn capture(
        &mut self,
        values: usize,
        chain: usize,
        openings: Option<(Self, usize)>,
        follows: bool,
    ) {
        let offset = self.requests.len() as u32;
        self.first_login = Some(self.requests.len());
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
            follows,
            reopens: 0..0,
        });
    }

    /// The first request, which represents all of them.
    pub fn first(&self) -> &Request {
        &self.requests[0]
    }

    /// Whether the first body is a JSON object or list.
    pub fn is_json(&self) -> bool {
        is_json(&self.first().body)
    }

    /// Sets the content-type of requests with JSON bodies, unless they have one.
    pub fn announce_json(&mut self) {
        for request in &mut self.requests {
            let has_type = |it: &(String, _)| it.0.eq_ignore_ascii_case("content-type");
            if is_json(&request.body) && !request.headers.iter().any(has_type) {
                let json = ("content-type".into(), "application/json".into());
                request.headers.push(json);
            }
        }
    }

    /// The operation of the first transaction.
    pub fn first_operation(&self) -> &str {
        &self.transactions[0].operation
    }

    /// Encodes JSON bodies as messages of a method. The error is the list of problems.
    pub fn encode(&mut self, method: &Method) -> Result<(), Vec<String>> {
        let varies = self.requests.len() > 1;
        let mut problems = Vec::new();
        for (number, request) in self.requests.iter_mut().enumerate() {
            match method.encode(&request.body) {
                Ok(message) => request.body = message,
                Err(problem) if varies => {
                    let row = number + 1;
                    problems.push(format!("--data, row {row} of values: {problem}"));
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

    /// Puts the requests into a target that has only the first one. The error is the list of those
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
            problems.push(format!("{operation}, row {row} of values: {problem}"));
            if problems.len() == MOST_PROBLEMS {
                break;
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let logins_from = self.first_login.unwrap_or(self.requests.len());
        let like_the_model = |(index, request): (usize, Request)| Request {
            stream: model.stream.clone(),
            deadline_ms: model.deadline_ms,
            expect: match index < logins_from {
                true => model.expect.clone(),
                false => request.expect,
            },
            ..request
        };
        let requests = self.requests.into_iter().enumerate();
        target.requests = requests.map(like_the_model).collect();
        target.transactions = self.transactions;
        target.captured = self.captured;
        Ok(())
    }
}

fn is_json(body: &[u8]) -> bool {
    let begins = body.trim_ascii_start().first();
    begins.is_some_and(|byte| b"{[".contains(byte))
        && serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}
