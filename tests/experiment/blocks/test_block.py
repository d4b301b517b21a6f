"""One block, and what is recorded of it."""

from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from wirelab.bundle.reasons import NotReachable
from wirelab.experiment import plan_study
from wirelab.experiment.blocks.block import BlockRunner

if TYPE_CHECKING:
    from wirelab.experiment.laboratory import Laboratory
    from wirelab.experiment.preparation.pilot import Rates


def test_the_duration_of_a_block_does_not_depend_on_changes_of_the_clock(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Clock(datetime):
        """Shows an earlier day at each reading."""

        day = 28

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            cls.day -= 1
            return datetime(2026, 1, cls.day, tzinfo=UTC)

    monkeypatch.setattr("wirelab.experiment.blocks.block.datetime", Clock)
    planned = plan_study(study, "smoke", 1, ("good",))
    block = planned.schedule.blocks[0]
    nothing = cast("Laboratory", None), cast("Rates", None)
    runner = BlockRunner(*nothing, planned.design, planned.study.baseline)
    unusable = {run.id: NotReachable() for run in block.runs}

    record = runner.carry_out(block, unusable=unusable, attempt=1, folder=tmp_path)

    assert record.started_utc == "2026-01-27T00:00:00.000+00:00"
    assert 0 <= record.seconds < 60
