"""A study of contenders that go wrong in one way each, in a folder of the test's own."""

import shutil
from pathlib import Path

import pytest

WORLD = Path(__file__).parent / "world"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return the folder of the study; its domain lies beside it."""
    shutil.copytree(WORLD, tmp_path / "world")
    folder = tmp_path / "world" / "study"
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("DOMAIN", str(tmp_path / "world" / "domain")))
    return folder
