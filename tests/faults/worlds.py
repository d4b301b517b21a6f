"""The worlds of cases: a copy of the smallest domain, and a study of it."""

import shutil
from pathlib import Path

from tests.faults.clock import why_no_clock
from tests.faults.ferretdb import why_no_ferretdb
from tests.faults.matrix import CLOCKS, Case, World

SMALLEST = Path(__file__).resolve().parents[1] / "support" / "world" / "domain"
OWN = Path(__file__).parent / "world"
DOCUMENTS = OWN / "documents"
"""The domain's files for the document store, as replacements and additions."""


def why_not(case: Case) -> str:
    """Return why a case cannot run on this machine; "" if it can."""
    if case.fault in CLOCKS:
        return why_no_clock()
    return why_no_ferretdb() if case.world == World.DOCUMENTS else ""


def copy_world(world: World, folder: Path) -> Path:
    """Copy the domain of a world into a folder, with its study; return the study's folder."""
    domain, study = folder / "domain", folder / "study"
    shutil.copytree(SMALLEST, domain)
    store = "postgresql"
    if world == World.DOCUMENTS:
        store = "mongodb"
        shutil.copy(DOCUMENTS / "server.py", domain / "contenders" / "python")
        with (domain / "domain.toml").open("a") as declared:
            declared.write((DOCUMENTS / "store.toml").read_text())
    study.mkdir()
    text = (OWN / "study.toml").read_text().replace("DOMAIN", str(domain)).replace("STORE", store)
    (study / "study.toml").write_text(text)
    return study
