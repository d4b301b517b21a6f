"""Where k6 is, if it is installed."""

import shutil

from wirelab.installation.programs import cache_folder

NO_K6 = "k6 is not installed; install it with `go install go.k6.io/k6@v1.8.1`"


def find_k6() -> str | None:
    """Return the k6 of this machine, or the one that was installed among the peers."""
    return shutil.which("k6") or shutil.which("k6", path=str(cache_folder() / "peers" / "bin"))
