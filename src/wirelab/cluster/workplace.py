"""Where something works on a machine of a cluster: a folder that is gone when it has ended."""

import shutil
import tempfile
from pathlib import Path

from wirelab.cluster.messages import Introduction
from wirelab.cluster.upbringing import niceness_beyond
from wirelab.lab.cpu import plan_cpus
from wirelab.lab.host import read_host
from wirelab.lab.process import start_guarded

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
TIME_NAMESPACE = Path("/proc/self/ns/time")


class Workplace:
    """A folder of its own, which only this user may look into.

    `wanted_niceness`: how far behind other programs this process should stand.
    """

    def __init__(self, wanted_niceness: int = 0) -> None:
        self._wanted_niceness = wanted_niceness
        self._folder = Path(tempfile.mkdtemp(prefix="wirelab-station-"))
        start_guarded(
            ["sleep", "infinity"],
            role="the keeper of the folder",
            log_path=self._folder / "keeper.log",
            on_end=["rm", "-rf", "--one-file-system", self._folder],
        )

    def introduce(self) -> Introduction:
        """Say what this machine is."""
        return Introduction(
            host=read_host(plan_cpus()),
            free_bytes=shutil.disk_usage(self._folder).free,
            niceness=niceness_beyond(self._wanted_niceness),
        )

    def clock(self) -> str:
        """Name the monotonic clock of this machine: equal names, one clock."""
        namespace = TIME_NAMESPACE.readlink() if TIME_NAMESPACE.is_symlink() else ""
        return f"{BOOT_ID.read_text().strip()} {namespace}".strip()
