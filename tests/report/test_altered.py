"""A bundle that was altered after its seal: exit code, terminal, page and Markdown say so."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.bundles.synthetic import write_bundle
from wirelab.analysis.cautions.runs import Altered, ChangesAccepted
from wirelab.bundle import Bundle
from wirelab.cli import app
from wirelab.terminal.exit_codes import ExitCode


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    """Return a small sealed bundle that this test may alter."""
    return write_bundle(tmp_path / "bundle", requests=60, workloads=("fetch_one",))


def alter(bundle: Bundle) -> None:
    path = bundle.path / "host.json"
    path.write_text(path.read_text() + " ")


def test_every_output_of_an_altered_bundle_reports_it(bundle: Bundle) -> None:
    digest = Bundle.open(bundle.path).digest
    assert digest is not None
    alter(bundle)

    result = CliRunner().invoke(app, ["report", str(bundle.path)])

    assert result.exit_code == ExitCode.ALTERED
    assert "host.json" in result.stderr
    assert Altered.TITLE.lower() in " ".join(result.stderr.lower().split())
    for name in ("report.html", "report.md"):
        written = (bundle.report_folder / name).read_text()
        assert Altered.TITLE in written, name
        assert digest not in written, name


def test_a_comparison_of_bundles_names_the_altered_one(bundle: Bundle, tmp_path: Path) -> None:
    other = write_bundle(tmp_path / "other", requests=60, workloads=("fetch_one",))
    alter(bundle)

    result = CliRunner().invoke(app, ["report", str(other.path), str(bundle.path)])

    assert result.exit_code == ExitCode.ALTERED
    output = "".join(result.stderr.split())
    assert f"{bundle.path}:host.json" in output
    assert f"{other.path}:" not in output


def test_accepted_changes_stay_in_the_report(bundle: Bundle) -> None:
    alter(bundle)
    with Bundle.resume(bundle.path, accept_changes=True) as resumed:
        resumed.unseal()
        resumed.seal()

    result = CliRunner().invoke(app, ["report", str(bundle.path)])

    assert result.exit_code == ExitCode.OK
    for name in ("report.html", "report.md"):
        written = (bundle.report_folder / name).read_text()
        assert ChangesAccepted.TITLE in written, name
        assert "host.json" in written, name
