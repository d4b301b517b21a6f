//! The CPU time of a control group, from the file in which the kernel counts it.

use std::fs::read_to_string;
use std::path::Path;

/// Reads `cpuacct.usage` of version 1, in microseconds; none if it cannot be read.
pub fn nanoseconds(path: &Path) -> Option<f64> {
    let text = read_to_string(path).ok()?;
    Some(text.trim().parse::<u64>().ok()? as f64 / 1e3)
}

/// Reads `cpu.stat` of version 2, in microseconds; none if it cannot be read.
pub fn stat(path: &Path) -> Option<f64> {
    let text = read_to_string(path).ok()?;
    let usage = text
        .lines()
        .find_map(|line| line.strip_prefix("usage_usec "));
    Some(usage?.trim().parse::<u64>().ok()? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, text: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("wirelab-cgroup-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn both_versions_are_read_in_microseconds() {
        let path = written("cpuacct.usage", "123456789\n");
        assert_eq!(nanoseconds(&path), Some(123_456.789));
        let text = "usage_usec 987654\nuser_usec 900000\nsystem_usec 87654\n";
        assert_eq!(stat(&written("cpu.stat", text)), Some(987_654.0));
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn the_use_of_a_removed_group_is_unknown() {
        assert_eq!(nanoseconds(Path::new("/no/such/cpuacct.usage")), None);
        assert_eq!(stat(Path::new("/no/such/cpu.stat")), None);
        assert_eq!(nanoseconds(Path::new("/proc/self/status")), None);
    }
}
