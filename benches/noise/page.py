"""A/A studies with the live page open and closed: what watching does to what is watched."""

import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from statistics import fmean
from tempfile import TemporaryDirectory

import httpx
from prometheus_client.parser import text_string_to_metric_families

from benches.noise.conditions import Condition, condition
from benches.noise.running import WORLD, run_trial
from wirelab.experiment.events import Event, Observer, Observers, StageStarted
from wirelab.live.feed import LivePage
from wirelab.statistics import Outcome, decide

WATCH = """
import sys, threading, time, urllib.request
def scrape():
    while True:
        urllib.request.urlopen(sys.argv[1] + "metrics").read()
        time.sleep(5)
threading.Thread(target=scrape, daemon=True).start()
for line in urllib.request.urlopen(sys.argv[1] + "events"):
    pass
"""
"""What a browser and Prometheus ask for, without the work of drawing it."""


@dataclass(frozen=True, slots=True)
class PageTrial:
    """One study of a server and its twin, with the page open or closed."""

    seed: int
    page: str
    """closed, stream or browser."""
    typical_us: float
    """The server's typical response time, over blocks."""
    ratio: float
    low: float
    high: float
    is_false: bool
    """The verdict says that the twins differ by something that matters."""
    page_cpu_share: float | None
    """What the page's process used of one CPU while blocks were measured; 0 if it was closed."""
    seconds: float


def try_page(
    name: Condition, studies: int, first_seed: int, *, browser: bool
) -> list[dict[str, object]]:
    """Carry out so many pairs of studies, open and closed, which of them first by turns."""
    opened = "browser" if browser else "stream"
    found = []
    for seed in range(first_seed, first_seed + studies):
        order = (opened, "closed") if seed % 2 else ("closed", opened)
        for page in order:
            with condition(name, seed):
                row = _trial(seed, page)
            print(
                f"{name} {seed} {page}: {row.typical_us:.1f} µs, {row.ratio:.3f}"
                f" [{row.low:.3f}, {row.high:.3f}], page {row.page_cpu_share or 0.0:.2%} of a CPU"
            )
            found.append(asdict(row))
    return found


def _trial(seed: int, kind: str) -> PageTrial:
    opened = nullcontext(None) if kind == "closed" else _watched(kind)
    with opened as page:
        watcher = None if page is None else _Watcher(page)
        observer = None if watcher is None else Observers(watcher.page, watcher)
        trial = run_trial(WORLD, "same", seed, observer=observer)
        cpu_s = 0.0 if watcher is None else watcher.cpu_s()
    ((cell, resolved),) = trial.analysis.noise.resolutions
    twin = resolved.twin
    verdict = decide(twin, p_holm=twin.p_value)
    interval = twin.interval95
    assert interval is not None
    times = trial.values.values("latency_typical_us", cell).values()
    return PageTrial(
        seed=seed,
        page=kind,
        typical_us=math.exp(fmean(map(math.log, times))),
        ratio=twin.ratio,
        low=interval.low,
        high=interval.high,
        is_false=verdict.outcome in (Outcome.FASTER, Outcome.SLOWER),
        page_cpu_share=cpu_s / trial.seconds,
        seconds=trial.seconds,
    )


class _Watcher(Observer):
    """Counts the CPU time of a page's process from the last stage, measuring, on."""

    def __init__(self, page: LivePage) -> None:
        self.page = page
        self._before_s = 0.0

    def on(self, event: Event) -> None:
        """Note the CPU time so far; the page answers only once it has loaded."""
        if isinstance(event, StageStarted):
            self._before_s = _cpu_s(self.page)

    def cpu_s(self) -> float:
        """Return the CPU time since the last stage began."""
        return _cpu_s(self.page) - self._before_s


@contextmanager
def _watched(kind: str) -> Iterator[LivePage]:
    """Serve a page and look at it, with a browser or with what merely reads as one does."""
    with TemporaryDirectory(prefix="wirelab-page-") as profile, LivePage(0, print) as page:
        command = [sys.executable, "-c", WATCH, page.address]
        if kind == "browser":
            chromium = shutil.which("chromium") or "chromium-browser"
            options = ["--headless", "--no-sandbox", f"--user-data-dir={profile}"]
            command = [chromium, *options, "--remote-debugging-port=0", page.address]
        watching = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield page
        finally:
            watching.terminate()
            watching.wait(30)


def _cpu_s(page: LivePage) -> float:
    """Return the CPU time of the page's process, as the process reports it."""
    text = httpx.get(f"{page.address}metrics", timeout=60).text
    families = text_string_to_metric_families(text)
    return float(
        next(
            sample.value
            for family in families
            for sample in family.samples
            if sample.labels.get("wirelab_role") == "page"
        )
    )
