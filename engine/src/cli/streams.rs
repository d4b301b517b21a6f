//! The options of streamed answers.

use clap::Args;
use serde_json::{Value, json};

use crate::duration::seconds;

#[derive(Args, Debug, Default, PartialEq)]
pub struct StreamOptions {
    /// Answers are streams: count and time their items
    ///
    /// messages (grpc, ws), or events, lines or chunks (http).
    #[arg(long, value_name = "KIND")]
    items: Option<String>,

    /// Items count only with a value at this JSON pointer
    ///
    /// Such as /choices/0/delta/content: events, lines or messages without it, or with an empty
    /// text, are no items.
    #[arg(long, value_name = "POINTER")]
    pointer: Option<String>,

    /// Longer gaps between items are stalls [default: 1s]
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    stall: Option<f64>,

    /// grpc: send the body this many times, as a stream
    #[arg(long, value_name = "COUNT")]
    send: Option<u32>,

    /// With --send: send each message after the answer to the last one
    #[arg(long, requires = "send")]
    in_turn: bool,

    /// Cancel the answer after this many items
    #[arg(long, value_name = "COUNT")]
    until_items: Option<u32>,

    /// Cancel the answer after this time
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    until: Option<f64>,
}

impl StreamOptions {
    /// The stream as in a job; null without these options.
    pub fn json(&self) -> Value {
        if *self == Self::default() {
            return Value::Null;
        }
        let milliseconds = |seconds: f64| (seconds * 1e3).ceil() as u64;
        json!({
            "items": self.items,
            "send": self.send,
            "in_turn": self.in_turn,
            "until_items": self.until_items,
            "until_ms": self.until.map(milliseconds),
            "pointer": self.pointer,
            "stall_ms": self.stall.map(milliseconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_option_of_streams_selects_a_stream() {
        assert_eq!(StreamOptions::default().json(), Value::Null);
        let options = StreamOptions {
            until: Some(0.25),
            ..StreamOptions::default()
        };
        assert_eq!(options.json()["until_ms"], 250);
    }
}
