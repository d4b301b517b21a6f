"""Fixtures of synthetic bundles and what is made of them, which several folders of tests share."""

import shutil
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import pytest

from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.report import render_html

from .models import ROOT, STUDY, models_of
from .small import write_small
from .synthetic import write_bundle

MANY = (
    *("rest-fastapi", "graphql-graphene", "grpc-aio", "rest-express", "graphql-apollo", "grpc-js"),
    *("rest-chi", "graphql-gqlgen", "grpc-go", "graphql-graphene-naive", "graphql-apollo-naive"),
    "graphql-gqlgen-naive",
)

Given = ParamSpec("Given")
Made = TypeVar("Made")


def once(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Make the value of a fixture once, although each folder has the fixture by itself."""
    made: list[Made] = []

    @wraps(make)
    def made_before(*given: Given.args, **named: Given.kwargs) -> Made:
        if not made:
            made.append(make(*given, **named))
        return made[0]

    return made_before


@pytest.fixture(scope="session")
@once
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Five contenders and a twin, four workloads, six blocks."""
    return write_bundle(tmp_path_factory.mktemp("six") / "bundle")


@pytest.fixture(scope="session")
@once
def few(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The same with two blocks only, and short runs."""
    return write_bundle(tmp_path_factory.mktemp("two") / "bundle", blocks=2, requests=200)


@pytest.fixture(scope="session")
@once
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The same with twenty runs that do not count."""
    return write_bundle(tmp_path_factory.mktemp("faulty") / "bundle", invalid=20)


@pytest.fixture(scope="session")
@once
def both(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Natively and in a container, with long runs for sharp percentiles left out."""
    environments = ("native", "container")
    return write_bundle(
        tmp_path_factory.mktemp("both") / "bundle", requests=500, environments=environments
    )


@pytest.fixture(scope="session")
@once
def three(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Three contenders and a twin, one workload, six blocks."""
    return write_small(tmp_path_factory.mktemp("three"))


@pytest.fixture(scope="session")
@once
def analysis(bundle: Bundle) -> Analysis:
    """What the six blocks say."""
    return analyse(bundle)


@pytest.fixture(scope="session")
@once
def few_analysis(few: Bundle) -> Analysis:
    """What the two blocks say."""
    return analyse(few)


@pytest.fixture(scope="session")
@once
def both_analysis(both: Bundle) -> Analysis:
    """What they say natively and in a container."""
    return analyse(both)


@pytest.fixture(scope="session")
@once
def throughput(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """What six blocks of a study say whose questions are about the throughput."""
    folder = tmp_path_factory.mktemp("throughput")
    study = shutil.copytree(STUDY, folder / "study") / "study.toml"
    text = study.read_text()
    study.write_text(
        text.replace('metric = "latency_typical_us"', 'metric = "throughput_per_s"', 1)
    )
    return analyse(write_small(folder, path=study.parent))


@pytest.fixture(scope="session")
@once
def many(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """What twelve contenders say, most of which are compared with another than the baseline."""
    bundle = write_bundle(
        tmp_path_factory.mktemp("many") / "bundle",
        path=ROOT / "studies" / "muppaneni",
        models=models_of(*MANY),
        workloads=("product",),
        loads=("ten-users",),
        requests=60,
    )
    return analyse(bundle)


@pytest.fixture(scope="session")
@once
def page(analysis: Analysis) -> str:
    """The HTML of the six blocks."""
    return render_html(analysis)
