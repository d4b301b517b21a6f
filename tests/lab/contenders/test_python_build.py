"""A server in a Python that was compiled without optimisation is recognised by its program."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirelab.lab.contenders.python_build import unoptimised_python

BY_PYENV = ("/root/.pyenv/versions/3.11.7", "'--enable-shared'")
WAITS = "import sys; print('up', flush=True); sys.stdin.read()"
pytestmark = pytest.mark.usefixtures("built_with")


@pytest.fixture
def built_with(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let this Python be in a folder, and configured with options; None if they are unknown."""
    prefix, options = request.param
    monkeypatch.setattr("wirelab.lab.contenders.python_build.sys.base_prefix", prefix)
    monkeypatch.setattr(
        "wirelab.lab.contenders.python_build.sysconfig.get_config_var", {"CONFIG_ARGS": options}.get
    )


@pytest.fixture
def server() -> Iterator[int]:
    """Start a shell that has started this Python, as a supervisor has its workers."""
    command = ["sh", "-c", f"'{sys.executable}' -c \"{WAITS}\"; true"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.communicate()


@pytest.mark.parametrize("built_with", [BY_PYENV], indirect=True)
def test_evidence_names_the_program_and_the_missing_option(server: int) -> None:
    found = unoptimised_python(server)

    assert str(Path(sys.executable).resolve()) in found
    assert "--enable-optimizations" in found


@pytest.mark.parametrize(
    "built_with",
    [
        ("/usr/local", "'--enable-optimizations' '--with-lto'"),
        ("/usr", "'--enable-shared'"),  # as Debian, which optimises it otherwise
        ("/opt/unknown", None),
    ],
    indirect=True,
)
def test_an_optimised_python_and_an_unknown_one_show_nothing(server: int) -> None:
    assert unoptimised_python(server) == ""


@pytest.mark.parametrize("built_with", [BY_PYENV], indirect=True)
def test_other_programs_and_ended_ones_show_nothing() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        assert unoptimised_python(process.pid) == ""
        process.kill()
    assert unoptimised_python(process.pid) == ""
