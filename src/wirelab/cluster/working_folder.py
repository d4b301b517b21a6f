"""The working folder of an actor on a machine of a cluster, removed when the actor ends."""

import shutil
import tempfile
from pathlib import Path

from wirelab.cluster.messages import MachineDescription
from wirelab.cluster.ray_settings import niceness_beyond
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import start_guarded

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
TIME_NAMESPACE = Path("/proc/self/ns/time")


class WorkingFolder:
    """A temporary folder that only this user can read.

    `niceness`: the niceness that this process should run with.
    """

    def __init__(self, niceness: int = 0) -> None:
        self._niceness = niceness
        self._folder = Path(tempfile.mkdtemp(prefix="wirelab-station-"))
        start_guarded(
            ["sleep", "infinity"],
            role="the keeper of the folder",
            log_path=self._folder / "keeper.log",
            on_end=["rm", "-rf", "--one-file-system", self._folder],
        )

    def describe(self) -> MachineDescription:
        """Describe this machine."""
        return MachineDescription(
            host=read_host(plan_cpus()),
            free_bytes=shutil.disk_usage(self._folder).free,
            niceness=niceness_beyond(self._niceness),
        )

    def clock(self) -> str:
        """Return an identifier of this machine's monotonic clock."""
        namespace = TIME_NAMESPACE.readlink() if TIME_NAMESPACE.is_symlink() else ""
        return f"{BOOT_ID.read_text().strip()} {namespace}".strip()
