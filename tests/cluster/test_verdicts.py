"""Twelve blocks on four machines: servers with known delays get the verdicts of one machine."""

from pathlib import Path

import pytest

from tests.support.laboratory import measure
from tests.support.ray_machines import RayMachines, output_of, run, world
from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.terminal.exit_codes import ExitCode

BLOCKS = 12
WAITING = ("waiting", "waiting-too", "waiting-longer")

pytestmark = pytest.mark.thorough("twelve blocks, twice")


def verdicts(bundle: Bundle) -> dict[tuple[str, str], str]:
    return {
        (pair.a.contender, pair.b.contender): pair.verdict.outcome
        for answer in analyse(bundle).answers
        for pair in answer.pairs
        if pair.verdict
    }


def test_every_verdict_is_that_of_one_machine(machines: RayMachines, tmp_path: Path) -> None:
    more = ("three", "four")
    for name in more:
        machines.add(name)
    study = world(tmp_path, blocks=BLOCKS)
    alone = measure(study, *WAITING, design="spread").bundle
    there = tmp_path / "spread"

    try:
        code = run(machines, there, study, *WAITING)
    finally:
        for name in more:
            machines.remove(name)

    assert code == ExitCode.OK, output_of(there)
    spread = Bundle.open(there)
    assert spread.schedule == alone.schedule
    assert set(spread.metrics()["machine"]) == {"one", "two", "three", "four"}
    assert verdicts(spread) == verdicts(alone)
    assert len(set(verdicts(alone).values())) == 2
