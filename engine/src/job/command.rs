//! Commands to a running engine, a line of JSON each.

use std::sync::Arc;

use serde_json::Value;

use super::load::{guard_ns, stop, warm_up};
use super::section::{Problems, Section};
use super::section::{RATES_PER_S, YEAR_S};
use super::{PacerKind, Slice, Target, WarmUp};
use crate::objective::Objective;

/// The longest time that a search for capacity takes by default, in seconds.
pub const SEARCH_S: f64 = 300.0;

/// A command to the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    WarmUp {
        /// Index into the targets.
        target: usize,
        warm_up: WarmUp,
    },
    Slices(Vec<Slice>),
    /// Search for the highest rate that keeps an objective.
    Capacity(SearchCommand),
    Finish,
}

/// The command to search for the capacity of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCommand {
    /// Index into the targets.
    pub target: usize,
    pub objective: Objective,
    /// The longest time of the search.
    pub seconds: f64,
    pub trial_s: Option<f64>,
    pub max_rate_per_s: Option<f64>,
    pub seed: u64,
}

#[derive(Clone, Copy)]
enum Word {
    WarmUp,
    Slices,
    Capacity,
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
        ("capacity", Word::Capacity),
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
        Word::Capacity => Command::Capacity(ask(root, targets)?),
        Word::Finish => Command::Finish,
    })
}

fn slice(section: &Section, targets: &[Arc<Target>], recorded: bool) -> Option<Slice> {
    let target = target(section, targets);
    let usual: Option<&PacerKind> = target.map(|target| &targets[target].pacer);
    let other = pacer(section, usual);
    let pacer = other.as_ref().or(usual);
    let slice = |target| Slice {
        target,
        first: section.integer("first", 0..=u64::MAX >> 1),
        guard_ns: guard_ns(section, &[pacer]),
        begin_monotonic_ns: section.integer("begin_monotonic_ns", 0..=u64::MAX >> 1),
        stop: stop(&section.section("stop"), &[pacer]),
        seed: section.integer("seed", 0..=u64::MAX),
        pacer: other.clone(),
        objective: objective(section),
        recorded,
    };
    // Reports all problems even if the target is unknown.
    let read = slice(target.unwrap_or(0));
    target.map(|_| read)
}

fn ask(root: &Section, targets: &[Arc<Target>]) -> Option<SearchCommand> {
    let target = target(root, targets);
    let found = root.require(
        "objective",
        objective(root),
        "an objective such as p99<50ms",
    );
    let ask = |target, objective| SearchCommand {
        target,
        objective,
        seconds: root.number("seconds", 0.001..=YEAR_S).unwrap_or(SEARCH_S),
        trial_s: root.number("trial_seconds", 0.05..=3_600.0),
        max_rate_per_s: root.number("max_rate_per_s", RATES_PER_S),
        seed: root.integer("seed", 0..=u64::MAX).unwrap_or(1),
    };
    // Reports all problems, even if one of these is missing.
    let read = ask(target.unwrap_or(0), found.clone().unwrap_or_default());
    target.and(found).map(|_| read)
}

/// The load of the slice, if it differs from the target's: a number of clients, or a rate.
fn pacer(section: &Section, usual: Option<&PacerKind>) -> Option<PacerKind> {
    let clients = section.integer("clients", 1..=1_000_000);
    let rate_per_s = section.number("rate_per_s", RATES_PER_S);
    if clients.is_some() && rate_per_s.is_some() {
        section.problem("rate_per_s", "given with clients", "only one of them");
    }
    if let Some(clients) = clients {
        return Some(PacerKind::Closed {
            clients: clients as u32,
            think_time_us: 0,
        });
    }
    let rate_per_s = rate_per_s?;
    Some(match usual {
        Some(&PacerKind::Poisson { seed, .. }) => PacerKind::Poisson { rate_per_s, seed },
        _ => PacerKind::Constant { rate_per_s },
    })
}

fn objective(section: &Section) -> Option<Objective> {
    let written = section.text("objective")?;
    let report = |wrong: String| {
        let expected = wrong.trim_start_matches("expected ");
        section.problem("objective", written, expected);
    };
    Objective::parse(written).map_err(report).ok()
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
            {"target": 0, "first": 17, "guard_us": 5000, "begin_monotonic_ns": 77, "stop": {"seconds": 0.05}, "seed": 3},
            {"target": 1, "stop": {}}]}"#;
        let first = Slice {
            target: 0,
            first: Some(17),
            guard_ns: 5_000_000,
            begin_monotonic_ns: Some(77),
            stop: StopRule {
                seconds: Some(0.05),
                ..StopRule::default()
            },
            seed: Some(3),
            pacer: None,
            objective: None,
            recorded: false,
        };
        let second = Slice {
            target: 1,
            first: None,
            guard_ns: 0,
            begin_monotonic_ns: None,
            stop: StopRule::default(),
            seed: None,
            pacer: None,
            objective: None,
            recorded: false,
        };
        let expected = Command::Slices(vec![first, second]);
        assert_eq!(parse(text, &targets()), Ok(expected));
    }

    #[test]
    fn a_slice_may_have_a_load_of_its_own() {
        let text = r#"{"command": "slices", "slices": [
            {"target": 0, "rate_per_s": 250, "objective": "p99<50ms", "stop": {"seconds": 1}},
            {"target": 1, "clients": 8, "guard_us": 5, "stop": {"transactions_per_client": 9}}]}"#;
        let Ok(Command::Slices(slices)) = parse(text, &targets()) else {
            panic!("{:?}", parse(text, &targets()));
        };
        let rate = PacerKind::Constant { rate_per_s: 250.0 };
        assert_eq!(slices[0].pacer, Some(rate));
        let objective = slices[0].objective.clone().unwrap();
        assert_eq!(objective.longest_ns(), 50_000_000);
        let clients = PacerKind::Closed {
            clients: 8,
            think_time_us: 0,
        };
        assert_eq!(slices[1].pacer, Some(clients));
    }

    #[test]
    fn an_objective_starts_a_search() {
        let text = r#"{"command": "capacity", "target": 1, "objective": "p99<5ms", "seconds": 20,
            "trial_seconds": 0.5, "max_rate_per_s": 900}"#;
        let Ok(Command::Capacity(ask)) = parse(text, &targets()) else {
            panic!("{:?}", parse(text, &targets()));
        };
        assert_eq!((ask.target, ask.seconds, ask.seed), (1, 20.0, 1));
        assert_eq!((ask.trial_s, ask.max_rate_per_s), (Some(0.5), Some(900.0)));
        assert_eq!(ask.objective.allowed(), 0.01);
        let nothing = r#"{"command": "capacity", "target": 0, "trial_seconds": 0}"#;
        let problems = parse(nothing, &targets()).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
    }

    #[test]
    fn all_mistakes_are_reported() {
        for (text, message) in [
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
                &["target: 2; expected an integer"],
            ),
            (r#"{"command": "slices"}"#, &["slices: none"]),
            (
                r#"{"command": "slices", "slices": [{"target": 0}, {"target": 1, "stop": {},
                    "guard_us": 1}]}"#,
                &[
                    "slices[0].stop: has no condition",
                    "slices[1].guard_us: 1; expected 0",
                ],
            ),
            (
                r#"{"command": "slices", "slices": [{"target": 0, "stop": {"seconds": 1},
                    "rate_per_s": 0, "objective": "p99"}]}"#,
                &[
                    "slices[0].rate_per_s: 0; expected",
                    "slices[0].objective: p99; expected conditions",
                ],
            ),
            (
                r#"{"command": "slices", "slices": [{"target": 0, "stop": {"seconds": 1},
                    "rate_per_s": 9, "clients": 2}]}"#,
                &["slices[0].rate_per_s: given with clients; expected only one of them"],
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
            for message in message {
                let is_reported = problems.iter().any(|it| it.starts_with(message));
                assert!(is_reported, "{text}: {problems:?}");
            }
        }
    }
}
