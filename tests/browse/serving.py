"""`wirelab browse` as a process, and what its pages say to a plain client."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
from lxml import html

from tests.support.commands import Command
from tests.support.left import until
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

        def whole() -> httpx.Response | None:
            response = self.get(path)
            return None if response.status_code == 202 else response

        return until(whole, PATIENCE_S)

    def all_read(self) -> None:
        """Wait until nothing in the list is unread."""
        until(lambda: not self.get("/progress").json()["unread"], PATIENCE_S)


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

    def announced() -> re.Match[str] | None:
        assert process.poll() is None, log.read_text()
        return re.search(r"http://\S+(?= )", log.read_text())

    try:
        yield Serving(until(announced, PATIENCE_S)[0])
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait()
