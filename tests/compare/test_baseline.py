"""What `--baseline` compares with what: the same work, as it was measured before."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.compare.running import error_of, wirelab
from tests.study.builder import minimal, study_of
from tests.support.wording import assert_worded
from wirelab.analysis.values import RunValues
from wirelab.compare.baseline import judge, same_work
from wirelab.statistics import Outcome
from wirelab.study import Cell, Study
from wirelab.terminal.exit_codes import ExitCode


def study(*contenders: str, **changes: Any) -> Study:
    return study_of(minimal(contenders=[*contenders], baseline=contenders[0], **changes))


def cells(of: Study) -> Mapping[str, Cell]:
    """Return the cells of a study, in its order, by contender."""
    (workload,), (load,) = of.workloads, of.loads
    return {
        name: Cell(name, workload, "postgresql", "native", load) for name in reversed(of.contenders)
    }


@pytest.mark.parametrize(
    ("earlier", "chosen"),
    [(("old", "new"), "new"), (("new", "old"), "new"), (("one", "other"), "one")],
)
def test_it_prefers_the_same_contender_to_the_earlier_baseline(
    earlier: tuple[str, ...], chosen: str
) -> None:
    now, before = study("new"), study(*earlier)

    found = same_work(cells(now)["new"], now, cells(before).values(), before)

    assert found == cells(before)[chosen]


@pytest.mark.parametrize(
    "changes",
    [
        {"load": {"u1": {"title": "one client", "kind": "closed", "clients": 32}}},
        {"workload": {"fetch": {"title": "another", "operation": "read", "state": "hundred"}}},
    ],
)
def test_another_load_or_operation_of_the_same_name_is_not_the_same_work(
    changes: dict[str, Any],
) -> None:
    now, before = study("new"), study("new", **changes)

    assert same_work(cells(now)["new"], now, cells(before).values(), before) is None


def times(cell: Cell, first_us: float) -> RunValues:
    """Return the values of a cell in six blocks that differ a little."""
    column = [first_us + number for number in range(6)]
    frame = pd.DataFrame({"latency_p50_us": column}, index=range(1, 7))
    return RunValues({cell: frame}, {}, (), cell.contender)


@pytest.mark.parametrize(
    ("before_us", "undisturbed"), [(500.0, Outcome.SLOWER), (1000.0, Outcome.SAME)]
)
def test_a_disturbed_session_decides_nothing(before_us: float, undisturbed: Outcome) -> None:
    of = study("new")
    cell = cells(of)["new"]
    values = times(cell, 1000.0), times(cell, before_us)

    quiet = judge(of, cell, *values, cell, disturbed=[])
    found = judge(of, cell, *values, cell, disturbed=["this bundle (the host stole 20 %)"])

    assert (quiet.outcome, found.outcome) == (undisturbed, Outcome.CANNOT_TELL)
    assert "disturbed" not in quiet.sentence
    because = "because the machine was disturbed during this bundle (the host stole 20 %), and two"
    assert because in found.sentence
    assert found.ratio == quiet.ratio


def test_a_folder_that_is_no_bundle_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    done = wirelab("compare", "http://localhost:9/", "--baseline", "nothing", folder=tmp_path)

    assert done.returncode == ExitCode.BAD_INPUT, done.stderr
    assert_worded(error_of(done))
