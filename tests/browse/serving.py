"""`wirelab browse` as a process, and what its pages say to a plain client."""

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
from lxml import html

from tests.support.plain_http import NO_TLS

PATIENCE_S = 120.0
COMMAND = [sys.executable, "-c", "import sys; from wirelab.cli import main; sys.exit(main())"]


@dataclass(frozen=True)
class Serving:
    """A server, and the address it has announced."""

    address: str
    process: "subprocess.Popen[str]"

    def get(self, path: str, *, host: str = "") -> httpx.Response:
        """Ask for a page, whatever becomes of it."""
        headers = {"host": host} if host else {}
        return httpx.get(
            f"{self.address}{path.lstrip('/')}", headers=headers, timeout=30, verify=NO_TLS
        )

    def ready(self, path: str) -> httpx.Response:
        """Ask for a page until nothing is read for it any more."""
        deadline = time.monotonic() + PATIENCE_S
        while (response := self.get(path)).status_code == 202:
            assert time.monotonic() < deadline, response.text
            time.sleep(0.2)
        return response

    def all_read(self) -> None:
        """Wait until nothing in the list is unread."""
        deadline = time.monotonic() + PATIENCE_S
        while (state := self.get("/progress").json())["unread"]:
            assert time.monotonic() < deadline, state
            time.sleep(0.2)


def tree(response: httpx.Response) -> html.HtmlElement:
    """Parse a page."""
    return html.document_fromstring(response.text)


def ids(response: httpx.Response) -> list[str]:
    """Return the ids of the bundles of a list, in its order."""
    return [each.removeprefix("b-") for each in tree(response).xpath("//li/@id")]


@contextmanager
def browsing(folder: Path, cache: Path, *options: str) -> Iterator[Serving]:
    """Serve a folder until the end of the block, which Ctrl-C is."""
    process = subprocess.Popen(
        [*COMMAND, "browse", str(folder), "--port", "0", *options],
        env={**os.environ, "WIRELAB_CACHE": str(cache), "NO_COLOR": "1", "COLUMNS": "200"},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        expected = ""
        while not (address := re.search(r"http://\S+", expected)):
            line = process.stderr.readline()
            assert line, f"it ended: {expected}"
            expected += line
        yield Serving(address[0], process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()
