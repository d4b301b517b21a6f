"""Has the published claim been reproduced? Every claim with its tests, verdict and sentence."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from wirelab.claims.elementary import (
    AtMostTest,
    GainTest,
    MeasuredTest,
    NoTest,
    PairTest,
    RatioTest,
    SameTest,
    ShapeTest,
    Test,
    ThresholdTest,
    elementary_tests,
)
from wirelab.claims.evidence import ClaimEvidence
from wirelab.claims.judge import cells_of, judge
from wirelab.statistics import ClaimResult, ClaimVerdict, Interval, all_of
from wirelab.study import FACTORS, METRICS, Cell, Claim, Factor, Published, Study
from wirelab.terminal import words

Names = Callable[[Cell, Factor], str]
"""Returns the name of a cell's level of a factor, as a report shows it."""

REASONS_SHOWN = 3
"""Maximum number of reasons in a sentence; the table beside it has all."""


@dataclass(frozen=True, slots=True)
class ElementaryResult:
    """One elementary test: what is expected, what was published, what was measured here.

    `published` and `measured` are ratios of A, multiplied as claimed, to B; None without such a
    pair of values; `interval` is the 95 % interval of the measured one. `cells` holds A
    before B, `missing` the unmeasured levels of the test, each with its reason.
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


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A claim with its verdict, a sentence with the reason, and all of its tests."""

    id: str
    text: str
    source: str
    verdict: ClaimVerdict
    sentence: str
    tests: tuple[ElementaryResult, ...]

    @property
    def is_measured(self) -> bool:
        """Whether any of its tests has another verdict than "not measured"."""
        return any(test.verdict is not ClaimVerdict.NOT_MEASURED for test in self.tests)


def names_in(study: Study, labels: Mapping[str, str]) -> Names:
    """Return the names of levels in a report: labels of contenders, titles of workloads."""

    def name(cell: Cell, factor: Factor) -> str:
        if factor == "contender":
            return labels.get(cell.contender, cell.contender)
        return (
            study.workloads[cell.workload].title
            if factor == "workload"
            else cell.level_title(factor)
        )

    return name


def check_claims(
    study: Study, evidence: ClaimEvidence, names: Names = Cell.level_title
) -> list[ClaimCheck]:
    """Check every claim of a study against the evidence, in the order of the file."""
    return [
        check(claim_id, claim, evidence, study.published, names)
        for claim_id, claim in study.claims.claims.items()
    ]


def check(
    claim_id: str,
    claim: Claim,
    evidence: ClaimEvidence,
    published: Published | None = None,
    names: Names = Cell.level_title,
) -> ClaimCheck:
    """Check one claim: reproduced if all of its tests are, contradicted if any of them is."""
    tests = [
        result_of(test, evidence, published or Published(), names)
        for expectation in claim.expect
        for test in elementary_tests(expectation, evidence.levels)
    ]
    verdict = _joined(tests)
    return ClaimCheck(
        claim_id, claim.text, claim.source, verdict, _sentence(verdict, tests), tuple(tests)
    )


def by_other_metrics(claims: Sequence[ClaimCheck], metric: str) -> str:
    """Return what the measured tests of claims are about, if not only about the study's metric."""
    names = dict.fromkeys(
        test.metric
        for claim in claims
        for test in claim.tests
        if test.metric and test.verdict is not ClaimVerdict.NOT_MEASURED
    )
    if names.keys() <= {metric}:
        return ""
    tested = words.listed(METRICS[name].title for name in names)
    answered = METRICS[metric].title
    return f"Claims are tested with the paper’s metrics ({tested}); the answer uses {answered}."


def not_measured(claims: Sequence[ClaimCheck]) -> str:
    """Return which claims were not measured at all, and why; "" if there are none."""
    found = [claim for claim in claims if not claim.is_measured]
    if not found:
        return ""
    names = ", ".join(claim.id for claim in found)
    reasons = [
        reason
        for claim in found
        for test in claim.tests
        for reason in test.missing or (test.reason,)
    ]
    why = words.first_few(list(dict.fromkeys(reasons)), REASONS_SHOWN)
    because = f": {why}" if why else ""
    counted = words.plural(len(found), "claim is", "claims are")
    return f"{counted} not measured ({names}){because}."


def describe(
    test: Test, factors: Collection[Factor] = FACTORS, names: Names = Cell.level_title
) -> str:
    """Describe the expectation of a test: `grpc-grpcio below rest-flask · fetch_one · native`.

    Of the levels that both sides share, only those of `factors` are named.
    """
    if isinstance(test, NoTest):
        return "not a measurable statement"
    cells = cells_of(test)
    b = cells[-1]
    if isinstance(test, GainTest):
        b = test.b
        factors = [f for f in factors if test.a.level(f) == test.a_base.level(f)]
    return _in_context(cells[0], b, _words(test, names), factors, names)


def _words(test: MeasuredTest, names: Names) -> str:
    """Describe the expectation with placeholders for A and B."""
    words = ""
    match test:
        case PairTest():
            times = "" if test.times == 1.0 else f"{test.times:g} × "
            words = f"{times}{{a}} {test.expected} {{b}}"
        case SameTest():
            words = "{a} practically the same as {b}"
        case AtMostTest():
            words = "{a} no higher than {b}"
        case GainTest():
            words = _gain_words(test, names)
        case RatioTest():
            up_to = "" if test.expectation.up_to is None else f" to {test.expectation.up_to:g}"
            words = f"{{a}} about {test.expectation.ratio:g}{up_to} × {{b}}"
        case ThresholdTest():
            limit = test.expectation
            side = f"above {limit.above:g}" if limit.above else f"below {limit.below:g}"
            words = f"{side} {METRICS[test.metric].unit}".rstrip()
        case ShapeTest():
            low, high = test.expectation.slope_from, test.expectation.slope_to
            over = ", ".join(test.expectation.at)
            words = f"slope between {low:g} and {high:g} over {over}"
    return words


def _gain_words(test: GainTest, names: Names) -> str:
    """Describe a gain without its context, which is what differs between A and B."""
    by, over = (
        " ".join(names(cell, f) for f in FACTORS if test.a.level(f) != test.a_base.level(f))
        for cell in (test.a, test.a_base)
    )
    return f"{by} gains more over {over} at {{a}} than at {{b}}"


def _in_context(a: Cell, b: Cell, words: str, factors: Collection[Factor], names: Names) -> str:
    """Fill the differences between A and B into the words, and append what they share."""
    differing = [factor for factor in FACTORS if a.level(factor) != b.level(factor)]
    sides = {
        side: " ".join(names(cell, factor) for factor in differing)
        for side, cell in (("a", a), ("b", b))
    }
    shared = [
        names(a, factor) for factor in FACTORS if factor in factors and factor not in differing
    ]
    return " · ".join((words.format(**sides), *shared))


def result_of(
    test: Test, evidence: ClaimEvidence, published: Published, names: Names = Cell.level_title
) -> ElementaryResult:
    """Judge an elementary test, with the published and the measured ratio."""
    judgement = judge(test, evidence)
    varied = [factor for factor in FACTORS if len(evidence.levels[factor]) > 1]
    return ElementaryResult(
        expected=describe(test, {"workload", "environment", *varied}, names),
        metric="" if isinstance(test, NoTest) else test.metric,
        cells=() if isinstance(test, NoTest) else cells_of(test),
        verdict=judgement.result.verdict,
        reason=judgement.result.reason,
        published=_published_ratio(test, published),
        measured=judgement.ratio,
        interval=judgement.interval,
        missing=judgement.missing,
    )


def _published_ratio(test: Test, published: Published) -> float | None:
    if not isinstance(test, PairTest | SameTest | AtMostTest | RatioTest):
        return None
    a, b = (published.figure(test.metric, cell) for cell in (test.a, test.b))
    if a is None or b is None:
        return None
    ratio = a.ratio_to(b, test.metric)
    times = test.times if isinstance(test, PairTest) else 1.0
    return None if ratio is None else times * ratio


def _joined(tests: list[ElementaryResult]) -> ClaimVerdict:
    if not tests:
        return ClaimVerdict.NOT_MEASURED
    results = {str(n): ClaimResult(test.verdict, test.reason) for n, test in enumerate(tests)}
    worst = all_of(results).verdict
    measured = any(test.verdict is not ClaimVerdict.NOT_MEASURED for test in tests)
    partly = worst is ClaimVerdict.NOT_MEASURED and measured
    return ClaimVerdict.PARTLY_MEASURED if partly else worst


def _sentence(verdict: ClaimVerdict, tests: list[ElementaryResult]) -> str:
    if not tests:
        return f"{verdict.capitalize()}: nothing that the claim compares was measured."
    if verdict is ClaimVerdict.REPRODUCED:
        return f"Reproduced in {_of_tests(len(tests), len(tests))}."
    summary = verdict.capitalize()
    if verdict is ClaimVerdict.PARTLY_MEASURED:
        verdict = ClaimVerdict.NOT_MEASURED
        summary = f"{summary}: {verdict}"
    blamed = [test for test in tests if test.verdict is verdict]
    others = Counter(test.verdict for test in tests if test.verdict is not verdict)
    rest = "".join(f"; {other} in {count}" for other, count in others.items())
    where = _of_tests(len(blamed), len(tests))
    reasons = _reasons(blamed) if blamed[0].cells else blamed[0].reason
    return f"{summary} in {where}: {reasons}{rest}."


def _of_tests(count: int, total: int) -> str:
    if total == 1:
        return "its only test"
    return f"all {total} tests" if count == total else f"{count} of {total} tests"


def _reasons(tests: list[ElementaryResult]) -> str:
    """Give each reason once; one that belongs to a single test names the test."""
    by_reason: dict[str, list[str]] = {}
    for test in tests:
        for reason in test.missing or (test.reason,):
            by_reason.setdefault(reason, []).append(test.expected)
    named = [
        reason if len(expected) > 1 else f"{expected[0]}: {reason}"
        for reason, expected in by_reason.items()
    ]
    return words.first_few(named, REASONS_SHOWN)
