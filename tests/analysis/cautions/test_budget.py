"""What a comparison left undecided, with a budget that would probably decide it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.bundles.small import OF_COMPARE, study_with, write_small
from wirelab.analysis import ComparedPair
from wirelab.analysis.analysing import evidence_of
from wirelab.analysis.cautions.budget import TooFewValid, TooImprecise, undecided
from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.cautions.evidence import Evidence
from wirelab.analysis.comparing import Comparer
from wirelab.bundle import Bundle
from wirelab.statistics import MINIMUM_BLOCKS, FamilyPValues, Outcome
from wirelab.statistics.comparison import too_few_blocks
from wirelab.statistics.verdict import would_suffice


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle of a study with a budget, as `wirelab compare` writes it."""
    folder = tmp_path_factory.mktemp("compared")
    return write_small(folder, path=study_with(folder, OF_COMPARE), permutations=30)


@pytest.fixture(scope="module")
def evidence(compared: Bundle) -> Evidence:
    return evidence_of(compared)


@pytest.fixture(scope="module")
def pair(evidence: Evidence) -> ComparedPair:
    return evidence.pairs[0]


def suggested(evidence: Evidence, pairs: Sequence[ComparedPair]) -> list[Caution]:
    return list(undecided(replace(evidence, pairs=pairs)))


def imprecise(evidence: Evidence, *pairs: ComparedPair) -> TooImprecise:
    (found,) = suggested(evidence, pairs)
    assert isinstance(found, TooImprecise)
    return found


def opened(
    pair: ComparedPair, needed: int | None, valid: int = 6, *, most: int | None = None
) -> ComparedPair:
    """Return a pair without a verdict."""
    assert pair.verdict is not None
    reason = "because of noise [0.93, 1.07]"
    if valid < MINIMUM_BLOCKS:
        reason = too_few_blocks(valid)
    elif needed:
        reason += f"; {would_suffice(needed)}"
    verdict = replace(
        pair.verdict,
        outcome=Outcome.CANNOT_TELL,
        blocks_needed=needed,
        most_blocks_needed=most,
        reason=reason,
    )
    return replace(pair, verdict=verdict, comparison=replace(pair.comparison, blocks=valid))


def test_the_advice_for_an_undecided_comparison_is_a_budget(
    evidence: Evidence, pair: ComparedPair
) -> None:
    """A number of blocks would not hold: a longer budget also makes blocks longer."""
    found = imprecise(evidence, opened(pair, 5000))

    assert suggested(evidence, [pair]) == []
    assert [why for _, why in found.pairs] == ["because of noise [0.93, 1.07]"]
    assert found.for_one_s == found.for_all_s == found.as_measured_s


def test_an_undecided_comparison_states_one_reason_and_no_number_of_blocks(
    evidence: Evidence, pair: ComparedPair
) -> None:
    study = evidence.study
    unclear_p = FamilyPValues(equality=1.0, within_margin=1.0, factor=2.0)
    corrected = {study.metric: {frozenset((pair.a, pair.b)): unclear_p}}
    comparer = Comparer(study, evidence.values, evidence.labels, evidence.noise, corrected)
    unclear = comparer.compare_pair(pair.a, pair.b)

    ((_, why),) = imprecise(evidence, unclear).pairs

    assert "Holm's correction" in why
    assert f" · cannot tell: {why} · " in unclear.line


def test_the_budgets_for_one_and_for_all_undecided_comparisons_are_named(
    evidence: Evidence, pair: ComparedPair
) -> None:
    """For the ratio of the interval that takes longest, and for the measured one."""
    one_s, longer_s, all_s = (
        imprecise(evidence, opened(pair, each)).for_all_s for each in (5000, 19000, 90000)
    )

    several = imprecise(evidence, *(opened(pair, each) for each in (20000, 5000, 90000)))
    single = imprecise(evidence, opened(pair, 5000, most=19000))

    assert one_s < all_s
    assert (several.for_one_s, several.for_all_s) == (one_s, all_s)
    assert (single.for_all_s, single.as_measured_s) == (longer_s, one_s)


@pytest.mark.parametrize("valid", [4, 1])
def test_too_few_valid_blocks_come_with_a_budget_for_enough(
    evidence: Evidence, pair: ComparedPair, valid: int
) -> None:
    (found,) = suggested(evidence, [opened(pair, None, valid)])

    assert isinstance(found, TooFewValid)
    assert found.budget_s > 0
    assert suggested(evidence, [opened(pair, None, 0)]) == []
