//! Reads what each client sends once to open its session.

use std::sync::Arc;

use super::requests::request;
use super::section::Section;
use super::{Target, Transaction, TransportKind};
use crate::capture::{Capture, Captured, Hole};

/// The operation of the transaction that opens a session.
const OPERATION: &str = "session";

/// Adds the session of each client to its target: a login, whose first answer has the id that all
/// later requests carry in the same header. With `closing`, each transaction has its own instead.
pub fn add(section: &Section, target: &mut Target) {
    if section.is_absent() {
        return;
    }
    let transport = target.endpoint.transport;
    let is_http = matches!(
        transport,
        TransportKind::Http1 | TransportKind::Http2 | TransportKind::Http3
    );
    if !is_http || target.endpoint.rpc.is_some() {
        section.wrong("given", "none, except over HTTP without rpc");
    }
    let header = section.text("header").unwrap_or("");
    let capture = Capture::parse(&format!("session?=header:{header}"));
    if capture.is_err() {
        section.problem("header", format!("{header:?}"), "the name of a header");
    }
    let sections = section.sections("requests");
    let opening: Option<Vec<_>> = sections
        .iter()
        .map(|section| request(section, Some(transport)))
        .collect();
    if sections.is_empty() {
        section.problem("requests", "none", "at least one request");
    }
    let closing = section.section("closing");
    let is_kept = closing.is_absent();
    let closing = (!is_kept).then(|| request(&closing, Some(transport)));
    let (Ok(capture), Some(opening)) = (capture, opening) else {
        return;
    };
    let first = target.requests.len() as u32;
    target.requests.extend(opening);
    let last = target.requests.len() as u32;
    target.requests.extend(closing.flatten());
    for (index, request) in target.requests.iter_mut().enumerate() {
        if index == first as usize {
            request.captures = Arc::from([capture.clone()]);
        } else {
            let hole = Hole { at: 0, value: 0 };
            let number = request.headers.len();
            request.headers.push((header.into(), String::new()));
            request.holes.headers.push((number, vec![hole]));
        }
    }
    let opening = (first..last).map(|request| vec![request]);
    if is_kept {
        target.transactions.push(Transaction {
            operation: OPERATION.into(),
            parameter_set: 0,
            rounds: opening.collect(),
        });
    } else {
        for transaction in &mut target.transactions {
            transaction.rounds.splice(0..0, opening.clone());
            transaction.rounds.push(vec![last]);
        }
    }
    target.captured = Some(Captured {
        values: 1,
        chain: 1,
        openings: usize::from(is_kept),
        follows: false,
        reopens: if is_kept { first..last } else { 0..0 },
    });
}
