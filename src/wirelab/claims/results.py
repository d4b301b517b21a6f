"""What claims and their elementary tests come to."""

from dataclasses import dataclass

from wirelab.statistics import Basis, ClaimVerdict, EffectSize, Interval
from wirelab.study import Cell


@dataclass(frozen=True, slots=True)
class ElementaryResult:
    """One elementary test: what is expected, what was published, what was measured here.

    `published` and `measured` are ratios of A, multiplied as claimed, to B; None without such a
    pair of values; `interval` is the 95 % interval of the measured one. `cells` holds A
    before B, `missing` the unmeasured levels of the test, each with its reason. `effect` compares
    the measured effect with the published one. While the claim is undecided, `cause` says why the
    test is open, and `further_blocks` how many more will probably close it, if known.
    """

    expected: str
    metric: str
    cells: tuple[Cell, ...]
    verdict: ClaimVerdict
    reason: str
    published: float | None = None
    measured: float | None = None
    interval: Interval | None = None
    missing: tuple[str, ...] = ()
    effect: EffectSize | None = None
    cause: Basis | None = None
    further_blocks: int | None = None


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A claim with its verdict, a sentence with the reason, and all of its tests.

    It holds in `holding` of its `tested` tests, each taken by itself. `treatment_differs` says how
    the treatment of the tests differs from the paper's; "" if it does not.
    """

    id: str
    text: str
    source: str
    verdict: ClaimVerdict
    sentence: str
    tests: tuple[ElementaryResult, ...]
    holding: int = 0
    tested: int = 0
    treatment_differs: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether any of its tests has another verdict than "not measured"."""
        return any(test.verdict is not ClaimVerdict.NOT_MEASURED for test in self.tests)
