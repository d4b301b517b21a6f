//! An engine that is driven by commands.

use serde_json::{Value, json};

use super::{Finished, Running, start, target};

pub struct Driver(pub Running);

impl Driver {
    /// Starts a job that is driven by commands, and waits until its connections stand.
    pub fn start(job: Value) -> Self {
        let mut job = job;
        job.as_object_mut().unwrap().remove("stop");
        job.as_object_mut().unwrap().remove("warm_up");
        job["control"] = json!(true);
        let mut running = start(job);
        running.await_event("connected");
        Self(running)
    }

    pub fn say(&mut self, command: &Value) {
        self.0.say(&format!("{command}\n"));
    }

    pub fn warm_up(&mut self, target: usize, transactions: u64) -> Value {
        self.say(&json!({ "command": "warm_up", "target": target, "transactions": transactions }));
        self.0.await_event("warm")
    }

    /// Has slices carried out and gives their rows.
    pub fn slices(&mut self, slices: &[Value]) -> Vec<Value> {
        self.say(&json!({ "command": "slices", "slices": slices }));
        self.rows()
    }

    /// The rows up to the end of a command.
    pub fn rows(&mut self) -> Vec<Value> {
        let mut rows = Vec::new();
        while let Some(event) = self.0.next_event() {
            match event["event"].as_str() {
                Some("slice") => rows.push(event),
                Some("idle") => return rows,
                _ => {}
            }
        }
        panic!("it ended");
    }

    pub fn finish(mut self) -> Finished {
        self.say(&json!({ "command": "finish" }));
        self.0.finish()
    }
}

/// A slice that is stopped by count.
pub fn slice(target: usize, transactions: u64) -> Value {
    json!({ "target": target, "stop": { "transactions": transactions } })
}

/// A job whose targets are those of flat jobs, each with a name.
pub fn several(jobs: &[(&str, Value)]) -> Value {
    let targets: Vec<Value> = jobs.iter().map(|(name, job)| target(name, job)).collect();
    json!({ "format": "wirelab-job/2", "targets": targets })
}

/// The same of two.
pub fn both(first: &Value, second: &Value) -> Value {
    several(&[("first", first.clone()), ("second", second.clone())])
}
