"""Which design decides which claim: every claim of the studies has one."""

import pytest

from tests.study.builder import minimal, study_of
from wirelab.planning.decidable_claims import decides, deciding_designs
from wirelab.planning.schedule import schedule
from wirelab.study import load_study
from wirelab.study.claim import ClaimsFile

PAPERS = ("kaminski-2022", "lingbm-2022", "muppaneni", "quina-mera-2025", "sliwa-2021")


@pytest.mark.parametrize("name", PAPERS)
def test_some_design_decides_every_claim(name: str) -> None:
    found = deciding_designs(load_study(name)).items()

    assert [claim for claim, designs in found if designs is not None and not designs] == []


WARM_UP = {"warm_up": {"transactions": 10}}
DESIGNS = {
    "six": {"summary": "", "blocks": 6, **WARM_UP},
    "few": {"summary": "", "blocks": 5, **WARM_UP, "wire": {"transactions": [1, 2]}},
    "more": {"summary": "", "until": "decided", "budget_minutes": 1, **WARM_UP},
    "rest": {"summary": "", "blocks": 6, **WARM_UP, "contenders": ["rest"]},
}


@pytest.mark.parametrize(
    ("expectation", "designs"),
    [
        ({"kind": "direction", "metric": "latency_mean_us"}, ("six", "more")),
        ({"kind": "direction", "metric": "message_bytes"}, ("few",)),
        ({"kind": "qualitative", "reason": "taste"}, None),
    ],
)
def test_a_design_decides_what_it_measures_often_enough(
    expectation: dict[str, str], designs: tuple[str, ...] | None
) -> None:
    compared = {"lower": "grpc", "higher": "rest"} if "metric" in expectation else {}
    claim = {"text": "", "source": "", "expect": [expectation | compared]}
    claims = ClaimsFile.model_validate({"claim": {"C1": claim}})
    study = study_of(minimal(design=DESIGNS)).model_copy(update={"claims": claims})

    assert deciding_designs(study) == {"C1": designs}


@pytest.mark.parametrize("missing", [{}, {"fifty-users-k6": "k6 is not installed"}])
def test_a_design_decides_nothing_here_that_needs_what_is_left_out(missing: dict[str, str]) -> None:
    study = load_study("sliwa-2021")

    cells = schedule(study, "replication", 1, unavailable=missing).cells

    assert decides(study, "replication", "S2", cells)
    assert decides(study, "replication", "S2-k6", cells) == (not missing)
