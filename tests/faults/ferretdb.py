"""FerretDB for cases of the document store: built once, outside of their namespaces."""

from functools import cache
from pathlib import Path

from wirelab.errors import LabError
from wirelab.lab.stores.ferretdb import build_ferretdb

LOG = Path(__file__).resolve().parents[2] / "target" / "faults" / "ferretdb.log"


@cache
def why_no_ferretdb() -> str:
    """Build it if missing; return why it cannot be built, "" if it exists."""
    try:
        _built()
    except LabError as error:
        return f"no FerretDB: {error.what.partition(chr(10))[0]}"
    return ""


def share_ferretdb(cache_folder: Path) -> None:
    """Link it into a case's cache."""
    built = _built().parent
    shared = cache_folder / "builds" / built.name
    shared.parent.mkdir(parents=True, exist_ok=True)
    shared.symlink_to(built)


def _built() -> Path:
    LOG.parent.mkdir(parents=True, exist_ok=True)
    return build_ferretdb(LOG)
