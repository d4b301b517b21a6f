"""Ratios in words, signs of verdicts, and titles of ratios."""

import pytest

from wirelab.analysis.wording import TIME, sign
from wirelab.statistics import Nuance, Outcome, Verdict
from wirelab.study import METRICS


def verdict(outcome: Outcome, nuance: Nuance = Nuance.PLAIN) -> Verdict:
    return Verdict(outcome, nuance, f"{nuance} {outcome}".strip(), "")


@pytest.mark.parametrize(
    ("ratio", "outcome", "words"),
    [
        (0.556, Outcome.FASTER, "1.80 times as fast"),
        (0.95, Outcome.FASTER, "1.05 times as fast"),
        (1.53, Outcome.SLOWER, "1.53 times as long"),
        (12.34, Outcome.SLOWER, "12.3 times as long"),
        (1.01, Outcome.SAME, "practically the same"),
        (1.2, Outcome.CANNOT_TELL, "cannot tell"),
    ],
)
def test_a_ratio_is_expressed_in_words(ratio: float, outcome: Outcome, words: str) -> None:
    assert TIME.effect(ratio, verdict(outcome)) == words


def test_every_verdict_has_a_sign_and_every_sign_a_legend() -> None:
    signs = [
        sign(verdict(outcome, nuance))
        for outcome in (Outcome.FASTER, Outcome.SLOWER)
        for nuance in (Nuance.PLAIN, Nuance.CLEARLY)
    ]
    signs += [sign(verdict(Outcome.SAME)), sign(verdict(Outcome.CANNOT_TELL))]

    assert sorted(signs) == sorted(mark for mark, _ in TIME.legend())
    assert len(set(signs)) == 6
    assert sign(None) == ""


def test_the_inverse_has_a_title_exactly_if_ratios_are_of_it() -> None:
    assert all(bool(metric.inverse) == metric.is_reported_inverted for metric in METRICS.values())
