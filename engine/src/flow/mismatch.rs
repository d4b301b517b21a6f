//! The first few incorrect replies, for the result and its summary.

use crate::expect::{ANY_REPLY, Check};
use crate::failure::{Failure, Fault};
use crate::secrets::Secrets;
use crate::transport::Reply;

use super::clients::Missing;

const MOST: usize = 20;
/// The limit for one kind of failure, which leaves room for others.
const MOST_ALIKE: usize = 16;
/// The longest excerpt, in bytes.
const EXCERPT: usize = 200;

/// An incorrect reply, or another failure.
#[derive(Debug)]
pub struct Mismatch {
    /// Index into the job's transactions.
    pub transaction: u32,
    pub failure: Failure,
    pub reason: &'static str,
    pub status: u16,
    pub expected: String,
    pub got: String,
    pub excerpt: String,
}

/// At most one mismatch per transaction, kind and status.
#[derive(Default)]
pub struct Mismatches(Vec<Mismatch>);

impl Mismatches {
    /// Adds an incorrect reply.
    pub fn add_reply(
        &mut self,
        transaction: u32,
        failure: Failure,
        check: &Check,
        reply: &Reply,
        secrets: impl FnOnce() -> Secrets,
    ) {
        if !self.has_room_for(transaction, failure, reply.status) {
            return;
        }
        let explanation = check.explain(reply, failure);
        let shown = if reply.body.is_empty() {
            &*reply.message
        } else {
            reply.body
        };
        self.0.push(Mismatch {
            transaction,
            failure,
            reason: explanation.reason,
            status: reply.status,
            expected: explanation.expected,
            got: explanation.got,
            excerpt: secrets().excerpt(shown, EXCERPT),
        });
    }

    /// Adds an answer that lacks a value.
    pub fn add_missing(
        &mut self,
        transaction: u32,
        missing: Missing,
        reply: &Reply,
        secrets: impl FnOnce() -> Secrets,
    ) {
        let failure = Failure::MissingValue;
        if !self.has_room_for(transaction, failure, reply.status) {
            return;
        }
        self.0.push(Mismatch {
            transaction,
            failure,
            reason: "a value is missing",
            status: reply.status,
            expected: missing.expected,
            got: missing.got.into(),
            excerpt: without_values(&secrets().excerpt(reply.body, EXCERPT)),
        });
    }

    /// Adds a failure without a reply.
    pub fn add_fault(&mut self, transaction: u32, fault: Fault) {
        if !self.has_room_for(transaction, fault.failure, 0) {
            return;
        }
        self.0.push(Mismatch {
            transaction,
            failure: fault.failure,
            reason: fault.failure.name(),
            status: 0,
            expected: ANY_REPLY.into(),
            got: fault.detail.into(),
            excerpt: String::new(),
        });
    }

    fn has_room_for(&self, transaction: u32, failure: Failure, status: u16) -> bool {
        if self.0.len() == MOST {
            return false;
        }
        let alike = || self.0.iter().filter(|it| it.failure == failure);
        let is_known = |it: &Mismatch| it.transaction == transaction && it.status == status;
        alike().count() < MOST_ALIKE && !alike().any(is_known)
    }

    /// Returns the first one and drops the others.
    pub fn take_first(&mut self) -> Option<Mismatch> {
        self.0.drain(..).next()
    }

    /// All of them.
    pub fn into_inner(self) -> Vec<Mismatch> {
        self.0
    }
}

/// JSON with its names but without its texts: an answer to a login may be full of secrets.
fn without_values(text: &str) -> String {
    if !text.trim_start().starts_with(['{', '[']) {
        return text.into();
    }
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(quote) = rest.find('"') {
        shown.push_str(&rest[..quote]);
        let inside = &rest[quote + 1..];
        let Some(end) = end_of_text(inside) else {
            return shown + "\"…";
        };
        rest = &inside[end + 1..];
        let is_name = rest.trim_start().starts_with(':');
        let kept = if is_name { &inside[..end] } else { "…" };
        shown.push_str(&format!("\"{kept}\""));
    }
    shown + rest
}

/// The position of the quotation mark that ends a JSON text.
fn end_of_text(inside: &str) -> Option<usize> {
    let mut is_escaped = false;
    inside.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_json_only_names_are_shown() {
        for (text, shown) in [
            (
                r#"{"access": "to\"ken", "n": 3}"#,
                r#"{"access": "…", "n": 3}"#,
            ),
            (r#"["a", {"b" : ["c"]}]"#, r#"["…", {"b" : ["…"]}]"#),
            (r#"{"cut": "sec"#, r#"{"cut": "…"#),
            ("<a href=\"x\">", "<a href=\"x\">"),
        ] {
            assert_eq!(without_values(text), shown);
        }
    }
}
