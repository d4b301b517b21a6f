"""Signs of verdicts, and titles of ratios."""

from wirelab.analysis.wording import TIME, sign
from wirelab.statistics import Nuance, Outcome, Verdict
from wirelab.study import METRICS


def verdict(outcome: Outcome, nuance: Nuance = Nuance.PLAIN) -> Verdict:
    return Verdict(outcome, nuance, f"{nuance} {outcome}".strip(), "")


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
