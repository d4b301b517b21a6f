"""Compact results: every claim is judged from them as from the bundle."""

import shutil
from pathlib import Path

import pytest

from tests.replication.conftest import Replicated
from wirelab.inputs.problems import ProblemsError
from wirelab.replication import load_results
from wirelab.replication.results import FACTS, RATIOS, VALUES

MOST_BYTES = 1_000_000


def test_every_claim_has_the_verdict_and_the_figures_of_the_bundle(once: Replicated) -> None:
    found, paper = once.findings, once.analysis.paper

    assert found.claims == paper.claims
    assert found.hypotheses == paper.hypotheses
    assert found.tables == paper.published
    assert len({claim.verdict for claim in found.claims}) > 1


def test_results_are_small_and_need_no_bundle(once: Replicated, tmp_path: Path) -> None:
    shutil.copytree(once.results, tmp_path / "copy")

    size = sum(path.stat().st_size for path in once.results.rglob("*") if path.is_file())
    facts = load_results(tmp_path / "copy").facts

    assert size < MOST_BYTES
    assert facts.digest == once.bundle.digest
    assert facts.valid_runs == len(once.bundle.schedule.runs)


@pytest.mark.parametrize("name", [FACTS, VALUES, RATIOS])
@pytest.mark.parametrize("content", [None, b"", b"a,b\n1\n", b"\xff\xfe,\n\xff", b"{}"])
def test_a_damaged_file_is_named(
    once: Replicated, tmp_path: Path, name: str, content: bytes | None
) -> None:
    copy = shutil.copytree(once.results, tmp_path / "copy")
    (copy / name).unlink()
    if content is not None:
        (copy / name).write_bytes(content)
    if content in (b"", b"{}") and name != FACTS:
        assert not load_results(copy).own_values or name == RATIOS
        return

    with pytest.raises(ProblemsError) as wrong:
        load_results(copy)

    assert name in str(wrong.value)
