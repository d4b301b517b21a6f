"""Statistics of the laboratory: arrays in, frozen values out, nothing read, written or printed.

The package takes a position, explained in docs/methods.md: the run is the unit of replication,
runs are compared within randomised blocks on the log scale, every verdict needs an interval, a
margin and six blocks, and "cannot tell" is a result. What a reader must be warned of travels in
the results as data. See `comparison` for the sign convention: costs, A relative to B.
"""

from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison, compare
from wirelab.statistics.estimate import Estimate, mean_estimate, prediction_interval
from wirelab.statistics.family import Friedman, friedman, holm, tie_groups
from wirelab.statistics.interval import Interval
from wirelab.statistics.noise import NoiseFloor, TwinCheck, margin_from, noise_floor, twin_check
from wirelab.statistics.rank_sum import RankSum, Superiority, mann_whitney, superiority
from wirelab.statistics.signed_rank import SignedRank, sign_flip, signed_rank
from wirelab.statistics.verdict import Nuance, Outcome, Verdict, decide

__all__ = [
    "MINIMUM_BLOCKS",
    "Comparison",
    "Estimate",
    "Friedman",
    "Interval",
    "NoiseFloor",
    "Nuance",
    "Outcome",
    "RankSum",
    "SignedRank",
    "Superiority",
    "TwinCheck",
    "Verdict",
    "compare",
    "decide",
    "friedman",
    "holm",
    "mann_whitney",
    "margin_from",
    "mean_estimate",
    "noise_floor",
    "prediction_interval",
    "sign_flip",
    "signed_rank",
    "superiority",
    "tie_groups",
    "twin_check",
]
