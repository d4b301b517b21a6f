"""One block, and what is recorded of it."""

from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest

from tests.support.bundles.samples import create
from wirelab.bundle.run_reasons import NotReachable
from wirelab.experiment.blocks import block
from wirelab.experiment.blocks.block import run_block
from wirelab.experiment.context import RunContext, StudyOutcome
from wirelab.experiment.events import Observer
from wirelab.experiment.laboratory import Laboratory
from wirelab.planning.plan import plan_study


class Clock(datetime):
    """Shows an earlier day at each reading."""

    day_shown = 28

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        cls.day_shown -= 1
        return datetime(2026, 1, cls.day_shown, tzinfo=UTC)


def test_the_duration_of_a_block_does_not_depend_on_changes_of_the_clock(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block, "datetime", Clock)
    planned = plan_study(study, "smoke", 1, ("good",))
    bundle = create(tmp_path / "bundle", blocks=1)
    laboratory = Laboratory.for_study(planned, bundle.path / "logs", {}, None)
    context = RunContext(planned, bundle, laboratory, Observer(), StudyOutcome(bundle))
    context.leave_out(planned.schedule.cells, NotReachable())

    record = run_block(context, planned.schedule.blocks[0], 1)

    assert record.started_utc == "2026-01-27T00:00:00.000+00:00"
    assert 0 <= record.seconds < 60
    assert {run.status for run in record.runs} == {"skipped"}
