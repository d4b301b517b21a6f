"""`wirelab browse` as a process of its own, and how long its pages take."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

PROGRAM = Path(sys.executable).with_name("wirelab")
NOT_READY = 202
POLL_START_S = 0.005
POLL_READY_S, POLL_ALL_READ_S = 0.1, 2.0
"""How often to ask for what is not ready: asking takes CPU time from reading bundles."""
PATIENCE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that has just been started."""

    address: str
    client: httpx.Client
    started_s: float
    """Seconds from the start of the process until it announced its address."""

    def get_s(self, path: str) -> tuple[float, str]:
        """Return the seconds until a page was received, and the page.

        A page that is not ready is asked for again. Raises `RuntimeError` where it cannot be had.
        """
        began_s = time.monotonic()
        while (response := self.client.get(path)).status_code == NOT_READY:
            time.sleep(POLL_READY_S)
        if response.status_code != httpx.codes.OK:
            raise RuntimeError(f"/{path} was answered with {response.status_code}")
        return time.monotonic() - began_s, response.text

    def read_all_s(self) -> float:
        """Return the seconds until every bundle has been read."""
        began_s = time.monotonic()
        while self.client.get("progress").json()["unread"]:
            time.sleep(POLL_ALL_READ_S)
        return time.monotonic() - began_s


@contextmanager
def browsing(folder: Path, cache: Path, log_path: Path) -> Iterator[Serving]:
    """Serve the bundles of a folder until the end of the block.

    Raises `RuntimeError` with what the server wrote if it does not start.
    """
    began_s = time.monotonic()
    with log_path.open("w") as log:
        process = subprocess.Popen(
            [PROGRAM, "browse", str(folder), "--port", "0"],
            env={**os.environ, "WIRELAB_CACHE": str(cache), "NO_COLOR": "1", "COLUMNS": "200"},
            stderr=log,
        )
    try:
        while not (address := re.search(r"http://\S+/", log_path.read_text())):
            if process.poll() is not None or time.monotonic() - began_s > PATIENCE_S:
                raise RuntimeError(f"wirelab browse did not start: {log_path.read_text()}")
            time.sleep(POLL_START_S)
        started_s = time.monotonic() - began_s
        with httpx.Client(base_url=address[0], timeout=PATIENCE_S, trust_env=False) as client:
            yield Serving(address[0], client, started_s)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
