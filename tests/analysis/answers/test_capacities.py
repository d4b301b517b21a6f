"""Why trials show no capacity, and what to do: with the records of blocks, and their study."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.compare.one_server import write_study
from tests.support.bundles.reasons import IT_DIED
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
    goal = {"exceed_ratio": 0.5, "lower_per_s": None, "upper_per_s": None}
    outcome = changes.pop("outcome", "found")
    return CapacityFound.model_validate(
        {
            "format": "wirelab-capacity/1",
            "interrupted": False,
            "out_of_time": False,
            "url": "",
            "load": "",
            "objective": "p99<20ms",
            "allowed_loss_ratio": 0.01,
            "trial_s": 1.0,
            "duration_sum_s": 21.0,
            "seed": 1,
            "seconds": 30.0,
            "ladder": [{"clients": 1, "rate_per_s": 150.0, "is_kept": True}],
            "goals": [{**goal, "throughput_per_s": None, "outcome": outcome}],
            "trials": [
                {
                    **{name: getattr(it, name) for name in ("rate_per_s", "failed", "never_sent")},
                    **it.judged.model_dump(),
                    "at_s": 0.0,
                    "seconds": 1.0,
                    "errors": it.errors,
                    "median_us": it.p99_us,
                    "p99_us": it.p99_us,
                    "engine_busy_share": 0.1,
                }
                for it in trials
            ],
            "change": 1.0,
            "warnings": [],
            **changes,
        }
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


def test_trials_that_are_too_short_for_the_server_get_longer_ones(tmp_path: Path) -> None:
    tried = [trial(2000, kept=False)]
    found = search(tried, trial_s=0.05, outcome="no rate")

    assert sentence(study_of(tmp_path), (), found) == (
        "No capacity of it at “GET /” was found within p99<20ms: the only trial missed it, at"
        " 2 000/s. Trials of 0.05 s cannot judge a rate below 2 000/s, and the server answers at"
        " most 150/s. What to do: longer trials and a longer search, --trial 5s and --search 200s."
    ).replace("2 000", "2\u202f000")


@pytest.mark.parametrize(
    ("objective", "remedy"),
    [
        (
            "p99<20ms",
            "choose an objective that fewer requests can judge, such as --objective 'p50<20ms',"
            " or trials of that length and a longer search, --trial 500s and --search 20000s",
        ),
        (
            "p50<20ms",
            "choose trials of that length and a longer search, --trial 500s and --search 20000s",
        ),
        (
            "failed<1%",
            "choose trials of that length and a longer search, --trial 500s and --search 20000s",
        ),
    ],
)
@pytest.mark.parametrize("tried", [(), (trial(1, kept=False),)])
def test_a_server_that_needs_long_trials_gets_a_coarser_objective(
    tmp_path: Path, objective: str, remedy: str, tried: Sequence[TrialRecord]
) -> None:
    found = search(
        tried,
        trial_s=500.0,
        out_of_time=True,
        ladder=[{"clients": 1, "rate_per_s": 1.0, "is_kept": False}],
    )

    text = sentence(study_of(tmp_path, objective), (), found)

    assert (
        "A trial would take 500 s to judge the objective, as the server answers at most 1.00/s."
        f" What to do: {remedy}."
    ) in text
    assert ("no trial was complete" in text) is (tried == ())


def test_warnings_about_bounds_are_left_out_without_any(tmp_path: Path) -> None:
    tried = [trial(100, kept=False)]
    found = search(tried, outcome="no rate", warnings=["the bounds mix both, so search again"])

    assert "search again" not in sentence(study_of(tmp_path), (), found)


def test_late_answers_get_an_objective_that_the_server_can_meet(tmp_path: Path) -> None:
    tried = [trial(100, kept=False, p99_us=30_000.0), trial(150, kept=False, p99_us=80_000.0)]
    text = sentence(study_of(tmp_path), (), search(tried, outcome="no rate"))

    assert "all 2 trials missed it, at 100 to 150/s" in text
    assert "Of the requests at 100/s, 50 % were answered too late; their p99 was 30.0 ms" in text
    assert text.endswith("such as --objective 'p99<50ms'.")


def test_failures_lead_to_the_log_of_the_server(tmp_path: Path) -> None:
    tried = [trial(100, kept=False, errors=50)]
    text = sentence(study_of(tmp_path), (), search(tried, outcome="no rate"))

    assert "Of the requests at 100/s, 50 % failed (status)" in text
    assert text.endswith("What to do: read the server’s log, and correct what makes requests fail.")


def test_a_search_without_time_gets_more(tmp_path: Path) -> None:
    trials = [trial(rate, kept=False) for rate in RATES]
    text = sentence(study_of(tmp_path), trials, search((), out_of_time=True, outcome="unfinished"))

    assert "all 9 trials missed it, at 100 to 180/s. The search was over after 30 s" in text
    assert "the capacity is below the rates that the last block tried" in text
    assert text.endswith("What to do: a longer search, --search 100s.")


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_search_and_trials_that_are_too_short_are_one_message(
    tmp_path: Path, is_kept: bool
) -> None:
    """Otherwise the longer search would end with the advice to make the trials longer."""
    short = search([trial(150, kept=is_kept)], trial_s=0.05, out_of_time=True, seconds=6.0)
    text = sentence(study_of(tmp_path), [trial(150, kept=is_kept)], short)

    assert "Trials of 0.05 s cannot judge a rate below" in text
    assert "the search was over after 6.0 s and 1 trial" in text
    assert text.endswith(
        "What to do: longer trials and a longer search, --trial 5s and --search 200s."
    )


def test_a_search_has_time_for_the_trials_that_a_slow_server_needs(tmp_path: Path) -> None:
    slow = search((), trial_s=10.0, out_of_time=True, seconds=46.0)
    text = sentence(study_of(tmp_path), [trial(150, kept=True)], slow)

    assert text.endswith("What to do: a longer search, --search 500s.")


def test_trials_on_one_side_get_further_blocks(tmp_path: Path) -> None:
    trials = [trial(rate, kept=True) for rate in RATES]
    text = sentence(study_of(tmp_path), trials, search([trial(140, kept=False)]))

    assert "9 trials met it, at 100 to 180/s, and 1 trial missed it, at 140/s" in text
    assert "The capacity is above the rates that the last block tried" in text
    assert text.endswith("What to do: more blocks, --blocks 6.")


def test_trials_without_order_get_longer_and_more_trials(tmp_path: Path) -> None:
    trials = [trial(rate, kept=bool(rate % 20)) for rate in RATES]
    text = sentence(study_of(tmp_path), trials, search([trial(140, kept=False)]))

    assert "No rate separates the trials that met it from the others" in text
    assert text.endswith(
        "What to do: longer and more trials and a longer search, --trial 2s, --repeats 4 and"
        " --search 100s."
    )


def test_a_study_gets_the_keys_of_its_load(tmp_path: Path) -> None:
    study = study_of(tmp_path).model_copy(update={"id": "own"})
    late = search([trial(100, kept=False, p99_us=30_000.0)], outcome="no rate")

    assert sentence(study, (), late).endswith('such as objective = "p99<50ms".')
    short = search((), out_of_time=True, outcome="unfinished")
    assert sentence(study, [trial(100, kept=True)], short).endswith(
        "a longer search, search_seconds = 100."
    )


@pytest.mark.parametrize(
    ("study_id", "setting"), [("capacity", "--connections"), ("own", "connections")]
)
def test_limits_of_the_search_name_what_the_user_can_change(
    tmp_path: Path, study_id: str, setting: str
) -> None:
    study = study_of(tmp_path).model_copy(update={"id": study_id})
    trials = [trial(rate, kept=True) for rate in RATES]
    warning = "the limit of the connections: allow more with -c or -m"
    text = sentence(study, trials, search((), warnings=[warning]))

    assert f"The limit of the connections: raise {setting}." in text


def test_a_run_without_trials_gives_its_reason(tmp_path: Path) -> None:
    assert sentence(study_of(tmp_path)) == (
        "No capacity of it at “GET /” was found within p99<20ms: it died."
    )


def test_only_a_study_of_capacity_has_that_title(tmp_path: Path) -> None:
    capacity, times = study_of(tmp_path / "capacity"), study_with(tmp_path / "times", Terms(0.05))

    assert (capacity.title, times.title) == ("Capacity of it", "it")
    assert times.summary == "Response times with one client"
    (question,) = times.questions.values()
    assert question.text == "How fast does it answer?"
