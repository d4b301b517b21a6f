"""Fixtures of synthetic bundles and what is made of them, which several folders of tests share."""

import fcntl
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.report import render_html

from .models import ROOT, models_of
from .small import study_with, write_small
from .synthetic import write_bundle

MANY = (
    *("rest-fastapi", "graphql-graphene", "grpc-aio", "rest-express", "graphql-apollo", "grpc-js"),
    *("rest-chi", "graphql-gqlgen", "grpc-go", "graphql-graphene-naive", "graphql-apollo-naive"),
    "graphql-gqlgen-naive",
)

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Shared:
    """What fixtures make for all folders of tests and all workers, who must not change it."""

    folder: Path

    def once(self, name: str, make: Callable[[Path], Made]) -> Made:
        """Return what `make` makes in a folder of its own, the first time that it is asked for.

        Workers that need the same wait for each other. Nobody gets what was made itself, so that
        it is the same for all.
        """
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / "made.pickle"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel releases it when the worker ends
            if not kept.exists():
                kept.write_bytes(pickle.dumps(make(folder)))
        made: Made = pickle.loads(kept.read_bytes())
        return made


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """The folder of what is made once, in that of all workers."""
    own = tmp_path_factory.getbasetemp()
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    return Shared((own.parent if is_worker else own) / "shared")


@pytest.fixture(scope="session")
def bundle(shared: Shared) -> Bundle:
    """Five contenders and a twin, four workloads, six blocks."""
    return shared.once("six", lambda folder: write_bundle(folder / "bundle"))


@pytest.fixture(scope="session")
def few(shared: Shared) -> Bundle:
    """The same with two blocks only, and short runs."""
    return shared.once(
        "two", lambda folder: write_bundle(folder / "bundle", blocks=2, requests=200)
    )


@pytest.fixture(scope="session")
def faulty(shared: Shared) -> Bundle:
    """The same with twenty runs that do not count."""
    return shared.once("faulty", lambda folder: write_bundle(folder / "bundle", invalid=20))


@pytest.fixture(scope="session")
def both(shared: Shared) -> Bundle:
    """Natively and in a container, with long runs for sharp percentiles left out."""
    environments = ("native", "container")
    return shared.once(
        "both",
        lambda folder: write_bundle(folder / "bundle", requests=500, environments=environments),
    )


@pytest.fixture(scope="session")
def three(shared: Shared) -> Bundle:
    """Three contenders and a twin, one workload, six blocks."""
    return shared.once("three", write_small)


@pytest.fixture(scope="session")
def apart(shared: Shared) -> Bundle:
    """Two contenders and a twin, one workload, two blocks; each run had a window of its own."""

    def make(folder: Path) -> Bundle:
        return write_bundle(
            folder / "bundle",
            blocks=2,
            requests=300,
            design="paper",
            stores=("mongodb",),
            workloads=("fetch_one",),
            models=models_of("rest-flask", "grpc-grpcio"),
        )

    return shared.once("apart", make)


@pytest.fixture(scope="session")
def analysis(shared: Shared, bundle: Bundle) -> Analysis:
    """What the six blocks say."""
    return shared.once("analysis", lambda _: analyse(bundle))


@pytest.fixture(scope="session")
def few_analysis(shared: Shared, few: Bundle) -> Analysis:
    """What the two blocks say."""
    return shared.once("few_analysis", lambda _: analyse(few))


@pytest.fixture(scope="session")
def both_analysis(shared: Shared, both: Bundle) -> Analysis:
    """What they say natively and in a container."""
    return shared.once("both_analysis", lambda _: analyse(both))


@pytest.fixture(scope="session")
def throughput(shared: Shared) -> Analysis:
    """What six blocks of a study say whose questions are about the throughput."""

    def make(folder: Path) -> Analysis:
        change = ('metric = "latency_typical_us"', 'metric = "throughput_per_s"')
        return analyse(write_small(folder, path=study_with(folder, change)))

    return shared.once("throughput", make)


@pytest.fixture(scope="session")
def many(shared: Shared) -> Analysis:
    """What twelve contenders say, most of which are compared with another than the baseline.

    It is not shared, since the extension of its study defines classes that other workers lack.
    """

    def make(folder: Path) -> Bundle:
        return write_bundle(
            folder / "bundle",
            path=ROOT / "studies" / "muppaneni",
            design="choices",
            models=models_of(*MANY),
            workloads=("product",),
            loads=("ten-users",),
            requests=60,
        )

    return analyse(shared.once("many", make))


@pytest.fixture(scope="session")
def page(shared: Shared, analysis: Analysis) -> str:
    """The HTML of the six blocks."""
    return shared.once("page", lambda _: render_html(analysis))
