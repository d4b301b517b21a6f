"""A study of contenders that go wrong in one way each, in a folder of the test's own."""

import functools
import shutil
from pathlib import Path

import pytest

from wirelab.statistics import Limits, reasons_invalid

WORLD = Path(__file__).parent / "world"


@pytest.fixture(autouse=True)
def neighbours_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no run of these tests become invalid for CPU time that other guests of the host took."""
    patient = functools.partial(reasons_invalid, limits=Limits(steal_share=1.0))
    monkeypatch.setattr("wirelab.experiment.run.reasons_invalid", patient)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return the folder of the study; its domain lies beside it."""
    shutil.copytree(WORLD, tmp_path / "world")
    folder = tmp_path / "world" / "study"
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("DOMAIN", str(tmp_path / "world" / "domain")))
    return folder
