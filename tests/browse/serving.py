"""`wirelab browse` as a process, and what its pages say to a plain client."""

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
from lxml import html

from tests.support.commands import Command
from tests.support.plain_http import NO_TLS
from wirelab.installation.programs import cache_folder

PATIENCE_S = 120.0


@dataclass(frozen=True)
class Serving:
    """A server, by the address it has announced."""

    address: str

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


def browse(folder: Path, *options: str, cache: Path, log: Path) -> Command:
    """Start `wirelab browse`; standard error goes to `log`."""
    cache.mkdir(exist_ok=True)
    with suppress(FileExistsError):  # what takes seconds to build, such as the script of charts
        (cache / "builds").symlink_to(cache_folder() / "builds")
    environment = {"WIRELAB_CACHE": str(cache), "NO_COLOR": "1", "COLUMNS": "200"}
    return Command(
        "browse", folder, *options, stdout=Path(os.devnull), stderr=log, environment=environment
    )


@contextmanager
def browsing(folder: Path, cache: Path) -> Iterator[Serving]:
    """Serve a folder until the end of the block, which Ctrl-C is."""
    log = cache.with_name(f"{cache.name}.log")
    process = browse(folder, "--port", "0", cache=cache, log=log)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not (address := re.search(r"http://\S+(?= )", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        yield Serving(address[0])
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
