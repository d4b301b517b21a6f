"""`wirelab run --strict`: disturbances and lost runs in the exit code."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.bundles.circumstances import QUIET, Circumstances
from tests.support.bundles.small import write_small
from tests.support.charts import blank
from wirelab.bundle import Bundle
from wirelab.cli import app
from wirelab.commands.studies import run
from wirelab.experiment.context import StudyOutcome
from wirelab.terminal.exit_codes import ExitCode

STOLEN = Circumstances(stolen_permutations=0.4, stolen_share=0.5)


@pytest.mark.parametrize(
    ("happens", "lost_runs", "expected"),
    [
        (QUIET, 0, [ExitCode.OK, ExitCode.OK]),
        (STOLEN, 0, [ExitCode.OK, ExitCode.FAULTS]),
        (QUIET, 1, [ExitCode.FAULTS, ExitCode.FAULTS]),
    ],
    ids=["quiet", "disturbed", "a run lost"],
)
def test_a_disturbed_measurement_fails_only_if_strict_and_a_lost_run_always(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Circumstances,
    lost_runs: int,
    expected: list[ExitCode],
) -> None:
    bundle = write_small(tmp_path, happens, blocks=2, requests=60, invalid=lost_runs)
    monkeypatch.setattr("wirelab.report.vega.to_svg", blank)
    monkeypatch.setattr(
        run, "resume_study", lambda *_, **__: StudyOutcome(Bundle.open(bundle.path))
    )
    arguments = ["run", "--resume", str(bundle.path)]

    codes = [CliRunner().invoke(app, [*arguments, *more]).exit_code for more in ([], ["--strict"])]

    assert codes == expected
