"""The world that cases happen in: a copy of the smallest domain, and a study of it."""

import shutil
from pathlib import Path

SMALLEST = Path(__file__).resolve().parents[1] / "experiment" / "world" / "domain"
OWN = Path(__file__).parent / "world"


def copy_world(folder: Path) -> Path:
    """Copy the domain into a folder, with its study; return the study's folder."""
    domain, study = folder / "domain", folder / "study"
    shutil.copytree(SMALLEST, domain)
    study.mkdir()
    text = (OWN / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("DOMAIN", str(domain)))
    return study
