//! The CPU time of a process and all its descendants.
//!
//! It is the sum of the time of the running processes and of the children that each of them has
//! waited for. A child that ends moves from one to the other, so the sum only grows. The time of a
//! running process is exact, from its CPU clock; that of its children has a resolution of 10 ms.

use std::fs::{read_dir, read_to_string};

use crate::system::process::{cpu_clock_ns, ticks_per_s};

/// The number of attempts: a reading is repeated if a process started or ended during it.
const ATTEMPTS: u32 = 3;

/// Reads it in microseconds; none if the root has ended.
pub fn cpu_us(proc: &str, root: u32) -> Option<f64> {
    let mut found = None;
    for _ in 0..ATTEMPTS {
        let (sum, is_whole) = read(proc, root)?;
        found = Some(sum);
        if is_whole {
            break;
        }
    }
    found
}

/// Reads parents before their children, so that no process that ends meanwhile is counted twice; it
/// is missing then, and the second value is false.
fn read(proc: &str, root: u32) -> Option<(f64, bool)> {
    let mut sum = of_one(proc, root)?;
    let mut is_whole = true;
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for child in children(proc, parent) {
            match of_one(proc, child) {
                Some(used) => sum += used,
                None => is_whole = false,
            }
            parents.push(child);
        }
    }
    Some((sum, is_whole))
}

/// The time of one process and of the children that it has waited for, in microseconds.
fn of_one(proc: &str, pid: u32) -> Option<f64> {
    let text = read_to_string(format!("{proc}/{pid}/stat")).ok()?;
    // The name, in brackets, may contain anything; the fields after it are counted from the state.
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11);
    let mut next = || times.next()?.parse::<u64>().ok();
    let (user, system, inherited_user, inherited_system) = (next()?, next()?, next()?, next()?);
    let us_per_tick = 1e6 / ticks_per_s();
    let in_us = |ticks: u64| ticks as f64 * us_per_tick;
    let own_us = cpu_clock_ns(pid).map_or_else(|| in_us(user + system), |ns| ns as f64 / 1e3);
    Some(own_us + in_us(inherited_user + inherited_system))
}

/// The children of all threads of a process; none if it has ended.
fn children(proc: &str, pid: u32) -> Vec<u32> {
    let Ok(threads) = read_dir(format!("{proc}/{pid}/task")) else {
        return Vec::new();
    };
    let lists = threads
        .flatten()
        .filter_map(|thread| read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            let children = list.split_ascii_whitespace().map(str::parse);
            children.flatten().collect::<Vec<u32>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use super::*;

    /// A shell with a grandchild that uses CPU time when it is told to, and says when it has.
    const BUSY: &str = "sh -c 'read word; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; \
                        echo done; read word' <&3 & wait";

    #[test]
    fn children_count_even_after_they_ended() {
        let mut shell = Command::new("sh")
            .args(["-c", &format!("exec 3<&0; {BUSY}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = shell.stdin.take().unwrap();
        let mut output = BufReader::new(shell.stdout.take().unwrap()).lines();
        let before = cpu_us(PROC, shell.id()).unwrap();
        input.write_all(b"go\n").unwrap();
        assert_eq!(output.next().unwrap().unwrap(), "done");
        let after = cpu_us(PROC, shell.id()).unwrap();
        // Some hundred thousand rounds of a shell: no machine does them in this time.
        assert!(after - before > 10_000.0, "{before} {after}");
        input.write_all(b"end\n").unwrap();
        drop(input);
        shell.wait().unwrap();
        assert_eq!(cpu_us(PROC, shell.id()), None);
    }

    #[test]
    fn a_process_inherits_the_use_of_its_children() {
        let folder = std::env::temp_dir().join(format!("wirelab-proc-{}", std::process::id()));
        let of = |pid: u32, inherited: u64, children: &str| {
            let task = folder.join(format!("{pid}/task/{pid}"));
            std::fs::create_dir_all(&task).unwrap();
            let stat =
                format!("{pid} (a) b) S 1 1 1 0 -1 4194304 1 1 1 1 30 20 {inherited} 0 20 0 1 0 5");
            std::fs::write(folder.join(format!("{pid}/stat")), stat).unwrap();
            std::fs::write(task.join("children"), children).unwrap();
        };
        // No such numbers are given to processes, so the ticks in the files count.
        let (root, child) = (4_200_000, 4_200_001);
        of(root, 7, &format!("{child} "));
        of(child, 0, "");
        let us_per_tick = 1e6 / ticks_per_s();
        let proc = folder.to_str().unwrap();
        assert_eq!(cpu_us(proc, root), Some(107.0 * us_per_tick));
        of(root, 7, &format!("{child} 4200002"));
        assert_eq!(
            cpu_us(proc, root),
            Some(107.0 * us_per_tick),
            "what is left"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    const PROC: &str = super::super::PROC;
}
