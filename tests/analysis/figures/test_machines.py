"""The report of a study on several machines: who measured, and does the result depend on it?"""

import math
from pathlib import Path
from typing import Any

import pytest

from tests.statistics.constructed import known
from tests.support.bundles.small import kinds, render_texts, the, write_small
from tests.support.bundles.synthetic import copy_of, edit_blocks, stretch
from wirelab.analysis import analyse
from wirelab.analysis.cautions.machines import DependsOnMachine, MachinesLost, NotOnEveryMachine
from wirelab.analysis.values import RunValues
from wirelab.bundle import BlockRecord, Bundle, MachineRecord, RunRecord
from wirelab.bundle.run_reasons import Unavailable
from wirelab.report.markdown import render_markdown
from wirelab.study import load_study

HEADING = "Does the result depend on the machine?"
LOST = "The node died, while it measured b03"
LACKING = Unavailable(what="needs rare-program")
HOST = {"cpu": {"model": "Fabricated 9000"}, "kernel": "6.1.0-<b>"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Write twelve blocks on one machine."""
    return write_small(tmp_path_factory.mktemp("machines"), blocks=12)


def on_machines(plain: Bundle, folder: Path, *, lost: str = "") -> Bundle:
    """Say that blocks of odd numbers were measured on "odd", and the others on "even"."""
    bundle = copy_of(plain, folder / "bundle")
    names = ("even", "odd")
    edit_blocks(bundle, lambda it, record: record.update(machine=names[it.block.number % 2]))
    bundle.write_machines(
        [
            MachineRecord(name="even", host=HOST, lost=lost),
            MachineRecord(name="odd", host=HOST, missing={"soap (native)": LACKING}),
        ]
    )
    return bundle


def test_a_single_machine_has_no_section_about_machines(plain: Bundle) -> None:
    analysis = analyse(plain)

    assert analysis.machines is None
    assert HEADING not in render_texts(analysis)
    assert HEADING not in render_markdown(analysis)


def test_agreement_between_machines_is_reported(plain: Bundle, tmp_path: Path) -> None:
    analysis = analyse(on_machines(plain, tmp_path))

    machines = known(analysis.machines)
    assert {each.name: each.blocks for each in machines.machines} == {"even": 6, "odd": 6}
    assert machines.pairs
    assert not any(pair.depends for pair in machines.pairs)
    assert DependsOnMachine not in kinds(analysis)
    pairs = [pair for answer in analysis.answers for pair in answer.pairs]
    whole = {f"{pair.a_label} vs {pair.b_label}": pair.comparison.blocks for pair in pairs}
    for pair in machines.pairs:
        by_machine = {name: found.blocks for name, found in pair.effect.machines.items()}
        assert by_machine == {"even": 6, "odd": 6}
        assert sum(by_machine.values()) == next(
            blocks for name, blocks in whole.items() if pair.label.startswith(name)
        )


def test_a_ratio_that_differs_between_machines_is_a_serious_caution(
    plain: Bundle, tmp_path: Path
) -> None:
    bundle = on_machines(plain, tmp_path)

    def slow_on_odd(run: RunRecord) -> float:
        is_slow = run.run.cell.contender == "grpc-grpcio" and run.run.block % 2
        return 1.5 if is_slow else 1.0

    stretch(bundle, slow_on_odd)
    analysis = analyse(bundle)

    depending = [pair for pair in known(analysis.machines).pairs if pair.depends]
    assert depending
    assert all("gRPC" in pair.label for pair in depending)
    for pair in depending:
        ratios = {name: found.ratio for name, found in pair.effect.machines.items()}
        apart = ratios["odd"] / ratios["even"]
        assert max(apart, 1 / apart) == pytest.approx(1.5, rel=0.1)
    found = the(DependsOnMachine, analysis)
    assert found.severity == "serious"
    assert found.pairs == tuple(pair.label for pair in depending)


def test_measurements_of_two_machines_are_not_compared(tmp_path: Path) -> None:
    """Cells of different blocks of a round are compared where one machine measured both."""
    workloads = ("fetch_one", "fetch_hundred")
    bundle = write_small(tmp_path, requests=200, workloads=workloads)

    def move(record: BlockRecord, content: dict[str, Any]) -> None:
        is_elsewhere = record.block.number <= 2 and "hundred" in record.block.group
        content["machine"] = "two" if is_elsewhere else "one"

    edit_blocks(bundle, move)
    values = RunValues.from_bundle(bundle, load_study(bundle.study_folder))
    small, large = (
        next(
            c for c in values.runs if (c.contender, c.workload, c.twin) == ("rest-flask", w, False)
        )
        for w in workloads
    )

    ratios = values.log_ratios("latency_typical_us", large, small)

    assert [block for block, ratio in ratios.items() if math.isnan(ratio)] == [1, 2]
    assert len(ratios) == 6


def test_page_and_text_show_machines_and_their_failures(plain: Bundle, tmp_path: Path) -> None:
    analysis = analyse(on_machines(plain, tmp_path, lost=LOST))

    for text in (render_texts(analysis), render_markdown(analysis)):
        assert HEADING in text
        assert "Fabricated 9000" in text
        assert "6.1.0-<b>" not in text  # what machines say of themselves is no markup
        assert f"lost: {LOST}" in text
        assert "needs rare-program" in text
    assert the(MachinesLost, analysis).machines == (("even", LOST),)
    assert the(NotOnEveryMachine, analysis).missing == (("soap (native)", "odd", LACKING),)
