"""Find wirelab's own programs and folders."""

import os
import shutil
import sys
from functools import cache
from pathlib import Path

from wirelab.errors import LabError, MissingProgramError

SYSTEM_CACHE = Path("/var/cache/wirelab")


@cache
def project_root() -> Path | None:
    """Return the checkout that this package runs from; None if it is installed without one."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "pyproject.toml").is_file() else None


def find_program(name: str) -> Path:
    """Find one of wirelab's own binaries.

    Searches beside the Python interpreter, on PATH, and in cargo's target folder of the checkout.
    Raises `MissingProgramError` if none of them contains it.
    """
    beside = Path(sys.executable).parent
    root = project_root()
    search_path = [str(beside), *os.environ.get("PATH", "").split(os.pathsep)]
    if root is not None:
        search_path.extend(str(root / "target" / profile) for profile in ("release", "quick"))
    path = shutil.which(name, path=os.pathsep.join(search_path))
    if path is None:
        raise MissingProgramError(
            f"the program {name} is not installed: not in {beside}, not on PATH",
            "`make setup` builds wirelab's own programs and installs them",
        )
    return Path(path).resolve()


def cache_folder() -> Path:
    """Return the folder for cached builds and data: $WIRELAB_CACHE, else ~/.cache/wirelab.

    For root it is /var/cache/wirelab, since contenders run as a user without access to /root.
    Raises `LabError` if it cannot be created.
    """
    chosen = os.environ.get("WIRELAB_CACHE")
    base = os.environ.get("XDG_CACHE_HOME")
    if chosen:
        folder = Path(chosen)
    elif base or os.geteuid() != 0:
        folder = Path(base or Path.home() / ".cache") / "wirelab"
    else:
        folder = SYSTEM_CACHE
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(
            f"cannot create the cache folder: {error}",
            "set WIRELAB_CACHE to a writable folder",
        ) from error
    return folder.resolve()
