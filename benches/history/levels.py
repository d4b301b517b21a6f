"""Change points on ratios to an anchor, and E-divisive on the raw times of the same runs.

A history of 60 commits has three changes of 3 to 10 %. Three machines of different speed measure it
in turn, a commit each time on the next; a machine drifts by some percent from session to session,
which anchor and commit share. E-divisive (Matteson and James, JASA 109 (2014) 334-345) is what
MongoDB and Apache Otava use on raw times.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from wirelab.statistics import levels

COMMITS, CHANGES = 60, 3
NEAR = {"ratios, levels": 1, "times, E-divisive": 1, "times of each machine, E-divisive": 3}
"""How many commits beside a change count as found; one machine measured only each third."""
LEAST_LEVEL = 5
"""Commits between two changes, at least."""
SPEEDS = (1.0, 1.7, 0.6)
DRIFT = 0.02
"""Standard deviation of a session's speed."""
BLOCK = 0.015
"""Standard deviation of a block's logarithm of a ratio."""
BLOCKS = 8
PERMUTATIONS = 199
SIGNIFICANCE = 0.05

Values = NDArray[np.float64]


def compare_methods(histories: int, seed: int) -> None:
    """Print recall and precision of both methods over simulated histories."""
    random = Generator(PCG64(seed))
    counts = {name: [0, 0] for name in NEAR}
    for _ in range(histories):
        truth, changes = _history(random)
        ratios = truth + random.normal(0.0, BLOCK / np.sqrt(BLOCKS), COMMITS)
        speeds = np.log([SPEEDS[number % len(SPEEDS)] for number in range(COMMITS)])
        times = truth + speeds + random.normal(0.0, DRIFT, COMMITS)
        variances = np.full(COMMITS, BLOCK**2 / BLOCKS)
        found = {
            "ratios, levels": [level.first for level in levels(ratios, variances)][1:],
            "times, E-divisive": e_divisive(np.exp(times), random),
            "times of each machine, E-divisive": [
                machine + len(SPEEDS) * at
                for machine in range(len(SPEEDS))
                for at in e_divisive(np.exp(times[machine :: len(SPEEDS)]), random)
            ],
        }
        for name, positions in found.items():
            merged = _merged(positions, NEAR[name])
            counts[name][0] += _hits(merged, changes, NEAR[name])
            counts[name][1] += len(merged)
    for name, (hits, accused) in counts.items():
        precision = hits / accused if accused else 1.0
        print(f"{name}: recall {hits / (CHANGES * histories):.2f}, precision {precision:.2f}")


def _history(random: Generator) -> tuple[Values, list[int]]:
    """Return the logarithms of 60 times, and where they change."""
    while True:
        changes = sorted(random.integers(LEAST_LEVEL, COMMITS - LEAST_LEVEL, CHANGES).tolist())
        if min(np.diff(changes)) >= LEAST_LEVEL:
            break
    steps = np.zeros(COMMITS)
    for at in changes:
        steps[at] = random.choice([-1, 1]) * np.log1p(random.uniform(0.03, 0.1))
    return steps.cumsum(), changes


def _merged(found: Sequence[int], near: int) -> list[int]:
    """Return positions of which several machines may have found the same change, each once."""
    kept: list[int] = []
    for at in sorted(found):
        if not kept or at - kept[-1] > near:
            kept.append(at)
    return kept


def _hits(found: Sequence[int], changes: Sequence[int], near: int) -> int:
    return sum(any(abs(at - each) <= near for each in found) for at in changes)


def e_divisive(values: Values, random: Generator) -> list[int]:
    """Return where a series changes, by E-divisive with α = 1 and a permutation test."""
    found: list[int] = []
    waiting = [(0, values.size)]
    while waiting:
        start, end = waiting.pop()
        part = values[start:end]
        if part.size < 2 * LEAST_LEVEL:
            continue
        statistic, at = _best(part)
        beaten = sum(_best(random.permutation(part))[0] >= statistic for _ in range(PERMUTATIONS))
        if (beaten + 1) / (PERMUTATIONS + 1) < SIGNIFICANCE:
            found.append(start + at)
            waiting += [(start, start + at), (start + at, end)]
    return sorted(found)


def _best(part: Values) -> tuple[float, int]:
    """Return the largest scaled energy distance of two neighbouring parts, and where it is."""
    distance = np.abs(part[:, None] - part[None, :])
    best = (-np.inf, 0)
    for at in range(LEAST_LEVEL, part.size - LEAST_LEVEL + 1):
        n, m = at, part.size - at
        between = 2.0 * distance[:at, at:].mean()
        within = distance[:at, :at].sum() / (n * (n - 1)) + distance[at:, at:].sum() / (m * (m - 1))
        best = max(best, (float(n * m / (n + m) * (between - within)), at))
    return best
