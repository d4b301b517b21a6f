"""Studies: questions as files, and how they are loaded, crossed and compared."""

from wirelab.study.cell import Cell, cross
from wirelab.study.chart import Chart
from wirelab.study.claim import Claim, ClaimsFile, Expectation
from wirelab.study.design import Design
from wirelab.study.levels import (
    CPU_COUNTS,
    FACTORS,
    NO_NETWORK,
    NO_PROXY,
    OWN_STORE,
    Factor,
    FactorGrid,
    Where,
    plural,
)
from wirelab.study.load import (
    COMPARE,
    OF_CAPACITY,
    Study,
    find_study,
    list_studies,
    load_extension_file,
    load_study,
    require_package,
)
from wirelab.study.loads import (
    CapacityLoad,
    ClosedLoad,
    Load,
    OpenLoad,
    RampLoad,
    StaircaseLoad,
)
from wirelab.study.metrics import CAPACITY, METRICS, OF_ITEMS, Metric
from wirelab.study.model import Distance, Question
from wirelab.study.published import Published, PublishedFigure
from wirelab.study.questions import (
    Pair,
    compared_by,
    family,
    group_cells,
    is_measured_alone,
    never_answered,
    twins,
    unanswered,
    with_reason,
)
from wirelab.study.slices import Slices, WarmUp
from wirelab.study.window import Window, Wire
from wirelab.study.workload import Workload

__all__ = [
    "CAPACITY",
    "COMPARE",
    "CPU_COUNTS",
    "FACTORS",
    "METRICS",
    "NO_NETWORK",
    "NO_PROXY",
    "OF_CAPACITY",
    "OF_ITEMS",
    "OWN_STORE",
    "CapacityLoad",
    "Cell",
    "Chart",
    "Claim",
    "ClaimsFile",
    "ClosedLoad",
    "Design",
    "Distance",
    "Expectation",
    "Factor",
    "FactorGrid",
    "Load",
    "Metric",
    "OpenLoad",
    "Pair",
    "Published",
    "PublishedFigure",
    "Question",
    "RampLoad",
    "Slices",
    "StaircaseLoad",
    "Study",
    "WarmUp",
    "Where",
    "Window",
    "Wire",
    "Workload",
    "compared_by",
    "cross",
    "family",
    "find_study",
    "group_cells",
    "is_measured_alone",
    "list_studies",
    "load_extension_file",
    "load_study",
    "never_answered",
    "plural",
    "require_package",
    "twins",
    "unanswered",
    "with_reason",
]
