"""The parts of a replication: each study's designs, their budgets, the claims that they decide."""

from pathlib import Path

import pytest

from wirelab.inputs.problems import ProblemsError
from wirelab.planning.decidable_claims import deciding_designs, first_verdict_seconds
from wirelab.replication import minutes_of, parts_of, replicable_studies
from wirelab.study import list_studies, load_study

PAPERS = [name for name in list_studies() if load_study(name).paper is not None]
MOST_MINUTES = 8 * 60
BY_CONSTRUCTION = {"L12"}


def test_the_studies_of_papers_are_replicated_within_eight_hours(tmp_path: Path) -> None:
    parts = parts_of(replicable_studies(), tmp_path)

    assert replicable_studies() == PAPERS
    assert sum(part.budget_minutes for part in parts) <= MOST_MINUTES
    assert all(part.study.designs[part.design].until == "claims" for part in parts)
    assert len({part.bundle for part in parts}) == len(parts)


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_that_can_be_tested_is_decided_by_a_part(name: str, tmp_path: Path) -> None:
    study = load_study(name)
    designs = {part.design for part in parts_of([name], tmp_path)}

    decided = deciding_designs(study)

    assert {claim for claim, by in decided.items() if by is None} <= BY_CONSTRUCTION
    assert all(by is None or designs & {*by} for by in decided.values())
    assert study.paper is not None
    assert study.paper.found
    for claim, by in decided.items():
        for design in designs.intersection(by or ()):
            budget_s = 60 * (study.designs[design].budget_minutes or 0)
            assert 0.0 <= first_verdict_seconds(study, design, claim, {}) < budget_s


def test_a_budget_is_divided_as_the_studies_do(tmp_path: Path) -> None:
    parts = parts_of(["kaminski-2022", "muppaneni"], tmp_path)

    shares = minutes_of(parts, 60.0)

    assert sum(shares.values()) == pytest.approx(60.0)
    own = minutes_of(parts, None)
    ratios = [own[bundle] / shares[bundle] for bundle in shares]
    assert ratios == pytest.approx([sum(own.values()) / 60.0] * len(ratios))


def test_a_procedure_of_a_paper_is_a_part_without_a_budget(tmp_path: Path) -> None:
    parts = parts_of(["kaminski-2022"], tmp_path, as_published=True)

    deciding, procedure = parts
    assert procedure.name == "kaminski-2022, paper"
    assert minutes_of(parts, 60.0) == {deciding.bundle: 60.0}


@pytest.mark.parametrize("name", ["wires", "kaminsky-2022"])
def test_a_study_without_such_a_design_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ProblemsError, match=name):
        parts_of(["kaminski-2022", name], tmp_path)
