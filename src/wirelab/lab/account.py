"""The user that PostgreSQL runs as when wirelab runs as root: PostgreSQL refuses root."""

import os
import pwd
import shutil
import subprocess

from wirelab.lab.errors import LabError

OWN = "wirelab"
SHARED = "nobody"


def unprivileged_account() -> str | None:
    """Return the user to run a server as when we are root; None when we are not.

    It is a system user of its own, `wirelab`, created when it is missing: as `nobody`, the server
    would share its data folder with every other program that runs as `nobody`. `nobody` is the
    fallback where no user can be created. Raises `LabError` where there is neither.
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
        f"Cannot create user '{OWN}' to run PostgreSQL, and user '{SHARED}' does not exist",
        f"create the user (useradd --system {OWN}), or do not run wirelab as root",
    )


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
