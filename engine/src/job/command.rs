//! Commands to an engine that is at work, as a line of JSON each.

use std::sync::Arc;

use serde_json::Value;

use super::load::{guard_ns, stop, warm_up};
use super::section::{Problems, Section};
use super::{PacerKind, Slice, Target, WarmUp};

/// What the engine is told to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    WarmUp {
        /// Index into the targets.
        target: usize,
        warm_up: WarmUp,
    },
    Slices(Vec<Slice>),
    Finish,
}

#[derive(Clone, Copy)]
enum Word {
    WarmUp,
    Slices,
    Finish,
}

/// Reads a command to an engine with these targets. The error is the list of all problems.
pub fn parse(text: &str, targets: &[Arc<Target>]) -> Result<Command, Vec<String>> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| vec![format!("not JSON: {error}")])?;
    let problems = Problems::of("the command");
    let command = {
        let root = Section::new(String::new(), Some(&value), &problems);
        command(&root, targets)
    };
    let problems = problems.into_inner();
    match command {
        Some(command) if problems.is_empty() => Ok(command),
        _ => Err(problems),
    }
}

fn command(root: &Section, targets: &[Arc<Target>]) -> Option<Command> {
    let words = [
        ("warm_up", Word::WarmUp),
        ("slices", Word::Slices),
        ("finish", Word::Finish),
    ];
    let word = root.choice("command", &words);
    let Some(word) = root.require("command", word, "what to do") else {
        root.allow_all_keys();
        return None;
    };
    Some(match word {
        Word::WarmUp => Command::WarmUp {
            target: target(root, targets)?,
            warm_up: warm_up(root),
        },
        Word::Slices => {
            let recorded = root.flag("recorded", true);
            let slices = root.sections("slices");
            if slices.is_empty() {
                root.problem("slices", "none", "at least one slice");
            }
            let slices = slices.iter().map(|it| slice(it, targets, recorded));
            Command::Slices(slices.collect::<Option<_>>()?)
        }
        Word::Finish => Command::Finish,
    })
}

fn slice(section: &Section, targets: &[Arc<Target>], recorded: bool) -> Option<Slice> {
    let target = target(section, targets);
    let pacer: Option<&PacerKind> = target.map(|target| &targets[target].pacer);
    let slice = |target| Slice {
        target,
        first: section.integer("first", 0..=u64::MAX >> 1),
        guard_ns: guard_ns(section, &[pacer]),
        stop: stop(&section.section("stop"), &[pacer]),
        seed: section.integer("seed", 0..=u64::MAX),
        recorded,
    };
    // What else is wrong with it is told even if its target is not known.
    let read = slice(target.unwrap_or(0));
    target.map(|_| read)
}

fn target(section: &Section, targets: &[Arc<Target>]) -> Option<usize> {
    let target = section.integer("target", 0..=(targets.len() - 1) as u64);
    let expected = "the index of a target";
    let target = section.require("target", target, expected)?;
    Some(target as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{self, StopRule};

    fn targets() -> Vec<Arc<Target>> {
        let target = |name: &str, pacer: &str| {
            format!(
                r#"{{ "name": "{name}", "transport": "http1", "address": "127.0.0.1:80",
                      "pacer": {pacer}, "requests": [{{}}],
                      "transactions": [{{ "operation": "x", "rounds": [[0]] }}] }}"#
            )
        };
        let closed = target("closed", r#"{ "kind": "closed" }"#);
        let replay = target("replay", r#"{ "kind": "replay", "times_us": [0] }"#);
        let text = format!(
            r#"{{ "format": "wirelab-job/2", "targets": [{closed}, {replay}],
                  "control": true, "output": "out" }}"#
        );
        job::parse(&text).unwrap().targets
    }

    #[test]
    fn commands_are_read() {
        let text = r#"{"command": "warm_up", "target": 1, "transactions": 30, "seconds": 0.1}"#;
        let warm_up = WarmUp {
            transactions: 30,
            seconds: 0.1,
        };
        let expected = Command::WarmUp { target: 1, warm_up };
        assert_eq!(parse(text, &targets()), Ok(expected));
        let finish = parse(r#"{"command": "finish"}"#, &targets());
        assert_eq!(finish, Ok(Command::Finish));
        let text = r#"{"command": "slices", "recorded": false, "slices": [
            {"target": 0, "first": 17, "guard_us": 5000, "stop": {"seconds": 0.05}, "seed": 3},
            {"target": 1, "stop": {}}]}"#;
        let first = Slice {
            target: 0,
            first: Some(17),
            guard_ns: 5_000_000,
            stop: StopRule {
                seconds: Some(0.05),
                ..StopRule::default()
            },
            seed: Some(3),
            recorded: false,
        };
        let second = Slice {
            target: 1,
            first: None,
            guard_ns: 0,
            stop: StopRule::default(),
            seed: None,
            recorded: false,
        };
        let expected = Command::Slices(vec![first, second]);
        assert_eq!(parse(text, &targets()), Ok(expected));
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        for (text, told) in [
            ("slices", &["not JSON"][..]),
            (
                "[]",
                &["the command: []; expected an object", "command: missing"],
            ),
            (
                r#"{"command": "go", "more": 1}"#,
                &["command: \"go\"; expected one of warm_up"],
            ),
            (
                r#"{"command": "finish", "now": true}"#,
                &["now: unknown key"],
            ),
            (r#"{"command": "warm_up"}"#, &["target: missing"]),
            (
                r#"{"command": "warm_up", "target": 2}"#,
                &["target: 2; expected a whole number"],
            ),
            (r#"{"command": "slices"}"#, &["slices: none"]),
            (
                r#"{"command": "slices", "slices": [{"target": 0}, {"target": 1, "stop": {},
                    "guard_us": 1}]}"#,
                &[
                    "slices[0].stop: without any condition",
                    "slices[1].guard_us: 1; expected 0",
                ],
            ),
            (
                r#"{"command": "slices", "slices": [{"stop": {"second": 1}}]}"#,
                &[
                    "slices[0].target: missing",
                    "slices[0].stop.second: unknown key",
                ],
            ),
        ] {
            let problems = parse(text, &targets()).unwrap_err();
            for told in told {
                let is_told = problems.iter().any(|it| it.starts_with(told));
                assert!(is_told, "{text}: {problems:?}");
            }
        }
    }
}
