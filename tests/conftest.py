"""What holds for every test: how the work is shared out, and which begins."""

import gc
import os
import signal
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling, Scheduling

from tests.support.memory_disk import use_memory

# A shell starts what it puts in the background with SIGINT ignored, and programs inherit that. The
# tests end laboratories by Ctrl-C, wherever the tests themselves run.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Threads of OpenBLAS, which numpy starts when it is imported, wait actively for each other: beside
# four busy workers, a fit of twenty points took four times the CPU time, or more.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A worker holds modules and items of all tests: looking for garbage among them took a sixth of the
# CPU time of collecting all tests and executing 26 of them.
gc.set_threshold(50_000)

# Before anything asks for a temporary folder; workers inherit it.
use_memory()

pytest_plugins = ["tests.support.summary"]

TESTS = Path(__file__).parent

LONGEST_FIRST = (
    "shop",
    "cluster",
    "library",
    "lab/environments/container",
    "university/contenders",
    "university",
    "bank",
    "games",
    "shop/test_study.py",
    "live",
    "compare",
    "experiment",
    "browse",
    "report",
    "analysis",
    "faults",
)
"""So that no worker begins with minutes of tests when the others have ended: first the folders that
one worker runs as a whole, then those of long files. Of those that compile Go in a new clone, only
one is among the first four: the others find the packages compiled that they share."""

SHARING = (
    "bank",
    "cluster",
    "lab/environments/container",
    "games",
    "library",
    "shop",
    "statistics",
    "university/contenders",
)
"""Folders whose tests share what is started or slow to import, or count it: one worker runs all."""
ALONE = ("shop/test_study.py",)
"""Their files that start separate servers only."""
CONTAINERS = "lab/environments/container"
COUNTED = ("experiment/test_places.py",)
"""Files outside `CONTAINERS` that start containers, which its tests count: one worker runs both."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders that take longest."""
    items.sort(key=_place)


def pytest_collection_finish() -> None:
    """Exempt from garbage collection what stays until the end."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    """Give each worker whole files, and whole folders where these share servers."""
    config.option.loadscopereorder = False  # it would begin with the files of the most tests
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _stays_together
    return scheduler


def _stays_together(nodeid: str) -> str:
    file = nodeid.partition("::")[0].removeprefix(f"{TESTS.name}/")
    folder = CONTAINERS if file in COUNTED else file.rpartition("/")[0]
    return folder if folder in SHARING and file not in ALONE else file


def _place(item: pytest.Item) -> int:
    file = item.path.relative_to(TESTS)
    known = [name for name in map(str, (file, *file.parents)) if name in LONGEST_FIRST]
    return LONGEST_FIRST.index(known[0]) if known else len(LONGEST_FIRST)
