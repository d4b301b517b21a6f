"""The search finds planted changes with few rounds, and accuses nothing else."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from wirelab.statistics import SIGNIFICANCE, Comparison, Method, compare, holm
from wirelab.versions.search import MOST_CHECKS, Bisection, Search
from wirelab.versions.steps import Chain, JudgedRound, VersionStep

BLOCKS = 8
PATH = [f"c{number:02}" for number in range(33)]


@dataclass
class Line:
    """A history without merges, or with branches that some commits merge."""

    merged: Mapping[str, list[str]] = field(default_factory=dict)

    def path(self, older: str, newer: str) -> list[str]:
        for path in (PATH, *self.merged.values()):
            if older in path and newer in path:
                return path[path.index(older) : path.index(newer) + 1]
        raise AssertionError((older, newer))

    def branches(self, parent: str, merge: str) -> list[list[str]]:
        return [self.merged[merge]] if merge in self.merged else []


@dataclass
class Simulated:
    """Measures commits whose times are known, with noise of a block."""

    log_times: Mapping[str, float]
    noise: float = 0.01
    broken: Collection[str] = ()
    seed: int = 1
    has_time: bool = True
    rounds: list[list[list[str]]] = field(default_factory=list)
    checks: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def is_usable(self, commit: str) -> bool:
        return commit not in self.broken

    def measure(
        self, chains: Sequence[Chain], level: float, *, workload: str = "", until_all: bool = False
    ) -> JudgedRound:
        self.rounds.append([list(chain) for chain in chains])
        self.checks += [level] * until_all
        names = dict.fromkeys(commit for chain in chains for commit in chain)
        values = {
            name: self.log_times.get(name, 0.0) + self.random.normal(0.0, self.noise, BLOCKS)
            for name in names
        }

        def compared(older: str, newer: str) -> Comparison:
            return compare(values[newer] - values[older], method=Method.REPEATED_T)

        pairs = [pair for chain in chains for pair in pairwise(chain)]
        comparisons = [compared(*pair) for pair in pairs]
        corrected = holm([each.p_value for each in comparisons])
        return JudgedRound(
            tuple(
                VersionStep(*pair, workload or "w-get", comparison, float(p), level)
                for pair, comparison, p in zip(pairs, comparisons, corrected, strict=True)
            ),
            tuple(compared(chain[0], chain[-1]) for chain in chains),
        )


def after(*changed: tuple[str, float]) -> dict[str, float]:
    """Return the logarithms of times, from the ratios at which commits change them."""
    return {
        name: sum(math.log(ratio) for commit, ratio in changed if name >= commit) for name in PATH
    }


def search(measured: Simulated, line: Line | None = None) -> Bisection:
    return Search(line or Line(), measured).run(PATH[0], PATH[-1])


def accused(found: Bisection) -> list[tuple[str, ...]]:
    return [part.candidates for part in found.accused]


@pytest.mark.parametrize("number", [1, 2, 10, 11, 16, 22, 31, 32])
def test_one_change_is_found_in_three_rounds_and_a_check(number: int) -> None:
    measured = Simulated(after((PATH[number], 1.1)))

    found = search(measured)

    assert accused(found) == [(PATH[number],)]
    (part,) = found.accused
    assert part.step is not None
    assert part.step.comparison.ratio == pytest.approx(1.1, rel=0.03)
    assert len(measured.rounds) <= 4
    assert all(part.step and part.step.is_same for part in found.parts if not part.narrow)


def test_only_checks_accuse_and_their_level_is_shared() -> None:
    measured = Simulated(after((PATH[7], 1.1), (PATH[20], 1.1)))

    found = search(measured)

    assert {part.step.level for part in found.parts if part.step} == {SIGNIFICANCE / MOST_CHECKS}
    assert len(measured.checks) <= MOST_CHECKS


@pytest.mark.parametrize("second", [1.06, 0.92])
def test_two_changes_are_two_steps(second: float) -> None:
    found = search(Simulated(after((PATH[5], 1.06), (PATH[25], second)), noise=0.006))

    assert accused(found) == [(PATH[5],), (PATH[25],)]
    ratios = [part.step.comparison.ratio for part in found.accused if part.step]
    assert ratios == pytest.approx([1.06, second], rel=0.02)


def test_ends_that_do_not_differ_end_after_the_first_round() -> None:
    measured = Simulated({})

    found = search(measured)

    assert found.is_same
    assert found.accused == found.unresolved == []
    assert len(measured.rounds) == 1


def test_a_change_that_is_spread_is_not_pinned_on_a_commit() -> None:
    spread = {name: 0.003 * number for number, name in enumerate(PATH)}

    found = search(Simulated(spread, noise=0.02))

    assert found.accused == []
    assert not found.is_same


def test_commits_that_cannot_be_measured_are_named_with_those_beside_them() -> None:
    measured = Simulated(after((PATH[20], 1.1)), broken=PATH[19:22])

    found = search(measured)

    assert accused(found) == [tuple(PATH[19:23])]
    assert not {*PATH[19:22]} & {name for r in measured.rounds for chain in r for name in chain}


def test_the_commit_of_a_merged_branch_is_found() -> None:
    branch = [PATH[3], "b1", "b2", "b3"]
    slower = after((PATH[12], 1.1)) | {"b1": 0.0, "b2": math.log(1.1), "b3": math.log(1.1)}

    found = search(Simulated(slower), Line({PATH[12]: branch}))

    assert accused(found) == [("b2",)]
    assert [part.commits[0] for part in found.parts] == [PATH[0], "b1", PATH[12]]


def test_a_merge_is_accused_if_its_branch_is_not_slower_by_itself() -> None:
    branch = [PATH[3], "b1", "b2"]

    found = search(Simulated(after((PATH[12], 1.1))), Line({PATH[12]: branch}))

    assert accused(found) == [(PATH[12],)]


def test_without_time_the_narrowest_part_so_far_is_reported() -> None:
    found = search(Simulated(after((PATH[20], 1.1)), has_time=False))

    assert found.accused == []
    (part,) = found.unresolved
    assert PATH[20] in part.candidates


@pytest.mark.parametrize("truth", ["no change", "one change"])
def test_commits_that_change_nothing_are_accused_in_at_most_five_percent(truth: str) -> None:
    times = after((PATH[20], 1.02)) if truth == "one change" else {}
    runs = 200

    wrong = sum(
        any(PATH[20] not in part or not times for part in accused(found))
        for found in (search(Simulated(times, noise=0.02, seed=seed)) for seed in range(runs))
    )

    assert wrong <= 0.05 * runs
