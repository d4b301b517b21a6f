"""Small synthetic bundles, what is found of them, and how pages and terminals show it."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from rich.console import Console, RenderableType

from wirelab.analysis import Analysis, analyse, lint
from wirelab.analysis.cautions.caution import Caution
from wirelab.bundle import Bundle, RunRecord
from wirelab.report import render_html
from wirelab.report.vega import Drawing

from .circumstances import QUIET, Circumstances
from .models import STUDY, models_of
from .synthetic import copy_of, stretch, write_bundle

Found = TypeVar("Found", bound=Caution)

THREE = models_of("rest-flask", "graphql-graphene", "grpc-grpcio")
OF_COMPARE = ('id = "kaminski-2022"', 'id = "compare"')
"""The change that makes the study one of `wirelab compare`, whose designs have a budget."""


def kinds(analysis: Analysis) -> set[type[Caution]]:
    """Return the kinds of the cautions that were found."""
    return {type(caution) for caution in analysis.cautions}


def the(kind: type[Found], analysis: Analysis) -> Found:
    """Return the only caution of a kind."""
    (found,) = (caution for caution in analysis.cautions if isinstance(caution, kind))
    return found


def study_with(folder: Path, *changes: tuple[str, str]) -> Path:
    """Copy the study of the bundles into a folder, with texts (first) replaced by others."""
    study = shutil.copytree(STUDY, folder / "study")
    text = (study / "study.toml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    (study / "study.toml").write_text(text)
    return study


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


def stretched(bundle: Bundle, folder: Path, factor: Callable[[RunRecord], float]) -> Analysis:
    """Analyse a copy of a bundle in which all times of each run are multiplied by its factor."""
    spoiled = copy_of(bundle, folder / "bundle")
    stretch(spoiled, factor)
    return analyse(spoiled)


def broken_rules(analysis: Analysis) -> str:
    """Return the rules of good reporting that an analysis breaks, one a line."""
    return "\n".join(f"{item.rule}: {item.how}" for item in lint(analysis) if not item.kept)


def render_texts(analysis: Analysis) -> str:
    """Render the page with blank charts: drawing them takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wirelab.report.figures.draw", lambda *_, **__: Drawing({}, "<svg/>", 300))
        return render_html(analysis)


def printed(*parts: RenderableType, width: int = 200) -> str:
    """Return what a terminal of so many columns shows, without colours."""
    console = Console(width=width, file=io.StringIO(), color_system=None, record=True)
    for part in parts:
        console.print(part)
    return console.export_text()
