"""Domain and protocol know each other: whichever is imported first must find the other."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "domain",
        "domain.model",
        "domain.dataset",
        "protocol",
        "protocol.base",
        "protocol.message",
        "protocol.plan",
        "verify",
    ],
)
def test_any_module_can_be_the_first(module: str) -> None:
    command = [sys.executable, "-c", f"import wirelab.{module}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.returncode == 0
