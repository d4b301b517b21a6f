//! The command line as clap parses it, and `--help`.

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::capacity::CapacityOptions;
use super::limits::{Limit, Metric, limit};
use super::options::{OUTPUT, Options, VERDICT};
use super::turns::TurnOptions;
use crate::capacity::Question;
use crate::compare;
use crate::job::Job;
use crate::null;
use crate::result::Measured;

/// Puts load on a server and measures its response times
///
/// Every answer is checked. Every transaction is timed from its intended start (response time,
/// which users experience) and from its actual start (service time).
#[derive(Parser)]
#[command(
    name = "wirelab-load",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_flag = true,
    disable_help_subcommand = true,
    disable_version_flag = true,
    max_term_width = 80,
    help_template = "\
{about-with-newline}
{usage-heading} {usage}

Examples:
  wirelab-load http://localhost:8080/games -c 64 -d 10s
      64 connections, each with one request after the other, for ten seconds
  wirelab-load http://localhost:8080/games -r 5000 --fail-if 'p99>20ms'
      5000 requests per second; exit code 12 if p99 exceeds the limit
  wirelab-load http://localhost:8001/games http://localhost:8002/games
      which server is faster, by how much, with which confidence

{all-args}{after-help}",
    after_help = "More examples, details of the options, and exit codes: --help",
    after_long_help = "\
More examples:
  wirelab-load http://127.0.0.1:8080/games -n 1000 \\
      --data '{\"title\": \"Chess\"}' --user me:secret
  wirelab-load 'http://127.0.0.1:8080/games/{id}' --csv games.csv
      each request with the next row of the table
  wirelab-load --targets targets.txt --stages 10s:100,30s:100..500
      the requests of a vegeta or HAR file, at 100 per second for 10 s, then
      up to 500 per second
  wirelab-load --replay recorded.har --speed 2
      the requests that a browser recorded, at their times, twice as fast
  wirelab-load http://127.0.0.1:8080/me -H 'authorization: Bearer {token}' \\
      --first 'POST /login' --first-data @login.json \\
      --first-capture token=/data/token
      each client logs in once, and sends its token with each request
  wirelab-load http://127.0.0.1:8080/games -c 64 \\
      --find-capacity 'p99<50ms,failed<0.1%'
      the highest rate at which 99 % of the requests are answered within
      50 ms, and 99.9 % at all
  wirelab-load grpc://127.0.0.1:9090/games.v1.Games/Ping -m 16 --data '{}'
  echo -n '{\"op\":\"ping\"}' | wirelab-load ws://127.0.0.1:8080/ws --body @-
  wirelab-load https://127.0.0.1:8443/games -c 64 --ca ca.pem --no-reuse
      a new connection and a TLS handshake for each request
  wirelab-load http://localhost/games --connect-to unix:/run/games.sock
  wirelab-load grpc://127.0.0.1:9090/games.v1.Games/Watch --data '{}' \\
      --until-items 100
      a stream, cancelled after 100 messages: time to the first and to the
      last one, and the rate
  wirelab-load http://127.0.0.1:8001/games http://127.0.0.1:8002/games --twin
      also the first server compared with itself; verdicts hold for this
      start of the servers, which is not repeated
  wirelab-load null http --port 8080
      a server that answers at once, to measure the ceiling of this machine

Progress and the remaining time are shown on standard error: on a terminal in
one line, otherwise in a line after two seconds and then every ten. With a job
file, no progress is shown, events are written to standard output, one JSON
object per line, and the result to the job's output folder.

Colours are for terminals, and not used if NO_COLOR is set.

Exit codes:
    0  success
    1  transactions failed (with a job file they are only counted; with
       --fail-if 'failed>SHARE' only too many), or a system call did
    2  invalid input
    3  the server cannot be reached, or answers --first incorrectly
   12  a figure exceeds a limit of --fail-if, or no rate keeps the objective
       of --find-capacity
   13  the time of a search ended before its bounds were found, or the server
       changed during it
  130  interrupted"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Address of a server, or of several that take turns
    ///
    /// http(s)://, h2c:// or h2:// (HTTP/2 without and with TLS), h3:// (HTTP/3), grpc(s):// or
    /// ws(s)://; or a job file in JSON.
    #[arg(value_name = "URL or JOB.json", required_unless_present_any = ["requests", "replay"])]
    pub targets: Vec<String>,

    #[command(flatten)]
    pub options: Options,

    /// Exit with code 12 beyond a limit, such as p99>20ms
    ///
    /// typical, mean, max, p50 to p999 with a unit, rate<1000, failed>1%, and with several servers
    /// ratio>1.1 or B.p99>20ms; may be repeated. With a limit of failed, fewer failures are no
    /// reason for exit code 1.
    #[arg(long, value_parser = limit, value_name = "LIMIT", help_heading = VERDICT)]
    fail_if: Vec<Limit>,

    #[command(flatten, next_help_heading = VERDICT)]
    pub turns: TurnOptions,

    #[command(flatten, next_help_heading = VERDICT)]
    pub capacity: CapacityOptions,

    /// Format of the result
    ///
    /// csv has a line per operation, or per server.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    output: Format,

    /// The same as --output json
    #[arg(long, conflicts_with = "output", help_heading = OUTPUT)]
    json: bool,

    /// Print the load as a job file instead of running it
    #[arg(long, conflicts_with_all = ["output", "json", "fail_if"], help_heading = OUTPUT)]
    pub print_job: bool,

    /// With --print-job: print the values of all headers
    ///
    /// By default, those that may be credentials are replaced and must be inserted by hand.
    #[arg(long, requires = "print_job", help_heading = OUTPUT)]
    pub with_credentials: bool,

    /// Print the options (-h), or everything (--help)
    #[arg(short, long, action = ArgAction::Help, help_heading = OUTPUT)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = OUTPUT)]
    version: Option<bool>,
}

/// The format of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Summary,
    Json,
    Csv,
}

#[derive(Subcommand)]
pub enum Command {
    /// Runs a server that answers at once, to measure ceilings
    ///
    /// Every request gets the same body.
    Null(null::Options),
    /// Prints the completion script for a shell
    ///
    /// Such as wirelab-load completion bash > ~/.local/share/bash-completion/completions/wirelab-load
    Completion { shell: Shell },
}

impl Arguments {
    /// Whether any option for printing the result is given.
    pub fn is_about_printing(&self) -> bool {
        self.format() != Format::Summary || !self.fail_if.is_empty() || self.print_job
    }

    /// The format of the result.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.output }
    }

    /// The problems of limits with this number of servers.
    pub fn limit_problems(&self, servers: usize) -> Vec<String> {
        let problem = |limit: &Limit| {
            let letters: Vec<String> = (0..servers).map(compare::letter).collect();
            let written = &limit.written;
            match &limit.server {
                _ if limit.metric == Metric::Ratio && servers == 1 => Some(format!(
                    "--fail-if {written}: one server has no ratio; expected another metric, or \
                     several addresses"
                )),
                Some(_) if servers == 1 => Some(format!(
                    "--fail-if {written}: a server is named, but there is only one; expected no name, or several addresses"
                )),
                Some(server) if !letters.contains(server) => Some(format!(
                    "--fail-if {written}: unknown server {server}; expected one of {}",
                    letters.join(", ")
                )),
                _ => None,
            }
        };
        self.fail_if.iter().filter_map(problem).collect()
    }

    /// The number of failures that are a reason to fail: none if they have a limit.
    pub fn failures(&self, failed: u64) -> u64 {
        match self.fail_if.iter().any(|it| it.metric == Metric::Failed) {
            true => 0,
            false => failed,
        }
    }

    /// The search for capacity. The error is the list of all problems.
    pub fn search(&self, url: &str) -> Result<(Job, Question), Vec<String>> {
        let mut problems = Vec::new();
        if self.format() == Format::Csv {
            problems.push("--output csv is not for a search; expected summary or json".into());
        }
        if !self.fail_if.is_empty() {
            problems.push("--fail-if is not for a search, whose limits are in its objective; expected no limit".into());
        }
        let asked = self.capacity.question(url, &self.options);
        match asked {
            Ok(asked) if problems.is_empty() => Ok(asked),
            Ok(_) => Err(problems),
            Err(found) => Err([problems, found].concat()),
        }
    }

    /// The exceeded limits, with the measured values.
    pub fn breaches(&self, measured: &[(&str, &str, Measured)]) -> Vec<String> {
        let mut breaches = Vec::new();
        for limit in &self.fail_if {
            for (label, url, measured) in measured {
                let is_meant = limit.server.as_deref().is_none_or(|it| it == *label);
                // The first server has no ratio.
                let has_ratio = limit.metric != Metric::Ratio || *label != compare::letter(0);
                if let (true, true, Some(breach)) = (is_meant, has_ratio, limit.breach(measured)) {
                    breaches.push(format!("--fail-if {}: {url}: {breach}", limit.written));
                }
            }
        }
        breaches
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::options::{CONNECT, CONTENT, LOAD};

    #[test]
    fn help_fits_a_terminal_and_begins_with_examples() {
        let mut command = Arguments::command();
        for help in [command.render_help(), command.render_long_help()] {
            let help = help.to_string();
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
            let parts = [
                "Examples:",
                "\nArguments:",
                CONTENT,
                LOAD,
                CONNECT,
                VERDICT,
                OUTPUT,
            ];
            let positions = parts.map(|part| {
                help.find(&format!("{part}\n"))
                    .or(help.find(&format!("{part}:\n")))
            });
            assert!(positions.is_sorted() && positions[0].is_some(), "{help}");
            assert!(
                !help.contains("\nOptions:"),
                "every option has its group: {help}"
            );
        }
        let short = command.render_help().to_string();
        let options = short.lines().skip_while(|line| !line.starts_with(CONTENT));
        let alone = options
            .filter(|line| line.trim_start().starts_with("--") && !line.trim().contains(' '));
        assert_eq!(
            alone.count(),
            0,
            "options and their meaning are in one line: {short}"
        );
    }
}
