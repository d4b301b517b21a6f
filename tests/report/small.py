"""Small synthetic bundles, and what is found of them."""

from pathlib import Path
from typing import Any

from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle

from .circumstances import QUIET, Circumstances
from .models import models_of
from .synthetic import write_bundle

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")


def titles(analysis: Analysis) -> dict[str, str]:
    return {caution.title: caution.severity for caution in analysis.cautions}


def detail(analysis: Analysis, title: str) -> str:
    (found,) = (caution.detail for caution in analysis.cautions if caution.title == title)
    return found


def write_small(folder: Path, happens: Circumstances = QUIET, **options: Any) -> Bundle:
    """Fabricate a bundle of three contenders and one workload."""
    smaller: dict[str, Any] = {
        "requests": 400,
        "workloads": ("fetch_one",),
        "models": THREE,
    } | options
    return write_bundle(folder / "bundle", happens=happens, **smaller)


def small(folder: Path, happens: Circumstances, **options: Any) -> Analysis:
    """Analyse what such a bundle says."""
    return analyse(write_small(folder, happens, **options))
