//! The file of the sampled answers, which wirelab decodes and compares after the run.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::worker::Outcome;

/// One line of the file.
#[derive(Serialize)]
struct Line {
    /// Index into the targets of the job.
    target: usize,
    /// Indices into the target's transactions and requests.
    transaction: u32,
    request: u32,
    /// The number among the answers of its worker, from 1.
    number: u64,
    status: u16,
    /// The length of the decoded body, in bytes.
    length: u64,
    /// In base64; absent if it was too long to be sampled.
    body: Option<String>,
}

/// Writes the sampled answers of all targets, a line of JSON each. Only the user may read the file,
/// since answers may be confidential.
pub fn write_answers(outcomes: &mut [Vec<Outcome>], path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = BufWriter::new(options.open(path)?);
    for (target, team) in outcomes.iter_mut().enumerate() {
        for outcome in team {
            outcome.answers.read(|sampled| {
                let line = Line {
                    target,
                    transaction: sampled.transaction,
                    request: sampled.request,
                    number: sampled.number,
                    status: sampled.status,
                    length: sampled.length,
                    body: sampled.body.map(|body| STANDARD.encode(body)),
                };
                serde_json::to_writer(&mut file, &line)?;
                file.write_all(b"\n")
            })?;
        }
    }
    file.flush()
}
