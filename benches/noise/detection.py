"""Detection: how many minutes it takes until more work shows.

How long a round of work takes, relative to the rest of an answer, depends on the machine. A short
study without the disturber measures it first; the contenders then do as many rounds more as take 2,
5 and 10 % of the time of an undisturbed answer.

One long study is measured. Of its blocks, every number of them is drawn many times at random; the
share of draws that end in "slower" is the power after the time that so many blocks took.
"""

import re
import shutil
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.random import PCG64, Generator

from benches.noise.conditions import Condition, condition
from benches.noise.running import WORLD, run_trial
from wirelab.statistics import MINIMUM_BLOCKS, Outcome, compare, decide

DRAWS = 400
PLAIN_ROUNDS = 4000
CALIBRATED_ROUNDS = 5200
"""Rounds of work of the plain contender, and of the one that is compared with it first."""
PAIR = 2
"""Contenders of which the time is counted: a pair takes that part of a block's time."""


def try_detection(name: Condition, seed: int) -> list[dict[str, object]]:
    """Measure thirty blocks; return the power by contender and number of blocks."""
    with TemporaryDirectory(prefix="wirelab-detect-") as folder:
        study = _calibrated_study(Path(folder), seed)
        with condition(name, seed):
            trial = run_trial(study, "detect", seed)
    analysis = trial.analysis
    contenders = len(analysis.contenders) + 1  # the twin
    block_s = trial.seconds / len(analysis.schedule.blocks) * PAIR / contenders
    rows: list[dict[str, object]] = []
    for pair in (pair for answer in analysis.answers for pair in answer.pairs):
        ratios = pair.comparison.log_ratios
        rows.extend(
            {
                "contender": pair.a.contender,
                "ratio": pair.comparison.ratio,
                "standard_deviation": pair.comparison.standard_deviation,
                "blocks": blocks,
                "minutes": blocks * block_s / 60,
                "power": power(ratios, blocks, seed),
            }
            for blocks in range(MINIMUM_BLOCKS, len(ratios) + 1, 2)
        )
    return rows


def _calibrated_study(folder: Path, seed: int) -> Path:
    """Copy the world into a folder, with the rounds that take 2, 5 and 10 % of an answer here."""
    answers = run_trial(WORLD, "calibrate", seed).analysis.answers
    (ratio,) = (pair.comparison.ratio for answer in answers for pair in answer.pairs)
    share_of_a_round = (ratio - 1) / (CALIBRATED_ROUNDS - PLAIN_ROUNDS)
    world = shutil.copytree(WORLD.parent, folder / "world")
    contender = world / "domain" / "contenders" / "python" / "contender.toml"
    text = contender.read_text()
    for percent in (2, 5, 10):
        rounds = PLAIN_ROUNDS + round(percent / 100 / share_of_a_round)
        text, replaced = re.subn(
            rf'(\[variant\.{percent}\][^\[]*\[[^\[]*ROUNDS = )"\d+"', rf'\1"{rounds}"', text
        )
        assert replaced == 1, f"{contender} has no variant {percent}"
    contender.write_text(text)
    return world / WORLD.name


def power(log_ratios: Sequence[float], blocks: int, seed: int) -> float:
    """Return how often so many blocks, drawn at random, say that A is slower."""
    random = Generator(PCG64([seed, blocks]))
    slower = 0
    for _ in range(DRAWS):
        comparison = compare(random.choice(log_ratios, size=blocks, replace=False))
        slower += decide(comparison, p_holm=comparison.p_value).outcome is Outcome.SLOWER
    return slower / DRAWS


def minutes_to_detect(rows: Sequence[dict[str, object]], least: float = 0.9) -> float:
    """Return the time after which the power stays at `least` or above; NaN if it never does."""
    ordered = sorted(rows, key=lambda row: float(str(row["minutes"])))
    enough = [float(str(row["power"])) >= least for row in ordered]
    first = next((n for n in count() if n >= len(enough) or all(enough[n:])), len(enough))
    return float(str(ordered[first]["minutes"])) if first < len(ordered) else float(np.nan)
