"""What a study says of runs that do not count: each kind of fault once, and how many more."""

import pytest

from tests.bundle.samples import record_of, schedule_of
from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import BlockFinished


def test_faults_of_a_kind_are_one_line_and_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = ["busy 91 % of its core", "busy 86.5 % of its core", "the store ended", "busy 99 %"]
    blocks = schedule_of(len(reasons)).blocks
    with ProgressBar() as bar:
        for block, reason in zip(blocks, reasons, strict=True):
            bar.on(BlockFinished(record_of(block, status="invalid", reasons=(reason,))))

    assert capsys.readouterr().err.splitlines() == [
        "run run-1 does not count: busy 91 % of its core",
        "run run-3 does not count: the store ended",
        "run run-4 does not count: busy 99 %",
        "1 more run did not count for the same reasons; the report lists all",
    ]
