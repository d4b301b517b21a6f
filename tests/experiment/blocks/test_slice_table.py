"""What the table of slices keeps of the machine."""

from pathlib import Path

import pandas as pd
import pytest

from tests.measure.fake_engine import SLICE
from wirelab.analysis.figures.turns import SessionTurns
from wirelab.bundle import SLICES
from wirelab.engine.events import SliceRow
from wirelab.experiment.blocks.figures import stolen_share
from wirelab.experiment.blocks.slice_table import Turn, write_slices
from wirelab.planning.schedule import Run
from wirelab.study import Cell

RUN = Run("rest", 1, Cell("rest", "fetch", "postgresql", "native", "u1"))


def test_stolen_time_is_that_of_the_cpus_of_the_study_everywhere(tmp_path: Path) -> None:
    changed = {"started_ns": 0, "ended_ns": 100_000_000, "steal_us": (90_000.0, 20_000.0, 0.0)}
    row = SliceRow.model_validate(SLICE | changed | {"number": 0, "target": 0, "recorded": True})
    ours = {1, 2}

    write_slices(tmp_path, [Turn(RUN, 1, 1, row)], ours)

    turns = SessionTurns(1, "fetch", 1, pd.read_parquet(tmp_path / SLICES), {})
    assert turns.stolen_shares.tolist() == pytest.approx([0.1])
    assert stolen_share([row], ours) == pytest.approx(0.1)
