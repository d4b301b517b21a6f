"""Statistics of the laboratory: arrays in, frozen values out, nothing read, written or printed.

docs/methods.md explains the principles: contenders take turns in slices, the block is the unit of
replication, ratios are estimated on the log scale, every verdict needs an interval, a margin
declared beforehand and six blocks, and "cannot tell" is a result. Warnings for the reader are part
of the results. See `comparison` for the sign convention: costs, A relative to B.
"""

from wirelab.statistics.block_value import block_value, trimmed_mean, variance_of_one
from wirelab.statistics.carry_over import (
    IDLE_CPU_LIMIT,
    CarryOver,
    Turns,
    busy_when_idle,
    carry_over,
)
from wirelab.statistics.claim_verdict import ClaimResult, ClaimVerdict, all_of, not_testable
from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison, compare
from wirelab.statistics.consistency import (
    Finding,
    SizeFinding,
    check_gain,
    check_little,
    check_mean,
    check_same,
    size_from_interval,
)
from wirelab.statistics.contrast import Side, log_log_slope, shape, threshold
from wirelab.statistics.estimate import Amount, Estimate, geometric_mean, mean_estimate
from wirelab.statistics.family import holm, tie_groups
from wirelab.statistics.interval import Interval
from wirelab.statistics.machine_effect import MachineEffect, OnMachine, machine_effect
from wirelab.statistics.percentile import Reporting, minimum_requests, reporting
from wirelab.statistics.rank_correlation import RankCorrelation, rank_correlation
from wirelab.statistics.repetition import (
    VarianceComponents,
    blocks_for,
    blocks_to_decide,
    expected_half_width,
    most_blocks_to_decide,
    optimal_permutations,
    variance_components,
)
from wirelab.statistics.replication import SIZE_TOLERANCE, direction, magnitude, no_higher
from wirelab.statistics.resolution import Resolution, TwinCheck, resolution, twin_check
from wirelab.statistics.scaling import ScalabilityFit, fit_scalability
from wirelab.statistics.signed_rank import SignedRank, sign_flip, signed_rank
from wirelab.statistics.steady_state import (
    Settling,
    SteadyState,
    classify_settling,
    theil_sen_slope,
    trend_p_value,
)
from wirelab.statistics.stolen_time import StolenEffect, is_too_stolen, stolen_effect
from wirelab.statistics.transition import Transition, fit_transition
from wirelab.statistics.two_way import TwoWay, two_way
from wirelab.statistics.unpaired import Summary, difference_of_means
from wirelab.statistics.validity import (
    CLOCK_CHANGE_LIMIT,
    LIMITS,
    BrokenRule,
    Rule,
    RunFigures,
    broken_rules,
)
from wirelab.statistics.verdict import (
    COST,
    RATE,
    SIGNIFICANCE,
    Direction,
    Nuance,
    Outcome,
    Verdict,
    decide,
)
from wirelab.statistics.wire import WireFit, fit_bytes

__all__ = [
    "CLOCK_CHANGE_LIMIT",
    "COST",
    "IDLE_CPU_LIMIT",
    "LIMITS",
    "MINIMUM_BLOCKS",
    "RATE",
    "SIGNIFICANCE",
    "SIZE_TOLERANCE",
    "Amount",
    "BrokenRule",
    "CarryOver",
    "ClaimResult",
    "ClaimVerdict",
    "Comparison",
    "Direction",
    "Estimate",
    "Finding",
    "Interval",
    "MachineEffect",
    "Nuance",
    "OnMachine",
    "Outcome",
    "RankCorrelation",
    "Reporting",
    "Resolution",
    "Rule",
    "RunFigures",
    "ScalabilityFit",
    "Settling",
    "Side",
    "SignedRank",
    "SizeFinding",
    "SteadyState",
    "StolenEffect",
    "Summary",
    "Transition",
    "Turns",
    "TwinCheck",
    "TwoWay",
    "VarianceComponents",
    "Verdict",
    "WireFit",
    "all_of",
    "block_value",
    "blocks_for",
    "blocks_to_decide",
    "broken_rules",
    "busy_when_idle",
    "carry_over",
    "check_gain",
    "check_little",
    "check_mean",
    "check_same",
    "classify_settling",
    "compare",
    "decide",
    "difference_of_means",
    "direction",
    "expected_half_width",
    "fit_bytes",
    "fit_scalability",
    "fit_transition",
    "geometric_mean",
    "holm",
    "is_too_stolen",
    "log_log_slope",
    "machine_effect",
    "magnitude",
    "mean_estimate",
    "minimum_requests",
    "most_blocks_to_decide",
    "no_higher",
    "not_testable",
    "optimal_permutations",
    "rank_correlation",
    "reporting",
    "resolution",
    "shape",
    "sign_flip",
    "signed_rank",
    "size_from_interval",
    "stolen_effect",
    "theil_sen_slope",
    "threshold",
    "tie_groups",
    "trend_p_value",
    "trimmed_mean",
    "twin_check",
    "two_way",
    "variance_components",
    "variance_of_one",
]
