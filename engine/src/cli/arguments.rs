//! The command line as clap reads it, and `--help`.

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::capacity::CapacityOptions;
use super::limits::{Limit, Metric, limit};
use super::options::Options;
use super::turns::TurnOptions;
use crate::capacity::Question;
use crate::compare;
use crate::job::Job;
use crate::null;
use crate::result::Measured;

/// Puts load on a server and says how fast it answers
///
/// Every answer is checked and every transaction is timed twice: from the moment it was meant to
/// start (response time, what a user feels) and from the moment it did (service time).
#[derive(Parser)]
#[command(
    name = "wirelab-load",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  wirelab-load http://127.0.0.1:8080/games -c 64 -d 10s
      as fast as 64 connections can, for ten seconds
  wirelab-load http://127.0.0.1:8080/games -c 64 -d 10s -r 5000
      5000 a second, evenly spaced, whether the server keeps up or not
  wirelab-load http://127.0.0.1:8080/games -n 1000 --data '{\"title\": \"Chess\"}' --user me:secret
  wirelab-load grpc://127.0.0.1:9090/games.v1.Games/Ping -c 4 -m 16 --body request.bin
  echo -n '{\"op\":\"ping\"}' | wirelab-load ws://127.0.0.1:8080/ws --body @-
  wirelab-load https://127.0.0.1:8443/games -c 64 --ca ca.pem --no-reuse
      a fresh connection and a TLS handshake for each request
  wirelab-load grpc://127.0.0.1:9090/games.v1.Games/Watch --body request.bin --until-items 100
      a stream, left after 100 messages: time to the first and the last of them, and their rate
  wirelab-load http://127.0.0.1:8080/feed --items events
  wirelab-load http://127.0.0.1:8001/games http://127.0.0.1:8002/games --twin
      two servers in turns of 50 ms, and the first beside itself: which is faster, by how much,
      and how sure is that? They are not restarted, so it is about this start of them
  wirelab-load 'http://127.0.0.1:8080/games/{id}' --csv games.csv -d 10s --fail-if 'p99>20ms'
      each request with the next row of the table; exit code 12 if the limit is not kept
  wirelab-load --targets targets.txt --stages 10s:100,30s:100..500
      the requests of a file of vegeta's, or of a HAR file, at 100 a second and then more and more
  wirelab-load http://127.0.0.1:8080/me --first 'POST /login' --first-data @login.json \\
      --first-capture token=/data/token -H 'authorization: Bearer {token}'
      each client logs in once, before the load, and keeps its token
  wirelab-load http://127.0.0.1:8080/games -c 64 --find-capacity 'p99<50ms,failed<0.1%'
      the highest rate at which 99 % of the requests are answered in 50 ms, and 99.9 % at all
  wirelab-load null http --port 8080
      a server that answers at once, to find out what this machine can do at most

Standard error shows progress and the remaining time: in one line of a terminal, otherwise in a line
after two seconds and then every ten. With a job file there is none of this.

With a job file, events go to standard output, one JSON object a line, and the result into the
job's output folder.

Exit codes: 0 done; 1 transactions failed (with a job file they are only counted), or the machine
did; 2 wrong input; 3 the server cannot be reached, or does not answer --first; 12 a figure is
beyond a limit of --fail-if, or no rate keeps the objective of --find-capacity; 13 the time of a
search was over before it had found its bounds, or the server changed meanwhile; 130 interrupted."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// http(s)://, h2c:// or h2:// (HTTP/2 without and with TLS), h3:// (HTTP/3), grpc(s):// or
    /// ws(s):// address, or several, which then take turns; or a job file in JSON
    #[arg(value_name = "URL or JOB.json", required_unless_present = "requests")]
    pub targets: Vec<String>,

    #[command(flatten)]
    pub options: Options,

    #[command(flatten)]
    pub turns: TurnOptions,

    #[command(flatten)]
    pub capacity: CapacityOptions,

    /// How to print the result; csv has a line for each operation, or for each of several servers
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,

    /// The same as --output json
    #[arg(long, conflicts_with = "output")]
    json: bool,

    /// Print the load as a job file, instead of carrying it out
    #[arg(long, conflicts_with_all = ["output", "json", "fail_if"])]
    pub print_job: bool,

    /// In that file, give the values of all headers; otherwise those that may be credentials are
    /// hidden, and have to be put in by hand
    #[arg(long, requires = "print_job")]
    pub with_credentials: bool,

    /// End with exit code 12 if a figure is beyond a limit: typical, mean, max, p50 to p999 with a
    /// unit (p99>20ms), rate<1000, and of several servers ratio>1.1 or B.p99>20ms; may be repeated
    #[arg(long, value_parser = limit, value_name = "METRIC>VALUE")]
    fail_if: Vec<Limit>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Summary,
    Json,
    Csv,
}

#[derive(Subcommand)]
pub enum Command {
    /// Answers every request at once with the same body, for ceilings and qualification
    Null(null::Options),
    /// Prints what a shell needs to complete the options, such as
    /// wirelab-load completion bash > ~/.local/share/bash-completion/completions/wirelab-load
    Completion { shell: Shell },
}

impl Arguments {
    /// Whether something is said of how to print what comes of it.
    pub fn is_about_printing(&self) -> bool {
        self.format() != Format::Summary || !self.fail_if.is_empty() || self.print_job
    }

    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.output }
    }

    /// What is wrong with limits for so many servers.
    pub fn limit_problems(&self, servers: usize) -> Vec<String> {
        let problem = |limit: &Limit| {
            let letters: Vec<String> = (0..servers).map(compare::letter).collect();
            let written = &limit.written;
            match &limit.server {
                _ if limit.metric == Metric::Ratio && servers == 1 => Some(format!(
                    "--fail-if {written}: a ratio of one server; expected another metric, or \
                     several addresses"
                )),
                Some(_) if servers == 1 => Some(format!(
                    "--fail-if {written}: a server of several; expected none, or several addresses"
                )),
                Some(server) if !letters.contains(server) => Some(format!(
                    "--fail-if {written}: there is no server {server}; expected one of {}",
                    letters.join(", ")
                )),
                _ => None,
            }
        };
        self.fail_if.iter().filter_map(problem).collect()
    }

    /// The search for capacity that is asked for. The error is the list of all problems.
    pub fn search(&self, url: &str) -> Result<(Job, Question), Vec<String>> {
        let mut problems = Vec::new();
        if self.format() == Format::Csv {
            problems.push("--output csv: a search has many rates; expected summary or json".into());
        }
        if !self.fail_if.is_empty() {
            problems.push("--fail-if: a search has its objective; expected no limit beside".into());
        }
        let asked = self.capacity.question(url, &self.options);
        match asked {
            Ok(asked) if problems.is_empty() => Ok(asked),
            Ok(_) => Err(problems),
            Err(found) => Err([problems, found].concat()),
        }
    }

    /// Which limits are not kept, and why.
    pub fn breaches(&self, measured: &[(&str, &str, Measured)]) -> Vec<String> {
        let mut breaches = Vec::new();
        for limit in &self.fail_if {
            for (label, url, measured) in measured {
                let is_meant = limit.server.as_deref().is_none_or(|it| it == *label);
                // The first server has none.
                let has_ratio = limit.metric != Metric::Ratio || *label != compare::letter(0);
                if let (true, true, Some(breach)) = (is_meant, has_ratio, limit.breach(measured)) {
                    breaches.push(format!("--fail-if {}: {url}: {breach}", limit.written));
                }
            }
        }
        breaches
    }
}
