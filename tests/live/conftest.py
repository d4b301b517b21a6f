"""A real study with its live page, as users start it; and a browser."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.chromium import browser
from tests.support.commands import Command
from tests.support.plain_http import NO_TLS
from tests.support.worlds import copy_world

__all__ = ["browser"]

PAGE_REMAINS = "the live page remains"
PATIENCE_S = 240.0
"""For a page, on a machine that may be busy with other tests."""
PROGRAM = "wirelab.live.feed.PROGRAM"
USUAL_PRIORITY = (str(Path(__file__).with_name("usual_priority.py")),)


@pytest.fixture(scope="package", autouse=True)
def _usual_priority() -> Iterator[None]:
    """Start pages of this process at the usual priority."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PROGRAM, USUAL_PRIORITY)
        yield


@dataclass(frozen=True)
class LiveRun:
    """A study under way: the process, what it says on standard error, and its bundle."""

    process: Command
    log: Path
    bundle: Path

    @property
    def output(self) -> str:
        return self.log.read_text()

    @property
    def address(self) -> str:
        return self.wait_for(r"live page: (http://\S+)")

    def wait_for(self, pattern: str, seconds: float = 240) -> str:
        """Wait until output matches; return the group of the pattern, or the whole match."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.output):
                return str(found[found.lastindex or 0])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} was not printed: {self.output}")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the study stand still, but not its page."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def interrupt(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


@contextmanager
def running(
    folder: Path, *options: str, contenders: tuple[str, ...], permutations: int
) -> Iterator[LiveRun]:
    """Start a study of some of the test world's contenders, and end it at the end."""
    study, log = copy_world(folder), folder / "output"
    text = (study / "study.toml").read_text()
    text = text.replace("permutations = 8", f"permutations = {permutations}")
    (study / "study.toml").write_text(text)
    only = [argument for name in contenders for argument in ("--only", name)]
    process = Command(
        "run", study, *only, *options, "--output", folder / "bundle",
        stdout=Path(os.devnull), stderr=log, constants={PROGRAM: USUAL_PRIORITY},
    )  # fmt: skip
    try:
        yield LiveRun(process, log, folder / "bundle")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def events(stream: httpx.Response) -> Iterator[tuple[str, Any]]:
    """Yield the events of a stream with their data."""
    name = ""
    for line in stream.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def states_of(address: str) -> Iterator[Any]:
    """Yield the states that a page sends, the current one first."""
    with httpx.stream("GET", f"{address}events", timeout=PATIENCE_S, verify=NO_TLS) as stream:
        yield from (data for name, data in events(stream) if name == "state")


@pytest.fixture(scope="module")
def live_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """A study of two contenders, and one whose answers become wrong under load."""
    folder = tmp_path_factory.mktemp("live")
    options = ("--live", "--live-port", "0")
    contenders = ("good", "steady", "lying")
    # Twice as long as usual, so that there is something to watch.
    with running(folder, *options, contenders=contenders, permutations=16) as run:
        yield run
