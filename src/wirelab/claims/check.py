"""Has the published claim been reproduced? Every claim with its tests, verdict and sentence."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from wirelab.claims.evidence import ClaimEvidence
from wirelab.claims.judge import MeasuredPart, judge
from wirelab.claims.results import ClaimCheck, ElementaryResult
from wirelab.claims.verdict_words import REASONS_SHOWN, reason_of, sentence_of
from wirelab.statistics import ClaimVerdict, PartResult, assess_claims
from wirelab.study import FACTORS, METRICS, Cell, Claim, Factor, Published, Study
from wirelab.study.elementary import (
    AtMostTest,
    GainTest,
    MeasuredTest,
    NoTest,
    PairTest,
    RatioTest,
    SameTest,
    SlopesTest,
    Test,
    ThresholdTest,
    UnionTest,
    cells_of,
    elementary_tests,
)
from wirelab.terminal import words

Names = Callable[[Cell, Factor], str]
"""Returns the name of a cell's level of a factor, as a report shows it."""


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
    assessed = _check_all(study.claims.claims, evidence, study.published, names)
    return [
        replace(each, treatment_differs=study.claims.treatment_of(each.id)) for each in assessed
    ]


def check(
    claim_id: str,
    claim: Claim,
    evidence: ClaimEvidence,
    published: Published | None = None,
    names: Names = Cell.level_title,
) -> ClaimCheck:
    """Check one claim by itself, as the only one of its study."""
    (found,) = _check_all({claim_id: claim}, evidence, published or Published(), names)
    return found


def _check_all(
    claims: Mapping[str, Claim], evidence: ClaimEvidence, published: Published, names: Names
) -> list[ClaimCheck]:
    """Judge the tests of all claims, and the claims as one family."""
    judged = {
        name: [
            (test, ratio, judge(test, evidence, ratio))
            for expectation in claim.expect
            for test in elementary_tests(expectation, evidence.levels)
            for ratio in [_published_ratio(test, published)]
        ]
        for name, claim in claims.items()
    }
    parts = {name: [each.part for *_, each in tests] for name, tests in judged.items()}
    assessed = assess_claims({name: each for name, each in parts.items() if each})
    varied = [factor for factor in FACTORS if len(evidence.levels[factor]) > 1]
    shown = {"workload", "environment", *varied}
    checks = []
    for name, claim in claims.items():
        if name not in assessed:
            verdict = ClaimVerdict.NOT_MEASURED
            sentence = f"{verdict.capitalize()}: nothing that the claim compares was measured."
            checks.append(ClaimCheck(name, claim.text, claim.source, verdict, sentence, ()))
            continue
        found = assessed[name]
        results = tuple(
            _result(test, ratio, each, part, describe(test, shown, names))
            for (test, ratio, each), part in zip(judged[name], found.parts, strict=True)
        )
        sentence = sentence_of(found.verdict, results)
        degree = found.holding, found.tested
        checks.append(
            ClaimCheck(name, claim.text, claim.source, found.verdict, sentence, results, *degree)
        )
    return checks


def _result(
    test: Test, published: float | None, judged: MeasuredPart, part: PartResult, expected: str
) -> ElementaryResult:
    return ElementaryResult(
        expected=expected,
        metric="" if isinstance(test, NoTest) else test.metric,
        cells=() if isinstance(test, NoTest) else cells_of(test),
        verdict=part.verdict,
        reason=judged.reason or reason_of(part, judged.measured),
        published=published,
        measured=judged.ratio,
        interval=judged.interval,
        missing=judged.missing,
        effect=part.effect,
        cause=part.cause,
        further_blocks=part.further_blocks,
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
    unmeasured = [claim for claim in claims if not claim.is_measured]
    if not unmeasured:
        return ""
    names = ", ".join(claim.id for claim in unmeasured)
    reasons = [
        reason
        for claim in unmeasured
        for test in claim.tests
        for reason in test.missing or (test.reason,)
    ]
    why = words.first_few(list(dict.fromkeys(reasons)), REASONS_SHOWN)
    because = f": {why}" if why else ""
    counted = words.plural(len(unmeasured), "claim is", "claims are")
    return f"{counted} not measured ({names}){because}."


def describe(
    test: Test, factors: Collection[Factor] = FACTORS, names: Names = Cell.level_title
) -> str:
    """Describe the expectation of a test: `grpc-grpcio below rest-flask · fetch_one · native`.

    Of the levels that both sides share, only those of `factors` are named.
    """
    if isinstance(test, NoTest):
        return "not a measurable statement"
    if isinstance(test, UnionTest):
        each = [describe(pair, factors, names) for pair in test.pairs]
        several = f"one or more of: {words.first_few(each, REASONS_SHOWN)}"
        return each[0] if len(each) == 1 else several
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
        case SlopesTest():
            words = "{a} steeper than {b}"
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


def _published_ratio(test: Test, published: Published) -> float | None:
    if not isinstance(test, PairTest | SameTest | AtMostTest | RatioTest):
        return None
    a, b = (published.figure(test.metric, cell) for cell in (test.a, test.b))
    if a is None or b is None:
        return None
    ratio = a.ratio_to(b, test.metric)
    times = test.times if isinstance(test, PairTest) else 1.0
    return None if ratio is None else times * ratio
