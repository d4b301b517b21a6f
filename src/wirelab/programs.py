"""Where wirelab's own programs and folders are."""

import os
import shutil
import sys
from functools import cache
from pathlib import Path

from wirelab.errors import LabError, MissingProgramError

SYSTEM_CACHE = Path("/var/cache/wirelab")


@cache
def project_root() -> Path | None:
    """Return the checkout this package runs from, or None when it is installed without one."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() else None


def find_program(name: str) -> Path:
    """Find one of our own binaries.

    Looked for beside the Python interpreter, on PATH, then where cargo leaves it in the checkout.
    Raises `MissingProgramError` when it is in none of them.
    """
    beside = Path(sys.executable).parent
    root = project_root()
    places = [str(beside), *os.environ.get("PATH", "").split(os.pathsep)]
    if root is not None:
        places.extend(str(root / "target" / profile) for profile in ("release", "quick"))
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        raise MissingProgramError(
            f"the program {name} is not installed: not in {beside}, not on PATH",
            "`make setup` builds wirelab's own programs and installs them",
        )
    return Path(found).resolve()


def cache_folder() -> Path:
    """Return the folder for what is built once: $WIRELAB_CACHE, else ~/.cache/wirelab.

    Of root it is /var/cache/wirelab, since contenders run as a user who cannot look into /root.
    Raises `LabError` when it cannot be made.
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
            "set WIRELAB_CACHE to a folder that can be written",
        ) from error
    return folder.resolve()
