"""What the live page shows while a real study finds capacities: searches, trials, overloads."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.undisturbed import undisturbed
from tests.support.worlds import copy_world
from wirelab.experiment.events import ActivityStarted, Event, StudyEnded
from wirelab.experiment.study import run_study
from wirelab.live.feed import LivePage
from wirelab.planning.plan import plan_study

from .conftest import states_of

CHANGES = {
    'kind = "closed"\nclients = 1': """kind = "capacity"
objective = "failed<30%"
connections = 1
repeats = 1
search_seconds = 6
trial_seconds = 0.3""",
    'baseline = "good"': 'baseline = "waiting"',
    "blocks = 2": "blocks = 1",
    "permutations = 8": "permutations = 2",
    # Contenders take turns at a load of this kind.
    "separate = true\n": "",
    "window = { transactions = 200, seconds = 8.0 }\n": "",
}
"""One connection to a server that waits for ten milliseconds sustains less than 100 per second."""


class Watched(LivePage):
    """A page that a browser watches: what it shows when something begins within a block."""

    def __init__(self) -> None:
        super().__init__(0, print)
        self.shown: dict[str, Any] = {}

    def on(self, event: Event) -> None:
        """Let the study wait until the page shows what begins."""
        super().on(event)
        if isinstance(event, ActivityStarted):
            states = states_of(self.address)
            self.shown[event.text] = next(it for it in states if it["doing"] == event.text)


def watch(folder: Path) -> dict[str, Any]:
    """Carry out a study of one contender and its twin; return what the page shows of it."""
    study = copy_world(folder)
    text = (study / "study.toml").read_text()
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new)
    (study / "study.toml").write_text(text)
    with Watched() as page:
        planned = plan_study(study, "smoke", 1, ("waiting",))
        outcome = run_study(planned, folder / "bundle", observer=page)
        page.on(StudyEnded(outcome.bundle.info.status))
        states = states_of(page.address)
        return page.shown | {"": next(it for it in states if it["status"] == "complete")}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page shows of a study that finds a capacity, by what is done."""
    return undisturbed(
        lambda: watch(tmp_path_factory.mktemp("capacity")), lambda it: "overload, waiting" in it
    )


def transactions(state: Any) -> dict[str, int]:
    """Return how many transactions contenders have had."""
    return {it["who"]: it["transactions"] for it in state["contenders"]}


def test_the_page_shows_the_activity_of_a_block(shown: dict[str, Any]) -> None:
    searches = ["search 1 of 1, at most 6 s, waiting"]
    trials = [f"trial {number} of 9" for number in range(1, 10)]
    permutations = [f"permutation {number} of 2" for number in (1, 2)]
    order = [name for name in shown if not name.startswith("at ")]  # where trials approach

    assert order[:2] == ["warm-up, waiting", "warm-up, waiting~twin"]
    assert order[2:14] == searches + trials + permutations
    assert order[14] == "overload, waiting"
    assert shown[""]["doing"] == ""


def test_trials_have_figures(shown: dict[str, Any]) -> None:
    for name in ("waiting", "waiting~twin"):
        counts = [transactions(shown[f"trial {number} of 9"])[name] for number in range(2, 10)]
        assert counts == sorted(set(counts))  # each trial adds to them
    for contender in shown["trial 2 of 9"]["contenders"]:
        assert contender["rate"] > 0
        assert contender["p50_us"] > 10_000


def test_overloads_have_figures(shown: dict[str, Any]) -> None:
    at_first = transactions(shown["overload, waiting"])
    after = transactions(shown.get("overload, waiting~twin", shown[""]))

    assert after["waiting"] > at_first["waiting"]
