"""Why trials show no capacity, and what to do: with the records of blocks, and their study."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.compare.one_server import write_study
from tests.support.bundles import capacities
from tests.support.bundles.reasons import IT_DIED
from tests.support.wording import assert_worded
from wirelab.analysis.answers.capacities import capacity_answers
from wirelab.bundle import BlockRecord, CapacityRecord, RunRecord, TrialRecord
from wirelab.compare.terms import Terms
from wirelab.engine.events import CapacityFound, Judged
from wirelab.planning.schedule import Block, Run
from wirelab.study import Cell, Study, load_study

CELL = Cell("it", "w-get", "own", "native", "clients")
RATES = range(100, 190, 10)


def study_of(folder: Path, objective: str = "p99<20ms") -> Study:
    """Write and read the study of one server, as `wirelab capacity` does."""
    capacity = {"kind": "capacity", "objective": objective, "search_seconds": 40.0}
    return study_with(folder, Terms(margin=0.05, capacity=capacity))


def study_with(folder: Path, terms: Terms) -> Study:
    return load_study(write_study(folder, "it", terms))


def trial(rate: float, *, kept: bool, errors: int = 0, p99_us: float = 1000.0) -> TrialRecord:
    """Make a trial of a second that lost nothing, or half of its requests."""
    due = round(rate)
    good = due if kept else due // 2
    judged = Judged(due=due, good=good, loss_ratio=1 - good / due, is_kept=kept)
    return TrialRecord(
        rate_per_s=rate,
        seconds=1.0,
        judged=judged,
        failed=errors,
        never_sent=0,
        errors={"status": errors} if errors else {},
        p99_us=p99_us,
    )


def search(trials: Sequence[TrialRecord], **changes: Any) -> CapacityFound:
    """Make a search that found its bounds, or what `changes` say."""
    bounds = ("lower_per_s", "upper_per_s", "throughput_per_s")
    found = {"exceed_ratio": 0.5, "outcome": changes.pop("outcome", "found")}
    same = ("rate_per_s", "failed", "never_sent", "errors", "p99_us")
    more = {"at_s": 0.0, "seconds": 1.0, "engine_busy_share": 0.1}
    tried = [
        {
            **{name: getattr(it, name) for name in same},
            **it.judged.model_dump(),
            **more,
            "median_us": it.p99_us,
        }
        for it in trials
    ]
    ladder = [{"clients": 1, "rate_per_s": 150.0, "is_kept": True}]
    usual = {"objective": "p99<20ms", "trials": tried, "ladder": ladder}
    return CapacityFound.model_validate(
        capacities.search([dict.fromkeys(bounds) | found], **usual | changes)
    )


def sentence(
    study: Study, trials: Sequence[TrialRecord] = (), found: CapacityFound | None = None
) -> str:
    """Return the only answer about a block without a capacity."""
    run = Run("b01-it", 1, CELL)
    capacity = None
    if trials or found:
        capacity = CapacityRecord(
            objective="p99<20ms", rate_per_s=None, trials=tuple(trials), search=found
        )
    block = BlockRecord(
        block=Block("b01", 1, 1, "w-get", (run,), 1),
        started_utc="2026-11-26T10:00:00+00:00",
        finished_utc="2026-11-26T10:01:00+00:00",
        runs=(RunRecord(run=run, status="invalid", reasons=(IT_DIED,), capacity=capacity),),
    )
    (answer,) = capacity_answers(
        study, [CELL], {}, [block], labels={"it": "it"}, titles={CELL: "GET /"}, compares=False
    )
    assert not answer.decided
    return answer.sentence.replace("\u00a0", " ")


KEPT, MISSED = ([trial(rate, kept=kept) for rate in RATES] for kept in (True, False))
SLOW: dict[str, Any] = {
    "trial_s": 500.0,
    "out_of_time": True,
    "ladder": [{"clients": 1, "rate_per_s": 1.0, "is_kept": False}],
}
UNFINISHED: dict[str, Any] = {"out_of_time": True, "outcome": "unfinished"}
LIMIT = "the limit of the connections: allow more with -c or -m"
CASES: dict[str, tuple[Sequence[TrialRecord], CapacityFound | None]] = {
    "the run has no trials": ((), None),
    "trials are too short for the server": (
        (),
        search([trial(2000, kept=False)], trial_s=0.05, outcome="no rate"),
    ),
    "warnings about bounds that there are not are left out": (
        (),
        search([trial(100, kept=False)], outcome="no rate", warnings=["the bounds mix both"]),
    ),
    "answers are late": (
        (),
        search(
            [trial(100, kept=False, p99_us=30_000.0), trial(150, kept=False, p99_us=80_000.0)],
            outcome="no rate",
        ),
    ),
    "requests fail": ((), search([trial(100, kept=False, errors=50)], outcome="no rate")),
    "the search has no time": (MISSED, search((), **UNFINISHED)),
    "search and kept trials are too short": (
        [trial(150, kept=True)],
        search([trial(150, kept=True)], trial_s=0.05, out_of_time=True, seconds=6.0),
    ),
    "search and missed trials are too short": (
        [trial(150, kept=False)],
        search([trial(150, kept=False)], trial_s=0.05, out_of_time=True, seconds=6.0),
    ),
    "a slow server needs long trials": (
        [trial(150, kept=True)],
        search((), trial_s=10.0, out_of_time=True, seconds=46.0),
    ),
    "trials are on one side": (KEPT, search([trial(140, kept=False)])),
    "trials are without order": (
        [trial(rate, kept=bool(rate % 20)) for rate in RATES],
        search([trial(140, kept=False)]),
    ),
    "the search reached a limit": (KEPT, search((), warnings=[LIMIT])),
}


def test_a_capacity_that_was_not_found_has_a_reason_and_a_remedy(tmp_path: Path) -> None:
    """For `wirelab capacity` with its options, for a study with the keys of its load."""
    command = study_of(tmp_path)
    own = command.model_copy(update={"id": "own"})
    texts = [
        f"{case}: {sentence(study, *found)}"
        for case, found in CASES.items()
        for study in ((command, own) if found[1] else (command,))
    ]

    assert_worded("\n\n".join(texts))


def test_a_server_that_needs_long_trials_gets_a_coarser_objective(tmp_path: Path) -> None:
    texts = [
        sentence(study, (), search(tried, **SLOW))
        for number, objective in enumerate(("p99<20ms", "p50<20ms", "failed<1%"))
        for study in [study_of(tmp_path / str(number), objective)]
        for tried in ((), (trial(1, kept=False),))
    ]

    assert_worded("\n\n".join(texts))


def test_only_a_study_of_capacity_has_that_title(tmp_path: Path) -> None:
    capacity, times = study_of(tmp_path / "capacity"), study_with(tmp_path / "times", Terms(0.05))

    (question,) = times.questions.values()
    assert_worded("\n".join([capacity.title, times.title, times.summary, question.text]))
