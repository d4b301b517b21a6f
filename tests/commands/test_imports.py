"""Commands that start nothing do not load what measuring and statistics need."""

import subprocess
import sys

import pytest

from wirelab.terminal.exit_codes import ExitCode

SCRIPT = """
import contextlib, os, sys
from wirelab.cli import main
sys.argv = ["wirelab", *sys.argv[1:]]
with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
    code = main()
print(*sys.modules)
sys.exit(code)
"""
ANALYSIS = {"scipy", "pandas", "statsmodels", "pyarrow", "altair"}
DESCRIPTIONS = {"graphql", "grpc", "zeep", "lxml", "yaml", "jmespath", "docker", "numpy"}


def check_imports(arguments: list[str], unexpected: set[str], code: ExitCode) -> str:
    """Check that a command ends with the exit code and has not imported any of the modules."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=False
    )

    assert done.returncode == code, done.stderr
    modules = done.stdout.split()
    loaded = {*modules, *(name.partition(".")[0] for name in modules)}
    assert "wirelab" in loaded
    assert not loaded & unexpected
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "unexpected"),
    [
        (["--help"], ANALYSIS | DESCRIPTIONS | {"pydantic"}),
        (["--version"], ANALYSIS | DESCRIPTIONS | {"pydantic"}),
        (["run", "--help"], ANALYSIS | DESCRIPTIONS | {"pydantic"}),
        (["list"], ANALYSIS | DESCRIPTIONS | {"pydantic", "wirelab.study", "wirelab.domain"}),
        (["plan", "muppaneni"], ANALYSIS | {"docker.api", "numpy", "grpc"}),
    ],
)
def test_a_command_that_starts_nothing_imports_little(
    arguments: list[str], unexpected: set[str]
) -> None:
    check_imports(arguments, unexpected, ExitCode.OK)


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (["compare", "http://127.0.0.1:9/", "--budget", "x", "--fail-if", "p99>20"], "--budget"),
        (["capacity", "http://127.0.0.1:9/", "--objective", "p99<1", "--output", "new"], "p99<50"),
        (["init", "", "--openapi", "missing.yaml", "--header", "x"], "--openapi"),
    ],
)
def test_a_mistake_in_options_is_reported_before_what_measures_is_loaded(
    arguments: list[str], mistake: str
) -> None:
    """It takes seconds, on a slow machine."""
    unexpected = ANALYSIS | DESCRIPTIONS | {"wirelab.study", "wirelab.bundle", "wirelab.protocol"}

    assert mistake in check_imports(arguments, unexpected, ExitCode.BAD_INPUT)


def test_what_measures_and_reports_leaves_out_slow_parts_that_not_every_study_needs() -> None:
    """`scipy.stats` and `scipy.optimize` take a second to import, for few functions.

    graphql-core takes 0.4 s, and only servers that speak GraphQL need it.
    """
    code = "import sys, wirelab.experiment.blocks.session, wirelab.report; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"scipy.stats", "scipy.optimize", "graphql"} & set(done.stdout.split())
    assert "scipy.special" in done.stdout.split()
