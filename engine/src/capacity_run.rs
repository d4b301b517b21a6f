//! Runs a search for capacity: warm-up, ladder, trials, and the ladder's best rung once more, to
//! check that the server has not changed.

use std::time::{Duration, Instant};

use crate::capacity::ladder::{self, Rung};
use crate::capacity::{Capacity, Measured, Next, Question, Search, Trial};
use crate::crew::Caller;
use crate::display::Display;
use crate::error::RunError;
use crate::events::{Event, Listener};
use crate::job::{Job, PacerKind, Slice, StopRule};
use crate::result::SliceRow;
use crate::result::text::{classes, clock, count, plural};
use crate::session::Session;

/// The load before each trial that does not count, as a share of the trial's length, so that a
/// trial meets a busy server.
const GUARD_SHARE: f64 = 0.1;
/// The length of a rung of the ladder, as a multiple of the mean response time, ...
const RUNG_REQUESTS: f64 = 20.0;
/// ... within this range.
const RUNG_S: (f64, f64) = (0.5, 10.0);
const WARM_UP_CLIENTS: u32 = 4;
/// The pause after a trial that missed the objective: as long as its last requests took, within
/// this range.
const QUIET_S: (f64, f64) = (0.01, 1.0);

/// The state of a running search.
struct CapacityRun<'a> {
    session: &'a mut Session,
    question: &'a Question,
    display: &'a mut dyn Display,
    listen: Listener<'a>,
    began: Instant,
    /// The current step, or the result of the last one.
    status: String,
    trials: Vec<Measured>,
}

/// Searches for the capacity of the job's only target, in a session of its own. None if it was
/// interrupted before it began.
pub fn run(
    job: Job,
    question: &Question,
    display: &mut dyn Display,
) -> Result<Option<Capacity>, RunError> {
    display.show("connecting");
    let caller = Caller::new(false).map_err(RunError::System)?;
    let Some(mut session) = Session::open(job, caller, &mut |_| {})? else {
        return Ok(None);
    };
    let capacity = search(&mut session, question, display, &mut |_| {})?;
    let is_interrupted = session.is_interrupted();
    session.finish(is_interrupted, &mut |_| {})?;
    Ok(capacity)
}

/// Searches for the capacity of a target of a session. None if it was interrupted before it began.
pub fn search(
    session: &mut Session,
    question: &Question,
    display: &mut dyn Display,
    listen: Listener,
) -> Result<Option<Capacity>, RunError> {
    let mut run = CapacityRun {
        session,
        question,
        display,
        listen,
        began: Instant::now(),
        status: String::new(),
        trials: Vec::new(),
    };
    let Some(rung_s) = run.warm_up()? else {
        return Ok(None);
    };
    let rungs = run.climb(rung_s)?;
    let Some(best) = ladder::best(&rungs) else {
        return Ok(None);
    };
    let mut search = question.search(best.rate_per_s);
    run.report("first trial".into());
    let is_out_of_time = run.search(&mut search)?;
    let again = match run.session.is_interrupted() {
        true => None,
        false => {
            run.report(format!(
                "repeating {}",
                plural(best.clients.into(), "client")
            ));
            let row = run.slice(closed(best.clients), 0.0, rung_s)?;
            Some(rung(best.clients, &row))
        }
    };
    let is_interrupted = run.session.is_interrupted();
    let mut capacity = Capacity::new(question, &search, rungs, run.trials);
    capacity.interrupted = is_interrupted;
    capacity.out_of_time = is_out_of_time;
    capacity.seconds = run.began.elapsed().as_secs_f64();
    capacity.compare_rungs(best, again);
    Ok(Some(capacity))
}

impl CapacityRun<'_> {
    /// Warms up the server; returns the length of a rung of the ladder, in seconds. None if
    /// interrupted. The error is that no request succeeded.
    fn warm_up(&mut self) -> Result<Option<f64>, RunError> {
        self.report(format!("warming up {}", self.question.url));
        // Some servers block a thread for each connection until its first request, so that
        // connections without a request would starve the others.
        let each = self.question.most_clients;
        let once = StopRule {
            transactions: Some(u64::from(each)),
            ..StopRule::default()
        };
        self.slice_until(closed(each), 0.0, once)?;
        let clients = WARM_UP_CLIENTS.min(self.question.most_clients);
        let row = self.slice(closed(clients), 0.0, self.question.warm_up_s)?;
        if self.session.is_interrupted() {
            return Ok(None);
        }
        let Some(mean_us) = row.mean_us else {
            return Err(self.nothing_succeeded("of the warm-up", &row));
        };
        Ok(Some(
            (RUNG_REQUESTS * mean_us / 1e6).clamp(RUNG_S.0, RUNG_S.1),
        ))
    }

    fn climb(&mut self, rung_s: f64) -> Result<Vec<Rung>, RunError> {
        let mut rungs = Vec::new();
        while let Some(clients) = ladder::next(&rungs, self.question.most_clients) {
            let who = plural(clients.into(), "client");
            self.report(format!("{who} in a closed load"));
            let row = self.slice(closed(clients), 0.0, rung_s)?;
            if self.session.is_interrupted() {
                break;
            }
            // A server may refuse all requests after the warm-up; without a rate, there is nothing
            // to search around.
            if rungs.is_empty() && row.transactions == row.failed {
                return Err(self.nothing_succeeded("after the warm-up", &row));
            }
            rungs.push(rung(clients, &row));
        }
        Ok(rungs)
    }

    fn nothing_succeeded(&self, when: &'static str, row: &SliceRow) -> RunError {
        RunError::NothingSucceeded {
            url: self.question.url.clone(),
            when,
            transactions: row.transactions,
            errors: classes(&row.errors),
            so: "no rate is sustained",
        }
    }

    /// Runs trials until the bounds are found. True if the time ended before.
    fn search(&mut self, search: &mut Search) -> Result<bool, RunError> {
        while let Some(next) = search.next() {
            let left_s = self.question.seconds - self.began.elapsed().as_secs_f64();
            if left_s < next.seconds * (1.0 + GUARD_SHARE) {
                return Ok(true);
            }
            let Some(measured) = self.trial(&next)? else {
                return Ok(false);
            };
            let (seconds, loss_ratio) = (next.seconds, measured.judged.loss_ratio);
            search.add(
                next.index,
                Trial {
                    seconds,
                    loss_ratio,
                },
            );
            let text = progress(self.trials.len() + 1, &measured, search);
            self.report(text);
            self.trials.push(measured);
        }
        Ok(false)
    }

    /// Runs a trial, and lets the server recover. None if it was interrupted.
    fn trial(&mut self, next: &Next) -> Result<Option<Measured>, RunError> {
        let rate_per_s = next.rate_per_s;
        let seed = self.seed();
        let pacer = match self.session.target(self.question.target).pacer {
            PacerKind::Poisson { .. } => PacerKind::Poisson { rate_per_s, seed },
            _ => PacerKind::Constant { rate_per_s },
        };
        let at_s = self.began.elapsed().as_secs_f64();
        let row = self.slice(pacer, next.seconds * GUARD_SHARE, next.seconds)?;
        if self.session.is_interrupted() {
            return Ok(None);
        }
        let Some(judged) = row.judged else {
            return Ok(None);
        };
        if !judged.is_kept {
            let quiet_s = (row.drain_ns as f64 / 1e9).clamp(QUIET_S.0, QUIET_S.1);
            std::thread::sleep(Duration::from_secs_f64(quiet_s));
        }
        let busy_s = row.engine_cpu_us / 1e6 / self.session.workers(self.question.target) as f64;
        Ok(Some(Measured {
            at_s,
            rate_per_s,
            seconds: next.seconds,
            judged,
            failed: row.failed,
            never_sent: row.never_sent,
            errors: row.errors,
            median_us: row.median_us,
            p99_us: row.p99_us,
            engine_busy_share: busy_s / (next.seconds * (1.0 + GUARD_SHARE)),
        }))
    }

    fn slice(
        &mut self,
        pacer: PacerKind,
        guard_s: f64,
        seconds: f64,
    ) -> Result<SliceRow, RunError> {
        let stop = StopRule {
            seconds: Some(seconds),
            ..StopRule::default()
        };
        self.slice_until(pacer, guard_s, stop)
    }

    fn slice_until(
        &mut self,
        pacer: PacerKind,
        guard_s: f64,
        stop: StopRule,
    ) -> Result<SliceRow, RunError> {
        let slice = Slice {
            target: self.question.target,
            first: None,
            guard_ns: (guard_s * 1e9) as u64,
            begin_monotonic_ns: None,
            stop,
            seed: Some(self.seed()),
            pacer: Some(pacer),
            objective: Some(self.question.objective.clone()),
            recorded: false,
        };
        let mut listen = |event: &Event| {
            if matches!(event, Event::Progress { .. }) {
                show(
                    self.display,
                    &self.status,
                    self.began,
                    self.question.seconds,
                );
            }
            (self.listen)(event);
        };
        self.session.slice(&slice, &mut listen).cloned()
    }

    /// Shows the current step now, and again while it lasts.
    fn report(&mut self, status: String) {
        self.status = status;
        show(
            self.display,
            &self.status,
            self.began,
            self.question.seconds,
        );
    }

    fn seed(&self) -> u64 {
        self.question.seed.wrapping_add(self.trials.len() as u64)
    }
}

fn closed(clients: u32) -> PacerKind {
    PacerKind::Closed {
        clients,
        think_time_us: 0,
    }
}

fn rung(clients: u32, row: &SliceRow) -> Rung {
    let whole_s = (row.ended_ns - row.started_ns) as f64 / 1e9;
    let succeeded = row.transactions - row.failed;
    Rung {
        clients,
        rate_per_s: succeeded as f64 / whole_s.max(1e-9),
        is_kept: row.judged.is_some_and(|it| it.is_kept),
    }
}

/// Shows the current step and the remaining time of the search.
fn show(display: &mut dyn Display, status: &str, began: Instant, most_s: f64) {
    let left_s = (most_s - began.elapsed().as_secs_f64()).max(0.0);
    display.show(&format!("at most {} left  {status}", clock(left_s)));
}

/// The latest trial and the bounds of the first goal so far, in words.
fn progress(number: usize, trial: &Measured, search: &Search) -> String {
    let bounds = search.bounds_so_far(&search.goals()[0]);
    let rate = |index: Option<i32>| {
        index.map_or("?".into(), |it| count(search.rate_per_s(it).round() as u64))
    };
    format!(
        "trial {number}: {}/s {} ({:.2} % lost)  capacity {} to {}/s",
        count(trial.rate_per_s.round() as u64),
        if trial.judged.is_kept {
            "kept"
        } else {
            "missed"
        },
        trial.judged.loss_ratio * 100.0,
        rate(bounds.lower),
        rate(bounds.upper)
    )
}
