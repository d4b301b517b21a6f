"""Small synthetic bundles, what is found of them, and pages of their texts."""

from pathlib import Path
from typing import Any, TypeVar

import pytest

from wirelab.analysis import Analysis, analyse
from wirelab.analysis.cautions.caution import Caution
from wirelab.bundle import Bundle
from wirelab.report import render_html
from wirelab.report.vega import Drawing

from .circumstances import QUIET, Circumstances
from .models import models_of
from .synthetic import write_bundle

Found = TypeVar("Found", bound=Caution)

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")


def kinds(analysis: Analysis) -> set[type[Caution]]:
    """Return the kinds of the cautions that were found."""
    return {type(caution) for caution in analysis.cautions}


def the(kind: type[Found], analysis: Analysis) -> Found:
    """Return the only caution of a kind."""
    (found,) = (caution for caution in analysis.cautions if isinstance(caution, kind))
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


def render_texts(analysis: Analysis) -> str:
    """Render the page with blank charts: drawing them takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wirelab.report.figures.draw", lambda *_, **__: Drawing({}, "<svg/>", 300))
        return render_html(analysis)
