//! Reads the targets of a job.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::endpoint::endpoint;
use super::load::{arrival, connections, spins};
use super::pacer::pacer;
use super::requests::{request, transaction};
use super::section::Section;
use super::session;
use super::{Counted, Order, Role, Target};

/// The largest process id of Linux.
const LAST_PID: u64 = 1 << 22;

/// Reads a target; `seed` is the default for random arrivals and orders.
pub fn target(section: &Section, seed: u64) -> Option<Target> {
    let expected = "a unique name";
    let name = section.require("name", section.text("name"), expected);
    if name.is_some_and(str::is_empty) {
        section.problem("name", "\"\"", expected);
    }
    let endpoint = endpoint(section);
    let transport = endpoint.as_ref().map(|endpoint| endpoint.transport);
    let sources = endpoint.as_ref().map_or(0, |it| it.sources.len());
    let connections = connections(&section.section("connections"), transport, sources);
    let pacer = pacer(&section.section("pacer"), seed);
    let requests: Vec<_> = section
        .sections("requests")
        .iter()
        .map(|section| request(section, transport))
        .collect();
    let is_unary = endpoint
        .as_ref()
        .is_some_and(|it| it.accept_encoding.is_some() || it.rpc.is_some());
    for (index, request) in requests.iter().enumerate() {
        if is_unary && request.as_ref().is_some_and(|it| it.stream.is_some()) {
            let key = format!("requests[{index}].stream");
            let expected = "none with accept_encoding or rpc, which are for unary calls";
            section.problem(&key, "given", expected);
        }
    }
    let transactions: Vec<_> = section
        .sections("transactions")
        .iter()
        .map(|section| transaction(section, requests.len()))
        .collect();
    if transactions.is_empty() {
        section.problem("transactions", "none", "at least one transaction");
    }
    let spins = spins(section);
    let arrival = arrival(section, pacer.as_ref());
    let order = order(&section.section("order"), seed);
    let roles = roles(&section.section("roles"));
    let session = section.section("session");
    let mut target = Target {
        name: name?.into(),
        endpoint: endpoint?,
        connections,
        pacer: pacer?,
        spins,
        arrival,
        order,
        requests: requests.into_iter().collect::<Option<_>>()?,
        transactions: transactions.into_iter().collect::<Option<_>>()?,
        captured: None,
        roles,
    };
    session::add(&session, &mut target);
    Some(target)
}

fn order(section: &Section, seed: u64) -> Order {
    match section.choice("kind", &[("cycle", false), ("shuffle", true)]) {
        Some(true) => Order::Shuffle {
            seed: section.integer("seed", 0..=u64::MAX).unwrap_or(seed),
        },
        _ => Order::Cycle,
    }
}

/// Reads the roles whose CPU time is counted, by their names.
pub fn roles(section: &Section) -> Vec<Role> {
    section
        .named_sections()
        .into_iter()
        .filter_map(|(name, role)| {
            let pid = role.integer("pid", 1..=LAST_PID);
            let cgroup = role.read("cgroup", "a file cpuacct.usage or cpu.stat", counting_file);
            if !role.is_absent() && role.gives("pid") == role.gives("cgroup") {
                role.wrong("neither or both of pid and cgroup", "exactly one of them");
            }
            let tree = pid.map(|pid| Counted::Tree { root: pid as u32 });
            Some(Role {
                name: name.into(),
                counted: tree.or(cgroup)?,
            })
        })
        .collect()
}

/// The file with the CPU time of a control group; its name determines the version.
fn counting_file(value: &Value) -> Option<Counted> {
    let path = Path::new(value.as_str()?);
    match path.file_name()?.to_str()? {
        "cpuacct.usage" => Some(Counted::CgroupNanoseconds(PathBuf::from(path))),
        "cpu.stat" => Some(Counted::CgroupStat(PathBuf::from(path))),
        _ => None,
    }
}
