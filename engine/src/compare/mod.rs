//! Compares servers that take turns: which one answers faster, and with what confidence.

mod judge;
mod plan;
mod table;

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;

use crate::crew::Caller;
use crate::display::Display;
use crate::error::RunError;
use crate::events::{Event, Listener};
use crate::job::{Job, Slice, WarmUp};
use crate::random::Random;
use crate::result::text::{classes, clock, duration};
use crate::result::{Figures, Measured, RunResult, SliceRow};
use crate::session::Session;
use crate::system::process;

pub use judge::LEAST_PERMUTATIONS;
use judge::{Ratio, center, ratio};
use plan::Plan;

/// The least number of transactions of a warm-up, from which the length of slices follows.
const WARM_TRANSACTIONS: u64 = 3;
/// The time for all servers together, as a multiple of the given one, above which it is announced.
const LONG: f64 = 1.5;

/// The servers of a comparison and its settings.
pub struct Question {
    /// The address of each server, for messages.
    pub urls: Vec<String>,
    /// Whether the last server is the first one again.
    pub has_twin: bool,
    /// The load in words.
    pub load: String,
    /// The approximate time for all servers together.
    pub seconds: f64,
    /// The warm-up of each server.
    pub warm_up_s: f64,
    /// Differences up to this share are practically irrelevant.
    pub margin: f64,
    /// The seed of the permutations.
    pub seed: u64,
}

impl Question {
    /// The label of a server: A, B, C, ...; "A again" for the twin.
    pub fn label(&self, target: usize) -> String {
        match self.is_twin(target) {
            true => "A again".into(),
            false => letter(target),
        }
    }

    fn is_twin(&self, target: usize) -> bool {
        self.has_twin && target + 1 == self.urls.len()
    }
}

/// The label of a server by its index: A, B, C, ..., then numbers.
pub fn letter(index: usize) -> String {
    match u8::try_from(index) {
        Ok(index @ 0..26) => char::from(b'A' + index).into(),
        _ => (index + 1).to_string(),
    }
}

/// The result of a comparison.
#[derive(Serialize)]
pub struct Comparison {
    format: &'static str,
    interrupted: bool,
    load: String,
    margin: f64,
    seed: u64,
    permutations: usize,
    plan: Plan,
    duration_s: f64,
    servers: Vec<Server>,
    /// The ratios of every other server to the first one.
    ratios: Vec<Ratios>,
    /// Stolen time as a share of the time of the machine's CPUs.
    steal_share: f64,
    /// The CPU time of the engine as a share of its CPUs' time, for the server with the largest.
    engine_busy_share: f64,
    /// What the intervals do not cover.
    scope: String,
}

const ONE_START: &str = "The servers were not restarted: the intervals hold for this start of each \
                         server, and another start may differ by more.";

#[derive(Serialize)]
struct Server {
    label: String,
    url: String,
    is_twin: bool,
    /// The trimmed geometric mean, over all permutations, of the median of a slice.
    typical_us: Option<f64>,
    mean_us: Option<f64>,
    transactions: u64,
    failed: u64,
    errors: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    figures: Figures,
}

/// What the intervals do not cover, given the number of comparisons.
fn scope(comparisons: usize) -> String {
    match comparisons {
        0 | 1 => ONE_START.into(),
        many => format!(
            "{ONE_START}\nEach of the {many} comparisons with A has 95 % confidence by itself; no \
             correction is made for their number, so one false verdict among them is more likely \
             than 5 %."
        ),
    }
}

/// The times of a server over those of the first one.
#[derive(Serialize)]
struct Ratios {
    label: String,
    is_twin: bool,
    typical: Option<Ratio>,
    mean: Option<Ratio>,
}

/// The times of one slice.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    typical_us: Option<f64>,
    mean_us: Option<f64>,
}

/// Compares the targets of a job, which take turns. None if it was interrupted before their turns.
///
/// Without given CPUs the engine takes the last one. Each target has its own thread, and the kernel
/// may keep one thread on its server's CPU and another one away from it for a whole session: in one
/// of 10 sessions of a server compared with itself, it seemed slower than itself by half.
pub fn run(
    mut job: Job,
    question: Question,
    display: &mut dyn Display,
) -> Result<Option<Comparison>, RunError> {
    if job.cpus.is_empty() {
        job.cpus.extend(process::last_cpu());
    }
    let ignore: Listener = &mut |_| {};
    display.show("connecting");
    let caller = Caller::new(false).map_err(RunError::System)?;
    let Some(mut session) = Session::open(job, caller, ignore)? else {
        return Ok(None);
    };
    // All servers were named explicitly, so none may be missing.
    if let Some(unreachable) = session.take_unreachable() {
        return Err(RunError::Unreachable(unreachable));
    }
    let Some(plan) = warm_up(&mut session, &question, display)? else {
        return Ok(None);
    };
    let times = take_turns(&mut session, &question, &plan, display)?;
    let is_interrupted = session.is_interrupted();
    let Some(result) = session.finish(is_interrupted, ignore)? else {
        return Ok(None);
    };
    Ok(Some(Comparison::new(question, plan, &times, &result)))
}

/// Warms up each server, and plans the slices by their rates.
fn warm_up(
    session: &mut Session,
    question: &Question,
    display: &mut dyn Display,
) -> Result<Option<Plan>, RunError> {
    let wanted = WarmUp {
        transactions: WARM_TRANSACTIONS,
        seconds: question.warm_up_s,
    };
    let mut warm = Vec::new();
    let began = Instant::now();
    let whole_s = question.warm_up_s * question.urls.len() as f64 + question.seconds;
    for (target, url) in question.urls.iter().enumerate() {
        let label = question.label(target);
        let mut show = || {
            let left_s = (whole_s - began.elapsed().as_secs_f64()).max(0.0);
            display.show(&format!("{} left  warming up {label} {url}", clock(left_s)));
        };
        show();
        let mut listen = |event: &Event| {
            if matches!(event, Event::Progress { .. }) {
                show();
            }
        };
        let Some(server) = session.warm_up(target, wanted, &mut listen)? else {
            return Ok(None);
        };
        if server.median_us.is_none() {
            return Err(RunError::NothingSucceeded {
                url: url.clone(),
                when: "in the warm-up",
                transactions: server.transactions,
                errors: classes(&server.errors),
                so: "nothing can be compared",
            });
        }
        warm.push(server);
    }
    let rate_per_s = session.target(0).pacer.offered_rate_per_s();
    let plan = Plan::new(&warm, rate_per_s.map(|it| 1.0 / it), question.seconds);
    if plan.expected_s + began.elapsed().as_secs_f64() > LONG * whole_s {
        display.note(&format!(
            "the turns take about {} instead of {}: an interval needs {} slices of each server, each \
             with a request of every client",
            duration(plan.expected_s * 1e6),
            duration(question.seconds * 1e6),
            plan.permutations
        ));
    }
    Ok(Some(plan))
}

/// Runs a slice of every server in each permutation, in random order. Incomplete permutations are
/// dropped.
fn take_turns(
    session: &mut Session,
    question: &Question,
    plan: &Plan,
    display: &mut dyn Display,
) -> Result<Vec<Vec<Times>>, RunError> {
    let mut random = Random::new(question.seed);
    let mut order: Vec<usize> = (0..question.urls.len()).collect();
    let mut all = Vec::new();
    let began = Instant::now();
    for number in 0..plan.permutations {
        random.shuffle(&mut order);
        let mut times = vec![Times::default(); order.len()];
        // A faster server gets further in the list of transactions; all begin the next permutation
        // at the same position.
        let first = session.untouched();
        for &target in &order {
            let slice = Slice {
                target,
                first: Some(first),
                guard_ns: plan.guard_ns,
                begin_monotonic_ns: None,
                stop: plan.stop,
                seed: Some(question.seed.wrapping_add(number as u64)),
                pacer: None,
                objective: None,
                recorded: true,
            };
            times[target] = Times::of(session.slice(&slice, &mut |_| {})?);
            if session.is_interrupted() {
                return Ok(all);
            }
        }
        all.push(times);
        let seconds = began.elapsed().as_secs_f64();
        display.show(&progress(&all, seconds, plan, question));
    }
    Ok(all)
}

/// The progress after some time: the remaining time and the ratios so far.
fn progress(all: &[Vec<Times>], seconds: f64, plan: &Plan, question: &Question) -> String {
    let (done, planned) = (all.len(), plan.permutations);
    let left_s = seconds / done as f64 * planned.saturating_sub(done) as f64;
    let mut text = format!("{done} of {planned} permutations, {} left", clock(left_s));
    for target in 1..question.urls.len() {
        let pair = |of: usize| all.iter().map(move |times| times[of].typical_us);
        if let Some(ratio) = center(pair(0).zip(pair(target))) {
            text.push_str(&format!("  {} {ratio:.3}", question.label(target)));
        }
    }
    text
}

impl Times {
    fn of(row: &SliceRow) -> Self {
        Self {
            typical_us: row.median_us,
            mean_us: row.mean_us,
        }
    }
}

impl Comparison {
    fn new(question: Question, plan: Plan, times: &[Vec<Times>], result: &RunResult) -> Self {
        let all = 0..question.urls.len();
        let of = |target: usize, kind: fn(&Times) -> Option<f64>| {
            times.iter().map(move |times| kind(&times[target]))
        };
        let typical = |times: &Times| times.typical_us;
        let mean = |times: &Times| times.mean_us;
        let servers = all.clone().map(|target| {
            let counts = result.counts(target);
            let ones = || std::iter::repeat(Some(1.0));
            Server {
                label: question.label(target),
                url: question.urls[target].clone(),
                is_twin: question.is_twin(target),
                typical_us: center(ones().zip(of(target, typical))),
                mean_us: center(ones().zip(of(target, mean))),
                transactions: counts.transactions,
                failed: counts.failed,
                errors: counts.errors.clone(),
                figures: result.figures(target),
            }
        });
        let ratios = all.skip(1).map(|target| {
            let to_first = |kind: fn(&Times) -> Option<f64>| {
                ratio(of(0, kind).zip(of(target, kind)), question.margin)
            };
            Ratios {
                label: question.label(target),
                is_twin: question.is_twin(target),
                typical: to_first(typical),
                mean: to_first(mean),
            }
        });
        let scope = scope(question.urls.len() - 1);
        Self {
            format: "wirelab-comparison/1",
            interrupted: result.interrupted(),
            permutations: times.len(),
            duration_s: result.slices_s(),
            servers: servers.collect(),
            ratios: ratios.collect(),
            steal_share: result.steal_share(),
            engine_busy_share: result.engine_busy_share(),
            margin: question.margin,
            seed: question.seed,
            load: question.load,
            plan,
            scope,
        }
    }

    /// Whether it was interrupted.
    pub fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// The number of failed transactions of all servers.
    pub fn failed(&self) -> u64 {
        self.servers.iter().map(|server| server.failed).sum()
    }

    /// The figures of each server, with its label and address, without the twin.
    pub fn measured(&self) -> Vec<(&str, &str, Measured)> {
        let ratios = std::iter::once(None).chain(self.ratios.iter().map(|it| it.typical));
        let servers = self.servers.iter().zip(ratios);
        let others = servers.filter(|(server, _)| !server.is_twin);
        others
            .map(|(server, ratio)| {
                let measured = Measured {
                    figures: server.figures,
                    typical_us: server.typical_us,
                    mean_us: server.mean_us,
                    ratio: ratio.map(|it| it.ratio),
                };
                (server.label.as_str(), server.url.as_str(), measured)
            })
            .collect()
    }

    /// A row for each server: its name, counts, times, and ratios to the first one.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let ratios = std::iter::once(None).chain(self.ratios.iter().map(|it| it.typical));
        let figure = |value: Option<f64>| value.map_or(String::new(), |it| format!("{it:.4}"));
        let row = |(server, ratio): (&Server, Option<Ratio>)| {
            vec![
                server.label.clone(),
                server.url.clone(),
                server.transactions.to_string(),
                server.failed.to_string(),
                figure(server.typical_us),
                figure(server.mean_us),
                figure(ratio.map(|it| it.ratio)),
                figure(ratio.map(|it| it.low)),
                figure(ratio.map(|it| it.high)),
                ratio.map_or(String::new(), |it| it.verdict.words().into()),
            ]
        };
        self.servers.iter().zip(ratios).map(row).collect()
    }

    /// The result as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Whether there are enough permutations for intervals.
    fn is_judged(&self) -> bool {
        self.permutations >= LEAST_PERMUTATIONS
    }
}
