"""Statistics of the laboratory: arrays in, frozen values out, nothing read, written or printed.

The package takes a position, explained in docs/methods.md: the run is the unit of replication,
runs are compared within randomised blocks on the log scale, every verdict needs an interval, a
margin and six blocks, and "cannot tell" is a result. What a reader must be warned of travels in
the results as data. See `comparison` for the sign convention: costs, A relative to B.
"""

from wirelab.statistics.claim_verdict import ClaimResult, ClaimVerdict, all_of, not_testable
from wirelab.statistics.comparison import MINIMUM_BLOCKS, Comparison, compare
from wirelab.statistics.consistency import (
    Finding,
    SizeFinding,
    check_count,
    check_gain,
    check_little,
    check_mean,
    check_same,
    check_total,
    size_from_interval,
)
from wirelab.statistics.contrast import Side, log_log_slope, shape, threshold
from wirelab.statistics.early_stopping import (
    Probe,
    judge_probe,
    requests_for_late,
    requests_for_margin,
)
from wirelab.statistics.estimate import Estimate, mean_estimate, prediction_interval
from wirelab.statistics.family import Friedman, friedman, holm, tie_groups
from wirelab.statistics.interval import Interval
from wirelab.statistics.noise import NoiseFloor, TwinCheck, margin_from, noise_floor, twin_check
from wirelab.statistics.percentile import (
    QuantileInterval,
    QuantileRanks,
    Reporting,
    Sides,
    minimum_requests,
    percentile,
    quantile_interval,
    quantile_ranks,
    quantile_test,
    reporting,
)
from wirelab.statistics.rank_sum import RankSum, Superiority, mann_whitney, superiority
from wirelab.statistics.repetition import (
    VarianceComponents,
    blocks_for,
    expected_half_width,
    optimal_repetitions,
    variance_components,
)
from wirelab.statistics.replication import (
    OrderResult,
    direction,
    log_ratio_error,
    magnitude,
    no_better,
    order,
)
from wirelab.statistics.scaling import ScalabilityFit, fit_scalability
from wirelab.statistics.signed_rank import SignedRank, sign_flip, signed_rank
from wirelab.statistics.steady_state import (
    Settling,
    SteadyState,
    classify_settling,
    theil_sen_slope,
)
from wirelab.statistics.unpaired import (
    RatioOfMeans,
    Summary,
    difference_of_means,
    ratio_of_means,
)
from wirelab.statistics.validity import Limits, RunFigures, reasons_invalid
from wirelab.statistics.verdict import WIDEST_MARGIN, Nuance, Outcome, Verdict, decide
from wirelab.statistics.wire import WireFit, break_even, fit_bytes

__all__ = [
    "MINIMUM_BLOCKS",
    "WIDEST_MARGIN",
    "ClaimResult",
    "ClaimVerdict",
    "Comparison",
    "Estimate",
    "Finding",
    "Friedman",
    "Interval",
    "Limits",
    "NoiseFloor",
    "Nuance",
    "OrderResult",
    "Outcome",
    "Probe",
    "QuantileInterval",
    "QuantileRanks",
    "RankSum",
    "RatioOfMeans",
    "Reporting",
    "RunFigures",
    "ScalabilityFit",
    "Settling",
    "Side",
    "Sides",
    "SignedRank",
    "SizeFinding",
    "SteadyState",
    "Summary",
    "Superiority",
    "TwinCheck",
    "VarianceComponents",
    "Verdict",
    "WireFit",
    "all_of",
    "blocks_for",
    "break_even",
    "check_count",
    "check_gain",
    "check_little",
    "check_mean",
    "check_same",
    "check_total",
    "classify_settling",
    "compare",
    "decide",
    "difference_of_means",
    "direction",
    "expected_half_width",
    "fit_bytes",
    "fit_scalability",
    "friedman",
    "holm",
    "judge_probe",
    "log_log_slope",
    "log_ratio_error",
    "magnitude",
    "mann_whitney",
    "margin_from",
    "mean_estimate",
    "minimum_requests",
    "no_better",
    "noise_floor",
    "not_testable",
    "optimal_repetitions",
    "order",
    "percentile",
    "prediction_interval",
    "quantile_interval",
    "quantile_ranks",
    "quantile_test",
    "ratio_of_means",
    "reasons_invalid",
    "reporting",
    "requests_for_late",
    "requests_for_margin",
    "shape",
    "sign_flip",
    "signed_rank",
    "size_from_interval",
    "superiority",
    "theil_sen_slope",
    "threshold",
    "tie_groups",
    "twin_check",
    "variance_components",
]
