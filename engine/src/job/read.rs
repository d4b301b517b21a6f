//! Reads a job from JSON.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::load::{guard_ns, stop, warm_up};
use super::section::{Problems, Section};
use super::target::{roles, target};
use super::{Agent, Job, PacerKind, Permutations, Target, Task};
use crate::allowance;

const FORMAT: &str = "wirelab-job/2";
const MOST_AGENTS: u64 = 10_000;

/// Reads a job file. The error is the list of all problems, each naming the file.
pub fn load(path: &Path) -> Result<Job, Vec<String>> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| vec![format!("{name}: cannot be read: {error}")])?;
    parse(&text).map_err(|problems| {
        problems
            .into_iter()
            .map(|problem| format!("{name}: {problem}"))
            .collect()
    })
}

/// Reads a job from JSON text. The error is the list of all problems.
pub fn parse(text: &str) -> Result<Job, Vec<String>> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| vec![format!("not JSON: {error}")])?;
    check(&value, |root| {
        root.require("output", root.text("output"), "the folder for the result");
    })
}

/// Reads a job that was built from the command line, which may lack an output folder. The error is
/// the list of all problems.
pub fn from_command_line(value: &Value) -> Result<Job, Vec<String>> {
    check(value, |_| {})
}

fn check(value: &Value, more: impl Fn(&Section)) -> Result<Job, Vec<String>> {
    let problems = Problems::of("the job");
    let job = {
        let root = Section::new(String::new(), Some(value), &problems);
        more(&root);
        job(&root)
    };
    let problems = problems.into_inner();
    match job {
        Some(job) if problems.is_empty() => Ok(job),
        _ => Err(problems),
    }
}

fn job(root: &Section) -> Option<Job> {
    root.require("format", root.choice("format", &[(FORMAT, ())]), FORMAT);
    let seed = root.integer("seed", 0..=u64::MAX).unwrap_or(1);
    let targets: Vec<Option<Target>> = root
        .sections("targets")
        .iter()
        .map(|section| target(section, seed))
        .collect();
    if targets.is_empty() {
        root.problem("targets", "none", "at least one target");
    }
    let roles = roles(&root.section("roles"));
    check_names(root, &targets, &roles);
    let task = task(root, &targets);
    let cpus = root.items("cpus", "the number of a CPU", |value| {
        value
            .as_u64()
            .filter(|&cpu| cpu < 1024)
            .map(|cpu| cpu as usize)
    });
    let real_time = root.flag("real_time", false);
    if real_time && cpus.is_empty() {
        root.problem(
            "real_time",
            "true without cpus",
            "cpus that no other program uses",
        );
    }
    let agent = agent(&root.section("agent"), &targets);
    let samples = root.flag("samples", true);
    let output = root.text("output").map(Into::into);
    let mut targets: Vec<Target> = targets.into_iter().collect::<Option<_>>()?;
    let streams = targets.iter().map(|it| it.connections.streams()).sum();
    for Target { connections, .. } in &mut targets {
        connections.kept_bytes = allowance::share(streams, connections.streams_per_connection);
    }
    let targets: Vec<Arc<Target>> = targets.into_iter().map(Arc::new).collect();
    // The kernel throttles real-time threads that never sleep.
    let spins = targets.iter().any(|target| target.spins);
    Some(Job {
        task: task?,
        targets,
        roles,
        cpus,
        real_time: real_time && !spins,
        output,
        samples,
        seed,
        agent,
    })
}

/// Reads which of several engines this one is. Each must have at least one connection and one
/// client.
fn agent(section: &Section, targets: &[Option<Target>]) -> Agent {
    if section.is_absent() {
        return Agent::ALONE;
    }
    let of = section.integer("of", 1..=MOST_AGENTS);
    let of = section.require("of", of, "the number of engines that share the load");
    let of = of.unwrap_or(1);
    for target in targets.iter().flatten() {
        let connections = u64::from(target.connections.count);
        let clients = match target.pacer {
            PacerKind::Closed { clients, .. } => u64::from(clients),
            _ => connections,
        };
        if connections.min(clients) < of {
            let expected = format!(
                "at most the number of connections and of clients of {}",
                target.name
            );
            section.problem("of", of, expected);
        }
    }
    let number = section.integer("number", 0..=of - 1);
    let number = section.require("number", number, "the number of this engine, from 0");
    Agent {
        number: number.unwrap_or(0) as usize,
        of: of as usize,
    }
}

/// Checks that the names of targets, and of roles that are counted together, are unique.
fn check_names(root: &Section, targets: &[Option<Target>], roles: &[super::Role]) {
    for (index, target) in targets.iter().enumerate() {
        let Some(target) = target else { continue };
        let has_name = |other: &&Target| other.name == target.name;
        if targets[..index].iter().flatten().any(|it| has_name(&it)) {
            let key = format!("targets[{index}].name");
            let found = format!("{:?}, which is another target's name", target.name);
            root.problem(&key, found, "a unique name");
        }
        for role in &target.roles {
            if roles.iter().any(|other| other.name == role.name) {
                let key = format!("targets[{index}].roles.{}", role.name);
                root.problem(&key, "also a role of the job", "a unique name");
            }
        }
    }
}

/// Reads the task, which is given by exactly one of three keys.
fn task(root: &Section, targets: &[Option<Target>]) -> Option<Task> {
    let pacers: Vec<_> = targets
        .iter()
        .map(|target| target.as_ref().map(|target| &target.pacer))
        .collect();
    let warm_up = warm_up(&root.section("warm_up"));
    let control = root.flag("control", false);
    let ways = [root.gives("stop"), root.gives("slices"), control];
    if ways.iter().filter(|given| **given).count() != 1 {
        let expected = "exactly one of stop, slices and control";
        root.allow_all_keys();
        root.problem("stop", "no task given, or several", expected);
    }
    if control && root.gives("warm_up") {
        let expected = "none with control, which has a command for warm-ups";
        root.problem("warm_up", "given", expected);
    }
    if root.gives("slices") {
        let permutations = permutations(&root.section("slices"), &pacers)?;
        return Some(Task::Slices {
            warm_up,
            permutations,
        });
    }
    if root.gives("stop") {
        let stop = stop(&root.section("stop"), &pacers);
        return Some(Task::Windows { warm_up, stop });
    }
    control.then_some(Task::Commands)
}

fn permutations(section: &Section, pacers: &[Option<&PacerKind>]) -> Option<Permutations> {
    let known = pacers.len();
    let expected = format!("a list, not empty, of indices into the {known} targets");
    let orders = section.items("permutations", &expected, |value| {
        let index = |value: &Value| value.as_u64().filter(|&index| index < known as u64);
        let order: Option<Vec<usize>> = value
            .as_array()?
            .iter()
            .map(|value| index(value).map(|index| index as usize))
            .collect();
        order.filter(|order| !order.is_empty())
    });
    if orders.is_empty() {
        section.problem("permutations", "none", "at least one permutation");
    }
    Some(Permutations {
        orders,
        stop: stop(&section.section("stop"), pacers),
        guard_ns: guard_ns(section, pacers),
    })
}
