//! The arguments of the program.

use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use nix::sched::CpuSet;

/// The longest grace time: a longer one is a mistake, and would keep the servers of a killed
/// laboratory running.
const LONGEST_GRACE: Duration = Duration::from_secs(3600);

/// Run a program so that nothing of it outlives its parent.
///
/// The guard ends the program and all its descendants when it receives SIGTERM, SIGINT or SIGHUP,
/// when the lifeline is closed, or when the program itself ends: with SIGTERM, and after the grace
/// time (at once on a second signal) with SIGKILL.
#[derive(Debug, Parser)]
#[command(
    name = "wirelab-guard",
    version,
    after_help = "Exit codes: that of the program, or 128 + N if signal N ended it; 127 no such \
                  program; 126 it cannot be executed; 2 invalid option, nothing was started."
)]
pub struct Options {
    /// CPUs that the program may use, such as 0,2-3 [default: all]
    #[arg(long, value_name = "LIST", value_parser = parse_cpus)]
    pub cpus: Option<CpuList>,

    /// Run the program as this user, by name or number (needs root)
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,

    /// Deny the program and its descendants new privileges, such as those of set-user-ID files
    #[arg(long)]
    pub no_new_privileges: bool,

    /// Run the program in this network namespace, such as /proc/PID/ns/net (needs root)
    #[arg(long, value_name = "FILE")]
    pub network: Option<PathBuf>,

    /// File descriptor of the read end of a pipe that the parent holds open: its end ends the
    /// program
    #[arg(long, value_name = "FD")]
    pub lifeline: Option<RawFd>,

    /// Seconds between SIGTERM and SIGKILL
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = parse_seconds)]
    pub grace: Duration,

    /// Command to run after the last descendant has ended, even after a failure; must end with ';'
    #[arg(
        long,
        value_names = ["PROGRAM", "ARG"],
        num_args = 1..,
        value_terminator = ";",
        allow_hyphen_values = true
    )]
    pub on_end: Vec<OsString>,

    /// The program and its arguments
    #[arg(last = true, required = true, value_names = ["PROGRAM", "ARG"])]
    pub program: Vec<OsString>,
}

/// CPU numbers, in the order they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuList(pub Vec<usize>);

/// Parses the kernel's notation of CPU lists: `0,2-3`. The error says what is expected.
fn parse_cpus(text: &str) -> Result<CpuList, String> {
    let number = |part: &str| {
        part.trim()
            .parse::<usize>()
            .ok()
            .filter(|&cpu| cpu < CpuSet::count())
            .ok_or_else(|| format!("{part:?} is not a CPU number; expected a list such as 0,2-3"))
    };
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!(
                "{part:?} is a reversed range; expected {last}-{first}"
            ));
        }
        cpus.extend(first..=last);
    }
    Ok(CpuList(cpus))
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|grace| *grace <= LONGEST_GRACE)
        .ok_or_else(|| "expected seconds from 0 to 3600, such as 3 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_cpus("0"), Ok(CpuList(vec![0])));
        assert_eq!(parse_cpus("0,2-4"), Ok(CpuList(vec![0, 2, 3, 4])));
    }

    #[test]
    fn the_error_for_a_wrong_cpu_list_states_what_is_expected() {
        for (text, part) in [
            ("", "\"\""),
            ("0,x", "\"x\""),
            ("2-", "\"\""),
            ("-1", "\"\""),
        ] {
            let expected = format!("{part} is not a CPU number; expected a list such as 0,2-3");
            assert_eq!(parse_cpus(text), Err(expected), "{text}");
        }
        assert_eq!(
            parse_cpus("3-1"),
            Err("\"3-1\" is a reversed range; expected 1-3".to_owned())
        );
        assert!(parse_cpus("0-99999999999").is_err());
    }

    #[test]
    fn a_grace_must_be_a_positive_time() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["-1", "NaN", "inf", "1e9", "three"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_end_command_stops_at_the_semicolon() {
        let arguments = [
            "guard", "--on-end", "rm", "-f", "x", ";", "--grace", "1", "--", "sleep", "9",
        ];
        let options = Options::parse_from(arguments);

        assert_eq!(options.on_end, ["rm", "-f", "x"]);
        assert_eq!(options.grace, Duration::from_secs(1));
        assert_eq!(options.program, ["sleep", "9"]);
    }
}
