"""The complete analysis of a bundle."""

from tests.support.wording import assert_worded
from wirelab.analysis import Analysis


def test_every_claim_of_the_study_is_judged(analysis: Analysis) -> None:
    assert [claim.id for claim in analysis.paper.claims] == list(analysis.study.claims.claims)
    container_only = next(claim for claim in analysis.paper.claims if claim.id == "K6")
    assert_worded(container_only.sentence)
