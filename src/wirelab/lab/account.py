"""The account that PostgreSQL runs under: it refuses to run as root."""

import os
import pwd
import shutil
import subprocess

from wirelab.lab.errors import LabError

OWN = "wirelab"
SHARED = "nobody"


def unprivileged_account() -> str | None:
    """Return the account to run a server as when we are root; None when we are not.

    It is a system account of its own, `wirelab`, made when it is missing: sharing `nobody` would
    give the data folder to every other program that does. `nobody` where none can be made.
    """
    if os.geteuid() != 0:
        return None
    if not _exists(OWN) and (useradd := shutil.which("useradd")) is not None:
        options = ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin"]
        subprocess.run([useradd, *options, OWN], capture_output=True, check=False)
    for name in (OWN, SHARED):
        if _exists(name):
            return name
    raise LabError(
        f"no account to run PostgreSQL as: {OWN} cannot be made and {SHARED} is not there",
        f"add one (useradd --system {OWN}), or run wirelab as an ordinary user",
    )


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
