//! The options for what answers must be.

use clap::Args;
use serde_json::{Value, json};

use super::content::data;
use crate::expect::xxh3_64;

#[derive(Args, Debug, PartialEq)]
pub struct ExpectOptions {
    /// Status of every answer [default: any that says success]
    ///
    /// A number such as 204, or of gRPC from 0 to 16; answers with another one fail. It is not for
    /// --first.
    #[arg(long, value_name = "CODE")]
    pub expect_status: Option<u16>,

    /// Body of every answer, or @FILE with it
    ///
    /// Answers with another body fail; encoded ones are decoded before. It is not for --first.
    #[arg(long, value_name = "TEXT")]
    pub expect_body: Option<String>,
}

impl ExpectOptions {
    /// The expectation as in a job; null without these options. The error is the problem.
    pub fn json(&self) -> Result<Value, String> {
        let body = self.expect_body.as_deref();
        let body = body.map(|text| data("--expect-body", text)).transpose()?;
        if self.expect_status.is_none() && body.is_none() {
            return Ok(Value::Null);
        }
        Ok(json!({
            "status": self.expect_status,
            "body_xxh3": body.map(|(_, bytes)| format!("{:016x}", xxh3_64(&bytes))),
        }))
    }
}
