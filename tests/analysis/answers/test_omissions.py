"""What a comparison left undecided, with a budget that would probably decide it."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.report.models import STUDY
from tests.report.small import write_small
from wirelab.analysis import Analysis, Judged, analyse
from wirelab.analysis.answers.omissions import undecided_cautions
from wirelab.analysis.comparing import Judge
from wirelab.analysis.values import RunValues
from wirelab.bundle import Bundle
from wirelab.statistics import MINIMUM_BLOCKS, Outcome
from wirelab.statistics.comparison import too_few_blocks
from wirelab.statistics.verdict import would_suffice


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle of a study with a budget, as `wirelab compare` writes it."""
    folder = tmp_path_factory.mktemp("compared")
    study = shutil.copytree(STUDY, folder / "study") / "study.toml"
    study.write_text(study.read_text().replace('id = "kaminski-2022"', 'id = "compare"', 1))
    return write_small(folder, path=study.parent, permutations=30)


@pytest.fixture(scope="module")
def analysis(compared: Bundle) -> Analysis:
    return analyse(compared)


def suggested(bundle: Bundle, found: Analysis, pairs: Sequence[Judged]) -> list[str]:
    cautions = undecided_cautions(
        found.study,
        found.schedule,
        pairs,
        bundle.block_records(),
        values=RunValues.of(bundle, found.study),
        efforts=found.efforts,
    )
    return [each.detail for each in cautions]


def opened(pair: Judged, needed: int | None, valid: int = 6, *, most: int | None = None) -> Judged:
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
    compared: Bundle, analysis: Analysis
) -> None:
    """A number of blocks would not hold: a longer budget also makes blocks longer."""
    pair = analysis.pairs[0]

    assert suggested(compared, analysis, [pair]) == []
    (detail,) = suggested(compared, analysis, [opened(pair, 5000)])
    assert re.fullmatch(
        rf"{pair.a_label} against {pair.b_label} at “[^”]+”: because of noise \[0.93, 1.07\]"
        r" \(--budget \d+m would probably decide it\)",
        detail,
    )


def test_an_undecided_comparison_states_one_reason_and_no_number_of_blocks(
    compared: Bundle, analysis: Analysis
) -> None:
    study, pair = analysis.study, analysis.pairs[0]
    p_holm = {study.metric: {frozenset((pair.a, pair.b)): 1.0}}
    values = RunValues.of(compared, study)
    undecided = Judge(study, values, analysis.labels, analysis.noise, p_holm).judge(pair.a, pair.b)

    (detail,) = suggested(compared, analysis, [undecided])
    reason = "looks slower, undecided because of Holm's correction (adjusted p = 1)"
    assert f" · cannot tell: {reason} · " in undecided.line
    assert f"”: {reason} (--budget " in detail


def test_the_budgets_for_one_and_for_all_undecided_comparisons_are_named(
    compared: Bundle, analysis: Analysis
) -> None:
    pair = analysis.pairs[0]

    def advice(*needed: int) -> str:
        (detail,) = suggested(compared, analysis, [opened(pair, each) for each in needed])
        return detail.rpartition(" (")[2].removesuffix(")")

    (one,) = {advice(5000).removesuffix(" would probably decide it")}
    (all_,) = {advice(90000).removesuffix(" would probably decide it")}
    assert advice(5000, 5000) == f"{one} would probably decide all of them"
    assert advice(20000, 5000, 90000) == (
        f"{one} would probably decide one of them, {all_.removeprefix('--budget ')} all of them"
    )


def test_the_budget_is_for_the_ratio_of_the_interval_that_takes_longest(
    compared: Bundle, analysis: Analysis
) -> None:
    """That for the measured ratio, which noise has moved, is named as well."""
    pair = analysis.pairs[0]

    def advice(*pairs: Judged) -> str:
        (detail,) = suggested(compared, analysis, pairs)
        return detail.rpartition(" (--budget ")[2].removesuffix(")")

    decides = " would probably decide"
    short, long = (advice(opened(pair, it)).removesuffix(f"{decides} it") for it in (5000, 19000))
    unsure = opened(pair, 5000, most=19000)
    assert short != long
    assert advice(unsure) == f"{long}{decides} it; {short}, if the ratio is as measured"
    assert advice(unsure, opened(pair, 5000)) == (
        f"{short}{decides} one of them, {long} all of them; {short}, if the ratios are as measured"
    )


@pytest.mark.parametrize(("valid", "text"), [(4, "4 valid blocks"), (1, "1 valid block")])
def test_too_few_valid_blocks_come_with_a_budget_for_enough(
    compared: Bundle, analysis: Analysis, valid: int, text: str
) -> None:
    (detail,) = suggested(compared, analysis, [opened(analysis.pairs[0], None, valid)])

    assert re.search(
        rf": {text}; a verdict needs at least 6 \(--budget \d+m would probably suffice\)$", detail
    )
    assert suggested(compared, analysis, [opened(analysis.pairs[0], None, 0)]) == []
