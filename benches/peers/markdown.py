"""The results as Markdown: goals first, then one table a case."""

from collections.abc import Iterable, Sequence
from statistics import median

from benches.peers.case import CASES, Case
from benches.peers.generators import EARLIER, FLOOR, GENERATORS, OURS
from benches.peers.goal import GOALS, Goal, RatioGoal
from benches.peers.judgement import Comparison, Outcome, Ratio
from benches.peers.result import Measured, Session

EMPTY = "–"

INTRODUCTION = """\
Server on CPU {server}, generator on CPU {generator}, {rounds} rounds, {seconds:g} s a run,
order reversed every round. CPU time is user + system of the generator and all it started, start-up
included, as the kernel accounts it. Ratios compare runs of one round only, and only when the
network probe found the machine in the same of its two states before and after both; the interval
is at 95 %. wirelab-load recorded every sample and checked every answer (status and hash). Figures
are medians of the rounds, ranges min–max.
"""

FIDELITY = """\
Schedule error: distance of the arrivals, stamped by the kernel of the server, from the best
straight line through all of them. True latency: from that stamp to the moment at which the answer
was written. The server never sleeps.
"""


def render(session: Session) -> str:
    """Write the whole report."""
    comparison = Comparison(session.runs)
    tried = {run.case for run in session.runs}
    cases = [_case(comparison, case) for case in CASES if case.id in tried]
    compared = any(run.generator == EARLIER for run in session.runs)
    goals = [goal for goal in GOALS if goal.case in tried and (compared or _other(goal) != EARLIER)]
    judged = _goals(comparison.judge(goals))
    return "\n".join([_head(session), judged, *cases, _programs(session)])


def _other(goal: Goal) -> str | None:
    return goal.to if isinstance(goal, RatioGoal) else None


def _head(session: Session) -> str:
    host = session.host
    facts = (
        f"{host.cpu.logical} CPUs, {host.cpu.model}, {host.virtualisation}, kernel {host.kernel}"
    )
    introduction = INTRODUCTION.format(
        server=session.server_cpu,
        generator=session.generator_cpu,
        rounds=session.rounds,
        seconds=session.seconds,
    )
    return (
        f"# wirelab-load and its peers\n\nMeasured {session.started_utc} on {facts}, "
        f"{host.distribution}, commit {host.git_commit or 'unknown'}.\n\n{introduction}"
    )


def _goals(outcomes: Iterable[Outcome]) -> str:
    rows = []
    for outcome in outcomes:
        found = EMPTY if outcome.value is None else f"{outcome.value:.3g}"
        if outcome.ratio is not None:
            found = _ratio(outcome.ratio)
        rows.append([outcome.goal.case, str(outcome.goal), found, _verdict(outcome)])
    return "## Goals\n\n" + _table(["case", "goal", "found", "verdict"], rows)


def _verdict(outcome: Outcome) -> str:
    if outcome.verdict in {"met", "missed"}:
        return f"**{outcome.verdict}**"
    return f"{outcome.verdict}: {_first_line(outcome.reason)}"


def _case(comparison: Comparison, case: Case) -> str:
    known = [generator.name for generator in GENERATORS]
    others = sorted({run.generator for run in comparison.runs} - set(known))
    names = [name for name in (*known, *others) if comparison.of(case.id, name)]
    there = [name for name in names if comparison.measured(case.id, name)]
    text = f"## {case.title}\n\n"
    if case.rate_per_s:
        text += FIDELITY + "\n" + _fidelity_table(comparison, case, there)
    else:
        there.sort(key=lambda name: _cpu_us(comparison.measured(case.id, name)))
        text += _cost_table(comparison, case, there)
    for name in names:
        run = comparison.of(case.id, name)[-1]
        if name not in there:
            text += f"\n{name}: {run.status}: {_first_line(run.reason)}\n"
    return text


def _cost_table(comparison: Comparison, case: Case, names: Sequence[str]) -> str:
    header = ["generator", "requests/s", "CPU µs/request", "user", "system", "fast", "slow"]
    header += ["÷ floor", f"{OURS} ÷", "server µs", "generator %", "server %", "p50 µs", "p99 µs"]
    header += ["Little", "memory MB", "errors"]
    rows = []
    for name in names:
        runs = comparison.measured(case.id, name)
        cpu_us = [run.cpu_us_per_request for run in runs]
        rows.append(
            [
                name,
                f"{median(run.requests_per_s for run in runs):,.0f}",
                f"**{median(cpu_us):.2f}** ({min(cpu_us):.2f}–{max(cpu_us):.2f})",
                f"{median(run.user_us_per_request for run in runs):.2f}",
                f"{median(run.system_us_per_request for run in runs):.2f}",
                _in_state(comparison, case, name, "fast"),
                _in_state(comparison, case, name, "slow"),
                EMPTY if name == FLOOR else _ratio(comparison.ratio(case.id, name, FLOOR)),
                EMPTY if name == OURS else _ratio(comparison.ratio(case.id, OURS, name)),
                f"{median(run.server_us_per_request for run in runs):.2f}",
                f"{median(run.generator_busy_share for run in runs):.0%}",
                f"{median(run.server_busy_share for run in runs):.0%}",
                _middle([run.p50_us for run in runs], ",.0f"),
                _middle([run.p99_us for run in runs], ",.0f"),
                _middle([run.little_closure for run in runs], ".2f"),
                f"{max(run.memory_peak_bytes for run in runs) / 1e6:,.0f}",
                f"{sum(run.errors for run in runs):,}",
            ]
        )
    return _table(header, rows)


def _fidelity_table(comparison: Comparison, case: Case, names: Sequence[str]) -> str:
    header = ["generator", "requests/s", "schedule error p50 µs", "p99 µs", "gap p50 µs", "p99 µs"]
    header += ["gaps < 20 µs", "CV of gaps", "true p50 µs", "reported p50", "true p99 µs"]
    header += ["reported p99", "CPU µs/request", "errors", "unsent"]
    rows = []
    for name in names:
        runs = comparison.measured(case.id, name)
        seen = [run.fidelity for run in runs if run.fidelity is not None]
        rows.append(
            [
                name,
                f"{median(run.requests_per_s for run in runs):,.0f}",
                _middle([each.schedule_error_p50_us for each in seen], ",.0f"),
                _middle([each.schedule_error_p99_us for each in seen], ",.0f"),
                _middle([each.gap_p50_us for each in seen], ",.1f"),
                _middle([each.gap_p99_us for each in seen], ",.0f"),
                _middle([each.burst_share for each in seen], ".0%"),
                _middle([each.gap_variation for each in seen], ".2f"),
                _middle([each.true_p50_us for each in seen], ",.1f"),
                _middle([run.p50_us for run in runs], ",.1f"),
                _middle([each.true_p99_us for each in seen], ",.0f"),
                _middle([run.p99_us for run in runs], ",.0f"),
                f"{median(run.cpu_us_per_request for run in runs):.1f}",
                f"{sum(run.errors for run in runs):,}",
                f"{sum(run.unsent for run in runs):,}",
            ]
        )
    return _table(header, rows)


def _programs(session: Session) -> str:
    rows = [[name, version] for name, version in sorted(session.versions.items())]
    rows += [[name, f"not available: {why}"] for name, why in sorted(session.absent.items())]
    return "## Programs\n\n" + _table(["program", "version"], rows)


def _cpu_us(runs: Sequence[Measured]) -> float:
    return median(run.cpu_us_per_request for run in runs)


def _in_state(comparison: Comparison, case: Case, name: str, state: str) -> str:
    values = [
        run.measured.cpu_us_per_request
        for run in comparison.of(case.id, name)
        if run.measured is not None and comparison.state(run) == state
    ]
    return f"{median(values):.2f} ({len(values)})" if values else EMPTY


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return EMPTY
    if ratio.low is None:
        return f"{ratio.value:.3f} (n = {ratio.pairs})"
    return f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}] (n = {ratio.pairs})"


def _middle(values: Sequence[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return format(median(known), form) if known else EMPTY


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0][:160]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
