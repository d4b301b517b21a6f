"""Detection: how many minutes it takes until more work shows.

How long a round of work takes, relative to the rest of an answer, depends on the machine. A short
study without the disturber measures it first; the contenders then do as many rounds more as take 1,
2, 5 and 10 % of the time of an undisturbed answer.

One long study is measured. Of its blocks, sequences are drawn at random, with replacement. Each is
looked at after every block, as a study that ends with its verdict is; the result is the time until
nine of ten say "slower".
"""

import math
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.random import PCG64, Generator

from benches.noise.conditions import Condition, condition
from benches.noise.running import WORLD, run_trial
from wirelab.statistics import SIGNIFICANCE
from wirelab.statistics.repeated_t import FIRST_LOOK, calibrated, looks

DRAWS = 2000
MOST_BLOCKS = 400
POWER = 0.9
MARGIN = math.log1p(0.005)
"""So that 1 % is not too little to matter."""
PLAIN_ROUNDS = 4000
CALIBRATED_ROUNDS = 5200
"""Rounds of work of the plain contender, and of the one that is compared with it first."""
PAIR = 2
"""Contenders of which the time is counted: a pair takes that part of a block's time."""


def try_detection(name: Condition, seed: int) -> list[dict[str, object]]:
    """Measure thirty blocks; return for each amount of work how long it takes until it shows."""
    with TemporaryDirectory(prefix="wirelab-detect-") as folder:
        study = _calibrated_study(Path(folder), seed)
        with condition(name, seed):
            trial = run_trial(study, "detect", seed)
    analysis = trial.analysis
    contenders = len(analysis.contenders) + 1  # the twin
    block_s = trial.seconds / len(analysis.schedule.blocks) * PAIR / contenders
    rows: list[dict[str, object]] = []
    for pair in (pair for answer in analysis.answers for pair in answer.pairs):
        comparison = pair.comparison
        blocks = blocks_to_detect(comparison.log_ratios, seed)
        rows.append(
            {
                "contender": pair.a.contender,
                "ratio": comparison.ratio,
                "standard_deviation": comparison.standard_deviation,
                "seconds_of_a_block": block_s,
                "blocks": blocks,
                "minutes": None if blocks is None else blocks * block_s / 60,
            }
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
    for percent in (1, 2, 5, 10):
        rounds = PLAIN_ROUNDS + round(percent / 100 / share_of_a_round)
        text, replaced = re.subn(
            rf'(\[variant\.{percent}\][^\[]*\[[^\[]*ROUNDS = )"\d+"', rf'\1"{rounds}"', text
        )
        assert replaced == 1, f"{contender} has no variant {percent}"
    contender.write_text(text)
    return world / WORLD.name


def blocks_to_detect(log_ratios: Sequence[float], seed: int) -> int | None:
    """Return after how many blocks `POWER` of the sequences say that A is slower.

    None if they do not within `MOST_BLOCKS`.
    """
    random = Generator(PCG64(seed))
    drawn = random.choice(np.asarray(log_ratios), size=(DRAWS, MOST_BLOCKS))
    after = looks(drawn)
    slower = np.minimum.accumulate(after.scaled_tails(0.0), axis=-1)
    within = np.maximum(
        np.minimum.accumulate(after.scaled_tails(-MARGIN), axis=-1),
        np.minimum.accumulate(after._replace(means=-after.means).scaled_tails(-MARGIN), axis=-1),
    )
    says_slower = (calibrated(slower) < SIGNIFICANCE) & (calibrated(within) / 2 >= SIGNIFICANCE)
    enough = np.flatnonzero(says_slower.mean(axis=0) >= POWER)
    return int(enough[0]) + FIRST_LOOK if enough.size else None
