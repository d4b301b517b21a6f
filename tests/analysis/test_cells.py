"""The summary of a cell: CPU time by role, as the model behind the bundle put it in."""

import pytest

from wirelab.analysis import Analysis


def test_cpu_is_given_by_role(analysis: Analysis) -> None:
    for setting in analysis.settings:
        for row in setting.rows:
            cpu = row.summary.cpu_us
            assert cpu["contender"].value == pytest.approx(
                0.62 * row.summary.mean_us.value, rel=0.05
            )
            assert cpu["engine"].value < cpu["contender"].value
