"""What a study says of runs that do not count: each kind of fault once, and how many more."""

import pytest

from tests.support.bundles.reasons import BUSY, IT_DIED, wrong
from tests.support.bundles.samples import record_of, schedule_of
from tests.support.wording import assert_worded
from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import BlockFinished


def test_faults_of_a_kind_are_one_line_and_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = [wrong(1), wrong(2), IT_DIED, BUSY]
    blocks = schedule_of(len(reasons)).blocks
    with ProgressBar() as bar:
        for block, reason in zip(blocks, reasons, strict=True):
            bar.on(BlockFinished(record_of(block, status="invalid", reasons=(reason,))))

    assert_worded(capsys.readouterr().err)
