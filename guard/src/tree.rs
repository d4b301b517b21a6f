//! The descendants of this process.

use std::collections::{HashMap, HashSet};
use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};

/// Sends `signal` to every descendant of this process, and continues stopped ones so that they
/// receive it.
///
/// Parents come before their children, so that none mistakes the end of a child for a failure.
///
/// A reading of /proc can miss a process whose parent changes meanwhile, so there are two readings.
/// A process that is forked afterwards is not reached: callers that must reach all repeat the call
/// until no child is left.
pub fn signal_all(signal: Signal) {
    let mut found = descendants();
    let first: HashSet<Pid> = found.iter().copied().collect();
    found.extend(descendants().into_iter().filter(|pid| !first.contains(pid)));
    for pid in found {
        // The process may have ended meanwhile, or have another user (set-user-ID): the remaining
        // children show that.
        let _ = kill(pid, signal);
        let _ = kill(pid, Signal::SIGCONT);
    }
}

/// All descendants of this process, parents before their children.
pub fn descendants() -> Vec<Pid> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, parent) in fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read(entry.path().join("stat")).ok()?;
            Some((pid, parent_in(&stat)?))
        })
    {
        children.entry(parent).or_default().push(pid);
    }
    let mut found = Vec::new();
    let mut open = vec![getpid().as_raw()];
    while let Some(parent) = open.pop() {
        for pid in children.remove(&parent).unwrap_or_default() {
            open.push(pid);
            found.push(Pid::from_raw(pid));
        }
    }
    found
}

/// The parent's process id in /proc/PID/stat: `7 (name) S 1 …`, where the name may contain
/// anything, even parentheses and bytes that are not text.
fn parent_in(stat: &[u8]) -> Option<i32> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_after_any_name() {
        assert_eq!(parent_in(b"7 (sleep) S 5 7 7 0"), Some(5));
        assert_eq!(parent_in(b"7 (a) S 1 (b) R 6 7"), Some(6));
        assert_eq!(parent_in(b"7 (\xff\xfe) Z 8 7"), Some(8));
        assert_eq!(parent_in(b""), None);
    }
}
