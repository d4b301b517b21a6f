"""A replication of one study, from a fabricated bundle."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.bundles.circumstances import QUIET, Circumstances
from tests.support.bundles.models import Model, models_of
from tests.support.bundles.synthetic import write_bundle
from tests.support.charts import blank
from tests.support.chromium import browser
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.replication import export
from wirelab.replication.findings import StudyFindings, read_findings

__all__ = ["browser"]

FOUR = models_of("rest-flask", "graphql-graphene", "grpc-grpcio", "websocket-flask-sock")


@dataclass(frozen=True)
class Replicated:
    """A folder with the compact results of one study, and the bundle that they are of."""

    root: Path
    bundle: Bundle
    analysis: Analysis

    @property
    def results(self) -> Path:
        return self.root / "results" / "kaminski-2022" / "replication"

    @property
    def findings(self) -> StudyFindings:
        (found,) = read_findings(self.root)
        return found


def replicated(
    root: Path,
    models: Mapping[str, Model] = FOUR,
    happens: Circumstances = QUIET,
    blocks: int = 6,
    design: str = "replication",
) -> Replicated:
    bundle = write_bundle(
        root / "kaminski-2022" / design,
        design=design,
        environments=("native", "container"),
        workloads=("insert_one", "fetch_one", "fetch_hundred"),
        models=models,
        blocks=blocks,
        requests=60,
        permutations=6,
        happens=happens,
    )
    analysis = analyse(bundle)
    made = Replicated(root, bundle, analysis)
    export(bundle, analysis, root / "results" / "kaminski-2022" / design)
    return made


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Replicated:
    return replicated(tmp_path_factory.mktemp("replication"))


@pytest.fixture(autouse=True)
def _blank_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirelab.report.vega.to_svg", blank)
