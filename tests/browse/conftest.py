"""Bundles to browse, made once, and the server with a browser that shows them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.bundles.hostile import write_hostile
from tests.support.bundles.models import models_of
from tests.support.bundles.synthetic import write_bundle
from tests.support.chromium import browser
from wirelab.analysis import analyse
from wirelab.analysis.synopsis import Synopsis, synopsis_of
from wirelab.browse.cache import Cache
from wirelab.bundle import Bundle

__all__ = ["browser"]

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Three contenders at one workload."""
    folder = tmp_path_factory.mktemp("one") / "bundle"
    return write_bundle(folder, requests=200, workloads=("fetch_one",), models=THREE)


@pytest.fixture(scope="session")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The same where gRPC has become slow."""
    slow = {**THREE, "grpc-grpcio": replace(THREE["grpc-grpcio"], latency_us=[2300] * 4)}
    folder = tmp_path_factory.mktemp("slower") / "bundle"
    return write_bundle(folder, requests=200, workloads=("fetch_one",), models=slow, seed=8)


@pytest.fixture(scope="session")
def hostile(bundle: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle whose texts would like to be programs."""
    return write_hostile(bundle, tmp_path_factory.mktemp("hostile") / "bundle")


@pytest.fixture(scope="session")
def synopsis(bundle: Bundle) -> Synopsis:
    """What the bundle says in short."""
    return synopsis_of(analyse(bundle))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """An empty cache."""
    return Cache(tmp_path / "cache")
