"""A person's own command that restores the data of servers that wirelab does not start."""

import os
import time
from pathlib import Path

import pytest

from tests.lab.conftest import is_alive
from tests.support.left import until
from tests.support.wording import raises_worded
from wirelab.lab.errors import StoreError
from wirelab.lab.stores import own_store
from wirelab.lab.stores.own_store import OwnStore


def reset(command: str) -> None:
    OwnStore(command).restore("state", "copy")


def test_processes_that_a_reset_leaves_running_are_not_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()

    reset(f"sleep 60 & echo $! > {tmp_path}/pid")

    assert time.monotonic() - began < 30
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, 9)  # it is still there


def test_a_reset_that_takes_too_long_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_store, "RESET_LIMIT_S", 0.5)

    with raises_worded(StoreError):
        reset(f"sleep 60 & echo $! > {tmp_path}/pid; wait")

    pid = int((tmp_path / "pid").read_text())
    until(lambda: not is_alive(pid))


def test_the_output_of_a_reset_need_not_be_utf8() -> None:
    with raises_worded(StoreError):
        reset(r"printf 'fa\377led'; exit 3")
