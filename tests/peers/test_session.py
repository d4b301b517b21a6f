"""The order of a session, its file, and its report."""

from pathlib import Path

import pytest

from benches.peers.__main__ import RESULTS
from benches.peers.case import CASES
from benches.peers.generators import EARLIER, GENERATORS
from benches.peers.goal import GOALS
from benches.peers.markdown import render
from benches.peers.result import Run, Session
from benches.peers.session import Plan
from tests.peers.rows import fidelity, not_built, run
from wirelab.lab.host import read_host


def session(*runs: Run) -> Session:
    return Session(
        started_utc="2026-11-20T12:00:00+00:00",
        host=read_host(),
        server_cpu=0,
        generator_cpu=1,
        rounds=5,
        seconds=5.0,
        requests=None,
        versions={"wrk": "4.1.0"},
        absent={"wrk2": "only its source"},
        runs=runs,
    )


def test_every_second_round_is_reversed() -> None:
    walk = list(Plan(CASES, GENERATORS, rounds=2, seconds=1).walk())
    first, second = (
        [each.name for round_, case, each in walk if (round_, case.id) == (number, "http1-small")]
        for number in (0, 1)
    )
    assert len(first) >= 8
    assert second == first[::-1]


def test_a_long_case_takes_place_once() -> None:
    walk = list(Plan(CASES, GENERATORS, rounds=5, seconds=1).walk())
    assert {round_ for round_, case, _ in walk if case.id == "memory"} == {0}
    assert {round_ for round_, case, _ in walk if case.id == "http3-1x64"} == set(range(5))


def test_results_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "peers.json"
    kept = session(run("wrk", 0, 6.9), run("floor", 0, 6.1, case="schedule", fidelity=fidelity()))
    kept.write(path)
    assert Session.read(path) == kept
    assert [each.name for each in tmp_path.iterdir()] == ["peers.json"]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_committed_reports_are_those_of_the_committed_results(path: Path) -> None:
    assert path.with_suffix(".md").read_text(encoding="utf-8") == render(Session.read(path))


def test_the_report_contains_goals_costs_and_missing_results() -> None:
    text = render(
        session(
            *(run("floor", round_, 6.0) for round_ in range(2)),
            *(run("wirelab-load", round_, 6.12) for round_ in range(2)),
            *(run("wrk", round_, 6.8) for round_ in range(2)),
            not_built("wirelab-load", "tls-small"),
            run("wrk", 0, 9.0, case="tls-small"),
            run("wirelab-load", 0, 9.0, case="schedule", p50_us=12.0, fidelity=fidelity()),
        )
    )
    assert " floor | 1.020 [1.020, 1.020] (n = 2) | **met** |" in text
    assert "| tls-small | below 1 × wrk | – |" in text
    assert "| **6.12** (6.12–6.12) |" in text
    assert "wirelab-load: not built" in text
    assert "| wrk2 | not available" in text
    assert "µs at most 10 | 4 | **met** |" in text
    shown = [g for g in GOALS if g.case in {"http1-small", "tls-small", "schedule"}]
    assert text.count("\n| ") > len([g for g in shown if "earlier" not in str(g)])
    assert "http2-1x64" not in text  # a case that was not tried
    assert EARLIER not in text


def test_an_earlier_engine_is_compared_if_the_session_has_one() -> None:
    rounds = range(2)
    text = render(
        session(
            *(run("wirelab-load", round_, 6.12) for round_ in rounds),
            *(run(EARLIER, round_, 6.0) for round_ in rounds),
        )
    )
    goal = f"at most 1.01 × {EARLIER}"
    assert f"| http1-small | {goal} | 1.020 [1.020, 1.020] (n = 2) | **missed** |" in text


def test_a_session_without_runs_has_a_report() -> None:
    assert "| wrk | 4.1.0 |" in render(session())
