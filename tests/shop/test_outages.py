"""`wirelab verify` with a contender of three services, each of which is made to fail."""

import shutil
from pathlib import Path

import pytest

from tests.support.commands import Command
from wirelab.terminal.exit_codes import ExitCode

THREE = ("rest-chi-services", "graphql-apollo-services", "grpc-aio-services")


@pytest.mark.thorough(reason="test_services.py tries the services")
@pytest.mark.parametrize("name", THREE)
def test_nothing_is_lost_and_every_refusal_is_correct(name: str, tmp_path: Path) -> None:
    if name == "rest-chi-services" and shutil.which("go") is None:
        pytest.skip("no Go here")
    out, err = tmp_path / "out", tmp_path / "err"

    # A separate process: the command ends all servers of its process, those of other tests too.
    verify = Command("verify", "shop", "--only", name, stdout=out, stderr=err)

    assert verify.wait(timeout=240) == ExitCode.OK, err.read_text()
    assert f"equal    {name}" in out.read_text()
    assert "services that fail" in err.read_text()
