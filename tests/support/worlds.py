"""A study of contenders that go wrong in one way each, and its copies for single tests."""

import shutil
from pathlib import Path

import pytest

WORLD = Path(__file__).parent / "world"


def copy_world(folder: Path) -> Path:
    """Return the folder of the study; its domain lies beside it."""
    shutil.copytree(WORLD, folder / "world")
    study = folder / "world" / "study"
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("DOMAIN", str(folder / "world" / "domain")))
    return study


def ignore_seed(domain: Path) -> None:
    """Make a domain's generator write the same rows for every seed."""
    generator = domain / "generate.py"
    script = generator.read_text()
    assert "+ arguments.seed" in script
    generator.write_text(script.replace("+ arguments.seed", ""))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return the folder of a study of one test's own."""
    return copy_world(tmp_path)
