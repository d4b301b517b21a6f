"""What is timed: starts, the list and a comparison, with an empty cache and with a warm one."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import sleep
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

from benches.browse.serving import Serving, browsing
from wirelab.browse.catalogue import FRESH_S

LIST_TARGET_S, COMPARISON_TARGET_S = 1.0, 2.0
CacheState = Literal["empty", "warm"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOADED_MS = "performance.getEntriesByType('navigation')[0].loadEventEnd"


@dataclass(slots=True)
class Timing:
    """One thing that was timed: a value for each round."""

    cache: CacheState
    what: str
    target_s: float | None = None
    seconds: list[float] = field(default_factory=list)

    @property
    def row(self) -> str:
        """A line of the table."""
        target = "" if self.target_s is None else f"below {self.target_s:g} s"
        middle, slowest = median(self.seconds), max(self.seconds)
        return f"| {self.cache} | {self.what} | {middle:.3f} s | {slowest:.3f} s | {target} |"


class Timings:
    """Everything that was timed, in the order of the first round."""

    def __init__(self) -> None:
        self.found: dict[tuple[CacheState, str], Timing] = {}

    def add(
        self, cache: CacheState, what: str, seconds: float, target_s: float | None = None
    ) -> None:
        """Add the value of a round."""
        timing = self.found.setdefault((cache, what), Timing(cache, what, target_s))
        timing.seconds.append(seconds)


def time_pages(folder: Path, scratch: Path, rounds: int) -> Timings:
    """Time the pages of the bundles in a folder, each round in fresh processes.

    The page loads are left out where there is no chromium. Raises `RuntimeError` for a page that
    cannot be had.
    """
    timings = Timings()
    log_path = scratch / "log"
    for number in range(rounds):
        with browsing(folder, scratch / f"empty-{number}", log_path) as serving:
            _unread(serving, timings)
    warm = scratch / "warm"
    with browsing(folder, warm, log_path) as serving:
        timings.add("empty", "all bundles read", serving.read_all_s())
    with _chromium() as browser:
        for _ in range(rounds):
            with browsing(folder, warm, log_path) as serving:
                pair = _read(serving, timings)
            if browser is not None:
                with browsing(folder, warm, log_path) as serving:
                    _load(serving, browser, pair, timings)
    return timings


def _unread(serving: Serving, timings: Timings) -> None:
    """Time the list while nothing has been read, and the comparison that waits for reading."""
    timings.add("empty", "start", serving.started_s)
    seconds, page = serving.get_s("")
    timings.add("empty", "list", seconds)
    seconds, _ = serving.get_s(_comparison(page))
    timings.add("empty", "comparison, both bundles read for it", seconds)


def _read(serving: Serving, timings: Timings) -> str:
    """Time the pages of bundles that have been read; return the address of the comparison."""
    timings.add("warm", "start", serving.started_s)
    seconds, page = serving.get_s("")
    timings.add("warm", "list, first request", seconds, LIST_TARGET_S)
    pair = _comparison(page)
    timings.add("warm", "comparison, first request", serving.get_s(pair)[0], COMPARISON_TARGET_S)
    sleep(2 * FRESH_S)  # The next request looks at the folder again.
    timings.add("warm", "list, later request", serving.get_s("")[0], LIST_TARGET_S)
    sleep(2 * FRESH_S)
    timings.add("warm", "comparison, later request", serving.get_s(pair)[0], COMPARISON_TARGET_S)
    return pair


def _load(serving: Serving, browser: Browser, pair: str, timings: Timings) -> None:
    """Time until the pages' load event in a browser with an empty cache of its own."""
    context = browser.new_context()
    try:
        for what, path, target_s in (
            ("list, loaded in chromium", "", LIST_TARGET_S),
            ("comparison, loaded in chromium", pair, COMPARISON_TARGET_S),
        ):
            page = context.new_page()
            response = page.goto(f"{serving.address}{path}", wait_until="load")
            if response is None or not response.ok:
                raise RuntimeError(f"chromium did not get /{path}")
            page.wait_for_function(f"{LOADED_MS} > 0")
            timings.add("warm", what, page.evaluate(LOADED_MS) / 1000, target_s)
    finally:
        context.close()


def _comparison(page: str) -> str:
    """Return the address of the comparison of a list's first two bundles."""
    first, second = re.findall(r'id="b-([0-9a-f]+)"', page)[:2]
    return f"compare?b={first}&b={second}"


@contextmanager
def _chromium() -> Iterator[Browser | None]:
    if CHROMIUM is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
