"""`wirelab --version` names the version that is installed."""

from importlib.metadata import version

from typer.testing import CliRunner

from wirelab.cli import app


def test_the_version_is_that_of_the_package() -> None:
    shown = CliRunner().invoke(app, ["--version"])

    assert (shown.exit_code, shown.output) == (0, f"wirelab {version('wirelab')}\n")
